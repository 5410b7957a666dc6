import type { RouteReply } from "galley/api";
import { ScanSearch } from "lucide-react";
import { type ReactElement, useEffect, useState } from "react";
import { Link, navigate } from "../../frame/location.tsx";
import { Page } from "../../frame/page.tsx";
import { type PageParams, pathTo } from "../../frame/routes.ts";
import { inspectText } from "../../i18n/inspect.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { SearchField } from "../../kit/fields.tsx";
import { EmptyState, useLoaded } from "../../kit/notices.tsx";
import { Table, type TableColumn } from "../../kit/table.tsx";
import { CallPage } from "./call-page.tsx";

/** Without a session the list of them; with one, its newest call, or the one that the URL names. */
export function InspectPage({ params }: PageParams<"sessions" | "call">): ReactElement {
  const { id: session, n } = { n: undefined, ...params };
  if (session === undefined) return <SessionList />;
  if (n === undefined) return <NewestCall session={session} />;
  return <CallPage session={session} n={Number(n)} />;
}

function NewestCall({ session }: { readonly session: string }): ReactElement {
  const text = useText(inspectText);
  const { data, pending } = useLoaded("sessions.get", { params: { id: session } });
  const newest = data?.calls.at(-1)?.n;
  useEffect(() => {
    if (newest !== undefined) navigate(pathTo("call", { id: session, n: String(newest) }), { replace: true });
  }, [session, newest]);
  return (
    <Page title={text.title}>
      {pending}
      {data && newest === undefined && <EmptyState title={text.noCallsTitle}>{text.noneBody}</EmptyState>}
    </Page>
  );
}

type SessionItem = RouteReply<"sessions.list">["sessions"][number];

/** The sessions that have recorded calls; each leads to its newest call. */
function SessionList(): ReactElement {
  const text = useText(inspectText);
  const { data, pending } = useLoaded("sessions.list", {});
  const [wanted, setWanted] = useState("");
  const shown = data?.sessions.filter(({ id }) => id.toLowerCase().includes(wanted.trim().toLowerCase())) ?? [];
  return (
    <Page title={text.title}>
      {pending}
      {data?.sessions.length === 0 && <NoSessions />}
      {data && data.sessions.length > 0 && (
        <div className="flex flex-col gap-3">
          <SearchField label={text.search} value={wanted} onChange={setWanted} isPageSearch />
          {shown.length === 0 ? <p className="text-muted">{text.noMatch}</p> : <Sessions sessions={shown} />}
        </div>
      )}
    </Page>
  );
}

function NoSessions(): ReactElement {
  const text = useText(inspectText);
  return (
    <EmptyState
      icon={<ScanSearch aria-hidden size={28} />}
      title={text.noneTitle}
      actions={<Link href={pathTo("chats", {})}>{text.toChats}</Link>}
    >
      {text.noneBody}
    </EmptyState>
  );
}

function Sessions({ sessions }: { readonly sessions: readonly SessionItem[] }): ReactElement {
  const text = useText(inspectText);
  const { number, dateTime } = useFormats();
  const columns: readonly TableColumn<SessionItem>[] = [
    { id: "id", label: text.session, cell: sessionLink },
    { id: "calls", label: text.calls, isNumber: true, cell: ({ calls }) => number(calls) },
    { id: "model", label: text.model, isExtra: true, cell: ({ model }) => model },
    { id: "tokens", label: text.inputTokens, isNumber: true, isExtra: true, cell: (item) => number(item.inputTokens) },
    { id: "updated", label: text.updated, isExtra: true, cell: ({ updatedAt }) => dateTime(updatedAt) },
  ];
  return <Table label={text.sessions} columns={columns} rows={sessions} rowKey={({ id }) => id} />;
}

function sessionLink({ id }: SessionItem): ReactElement {
  return (
    <Link className="font-mono wrap-anywhere text-accent hover:underline" href={pathTo("sessions", { id })}>
      {id}
    </Link>
  );
}

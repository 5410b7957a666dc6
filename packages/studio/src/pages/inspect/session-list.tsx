import { ScanSearch } from "lucide-react";
import { type ReactElement, useState } from "react";
import type { RouteReply } from "galley/api";
import { useApi } from "../../api/use-api.ts";
import { Link } from "../../frame/link.tsx";
import { Page } from "../../frame/page.tsx";
import { pathTo } from "../../frame/routes.ts";
import { inspectText } from "../../i18n/inspect.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import { ErrorNotice } from "../../kit/error-notice.tsx";
import { SearchField } from "../../kit/search-field.tsx";
import { Spinner } from "../../kit/spinner.tsx";
import { Table, type TableColumn } from "../../kit/table.tsx";

type SessionItem = RouteReply<"sessions.list">["sessions"][number];

/** The sessions that have recorded calls; each leads to its newest call. */
export function SessionList(): ReactElement {
  const text = useText(inspectText);
  const { data, error, refetch } = useApi("sessions.list", {});
  const [wanted, setWanted] = useState("");
  const shown = data?.sessions.filter(({ id }) => id.toLowerCase().includes(wanted.trim().toLowerCase())) ?? [];
  return (
    <Page title={text.title}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Spinner />}
      {data?.sessions.length === 0 && <NoSessions />}
      {data && data.sessions.length > 0 && (
        <div className="flex flex-col gap-3">
          <SearchField label={text.search} placeholder={text.search} value={wanted} onChange={setWanted} isPageSearch />
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

import type { RouteReply } from "galley/api";
import { type PlaceKind, parsePlaceId, placeKinds } from "galley/api/client";
import { ScanSearch } from "lucide-react";
import { type ReactElement, useEffect, useState } from "react";
import { useAction, useApi } from "../../api/use-api.ts";
import { hasWords } from "../../api/words.ts";
import { Link, navigate, useQueryState } from "../../frame/location.tsx";
import { Page } from "../../frame/page.tsx";
import { type PageParams, pathTo } from "../../frame/routes.ts";
import { inspectText } from "../../i18n/inspect.ts";
import { messageTexts } from "../../i18n/message.ts";
import { useText } from "../../i18n/use-text.ts";
import { Ask } from "../../kit/dialog.tsx";
import { SearchField, Select } from "../../kit/fields.tsx";
import { Menu, type MenuAction } from "../../kit/menu.tsx";
import { EmptyState, showProblem, showToast, useLoaded } from "../../kit/notices.tsx";
import { Table, type TableColumn } from "../../kit/table.tsx";
import { Tag } from "../../kit/tag.tsx";
import { When } from "../../kit/when.tsx";
import { CallPage } from "./call-page.tsx";
import { useSessionNames } from "../../api/session-names.ts";

/** Without a session the list of them; with one, its newest call, or the one that the URL names. */
export function InspectPage({ params }: PageParams<"sessions" | "call">): ReactElement {
  const { id: session, n } = { n: undefined, ...params };
  if (session === undefined) return <SessionList />;
  if (n === undefined) return <NewestCall session={session} />;
  return <CallPage session={session} n={Number(n)} />;
}

/** The call that has read the entry that the URL names, with that message in sight; else the newest one. */
function NewestCall({ session }: { readonly session: string }): ReactElement {
  const text = useText(inspectText);
  const { follow, entry, drawer } = useQueryState().query;
  const { data, pending } = useLoaded("sessions.get", { params: { id: session } });
  const isWanted = entry !== undefined;
  const found = useApi("sessions.entryCall", { params: { id: session, entry: entry ?? "" } }, { isEnabled: isWanted });
  // One that cannot be found must not hide the others.
  const isKnown = !isWanted || found.data !== undefined || found.error !== null;
  const shown = isKnown ? (found.data?.n ?? data?.calls.at(-1)?.n) : undefined;
  useEffect(() => {
    if (shown === undefined) return;
    navigate(pathTo("call", { id: session, n: String(shown) }, { follow, entry, drawer }), { replace: true });
  }, [session, shown, follow, entry, drawer]);
  return (
    <Page title={text.title}>
      {pending}
      {data?.calls.length === 0 && <EmptyState title={text.noCallsTitle}>{text.noneBody}</EmptyState>}
    </Page>
  );
}

type SessionItem = RouteReply<"sessions.list">["sessions"][number];

/** The sessions that have recorded calls; each leads to its newest call. */
function SessionList(): ReactElement {
  const text = useText(inspectText);
  const { data, pending } = useLoaded("sessions.list", {});
  const [wanted, setWanted] = useState("");
  const [kind, setKind] = useState<PlaceKind | "all">("all");
  const nameOf = useSessionNames();
  const shown = (data?.sessions ?? []).filter(({ id, model = "" }) => {
    if (kind !== "all" && parsePlaceId(id).kind !== kind) return false;
    return hasWords(`${id} ${nameOf(id)} ${model}`, wanted);
  });
  return (
    <Page title={text.title}>
      {pending}
      {data?.sessions.length === 0 && (
        <EmptyState
          icon={ScanSearch}
          title={text.noneTitle}
          actions={<Link href={pathTo("chats", {})}>{text.toChats}</Link>}
        >
          {text.noneBody}
        </EmptyState>
      )}
      {data && data.sessions.length > 0 && (
        <div className="flex flex-col gap-3">
          <div className="flex flex-wrap gap-2">
            <SearchField
              label={text.search}
              value={wanted}
              onChange={setWanted}
              isPageSearch
              className="min-w-48 flex-1"
            />
            <Select<PlaceKind | "all">
              aria-label={text.kind}
              options={[
                { id: "all", label: text.allKinds },
                ...placeKinds.map((one) => ({ id: one, label: text.kindNames[one] })),
              ]}
              value={kind}
              onChange={setKind}
            />
          </div>
          {shown.length === 0 ? (
            <p className="text-muted">{text.noMatch}</p>
          ) : (
            <Sessions sessions={shown} nameOf={nameOf} />
          )}
        </div>
      )}
    </Page>
  );
}

interface SessionsProps {
  readonly sessions: readonly SessionItem[];
  readonly nameOf: (id: string) => string;
}

function Sessions({ sessions, nameOf }: SessionsProps): ReactElement {
  const text = useText(inspectText);
  const columns: readonly TableColumn<SessionItem>[] = [
    { label: text.session, cell: ({ id }) => <SessionLink id={id} name={nameOf(id)} /> },
    { label: text.calls, isNumber: true, cell: ({ calls }) => (calls > 0 ? calls : "–") },
    { label: text.model, isExtra: true, cell: ({ model }) => <span className="whitespace-nowrap">{model}</span> },
    {
      label: text.inputTokens,
      isNumber: true,
      isExtra: true,
      // What came from a log is counted once it is opened.
      cell: ({ calls, inputTokens = 0 }) => (calls > 0 ? inputTokens : "–"),
    },
    { label: text.updated, isExtra: true, cell: ({ updatedAt }) => <When at={updatedAt} /> },
    { label: text.actions, isActions: true, cell: ({ id }) => <SessionMenu id={id} name={nameOf(id)} /> },
  ];
  return <Table label={text.sessions} columns={columns} rows={sessions} rowKey={({ id }) => id} />;
}

/** By its name, with what kind of place it is; the id is in the tooltip and in the menu. */
function SessionLink({ id, name }: { readonly id: string; readonly name: string }): ReactElement {
  const text = useText(inspectText);
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
      <Link className="wrap-anywhere text-accent hover:underline" title={id} href={pathTo("sessions", { id })}>
        {name}
      </Link>
      <Tag>{text.kindTags[parsePlaceId(id).kind]}</Tag>
    </span>
  );
}

/** What can be done with a session. Chats and agents are deleted where they are kept, and tasks stay. */
function SessionMenu({ id, name }: { readonly id: string; readonly name: string }): ReactElement {
  const text = useText(inspectText);
  const words = useText(messageTexts);
  const remove = useAction("sessions.delete");
  const kind = parsePlaceId(id).kind;
  const copy: MenuAction = {
    label: words.copyId(id),
    onAction: () => void navigator.clipboard.writeText(id).catch(showProblem),
  };
  const handOver: MenuAction = { label: text.handOver, href: pathTo("boxes", {}, { from: id }) };
  return (
    <Ask
      by={(ask) => (
        <Menu
          label={text.sessionActions(name)}
          groups={[
            kind === "task" ? [copy] : [handOver, copy],
            kind === "session" ? [{ label: text.delete, isDangerous: true, onAction: ask }] : [],
          ]}
        />
      )}
      title={text.deleteTitle(name)}
      confirm={text.delete}
      isDangerous
      onConfirm={async () => {
        await remove.mutateAsync({ params: { id }, query: { confirm: id } });
        showToast({ text: text.deleted(name) });
      }}
    >
      {text.deleteBody}
    </Ask>
  );
}

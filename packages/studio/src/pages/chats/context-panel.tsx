import { Eraser, FilePlus2 } from "lucide-react";
import { type ReactElement, useDeferredValue, useState } from "react";
import { useAction, useApi } from "../../api/use-api.ts";
import { Link, navigate, useQueryState } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { did } from "../../browser/tour-state.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { classes } from "../../kit/classes.ts";
import { SearchField } from "../../kit/fields.tsx";
import { Menu } from "../../kit/menu.tsx";
import { ErrorNotice, showToast, useDeed } from "../../kit/notices.tsx";
import type { ChatData } from "./chat-pages.tsx";
import { ChatForks } from "./chat-title.tsx";
import { Ask, AskDialog } from "../../kit/dialog.tsx";
import { RecallField } from "../../place/recall-field.tsx";
import { ContextDrawer } from "../../place/context-drawer.tsx";
import { PinnedList } from "./pins.tsx";
import { NewContextDialog, RenameContextDialog } from "./context-dialogs.tsx";

interface ContextPanelProps {
  readonly chat: string;
  readonly data: ChatData;
}

/** The active context with what can be done to it, and the archived ones with their search. */
export function ContextPanel({ chat, data }: ContextPanelProps): ReactElement {
  const text = useText(chatsText);
  const { number } = useFormats();
  const [wanted, setWanted] = useState("");
  // On a small screen the conversation comes first.
  const [isOpen] = useState(() => window.matchMedia("(min-width: 64rem)").matches);
  return (
    <section
      aria-label={text.contexts}
      className="w-80 shrink-0 overflow-y-auto border-l border-line p-3 max-lg:order-first max-lg:w-full max-lg:overflow-visible max-lg:border-b max-lg:border-l-0"
    >
      <details open={isOpen}>
        <summary className="cursor-default font-semibold lg:hidden">{text.panel}</summary>
        <div className="flex flex-col gap-3 max-lg:mt-3">
          <ContextDrawer session={`chat:${chat}`}>
            <ActiveCard chat={chat} data={data} />
          </ContextDrawer>
          <details open={isOpen} className="group min-h-0">
            <summary className="mb-2 cursor-default font-semibold">
              {text.archived(number(data.contexts.length))}
            </summary>
            {data.contexts.length === 0 ? (
              <p className="text-xs text-muted">{text.noContexts}</p>
            ) : (
              <div className="flex flex-col gap-2">
                <SearchField label={text.searchContexts} value={wanted} onChange={setWanted} isPageSearch />
                <Archived chat={chat} data={data} wanted={wanted} />
              </div>
            )}
          </details>
          <ChatForks chat={chat} />
          {data.problems.map((problem) => (
            <p key={`${problem.code} ${problem.path}`} className="text-xs text-warn">
              {problem.message}
            </p>
          ))}
        </div>
      </details>
    </section>
  );
}

function ActiveCard({ chat, data }: ContextPanelProps): ReactElement {
  const text = useText(chatsText);
  const { number } = useFormats();
  const { active, contexts } = data;
  const from = contexts.find(({ contextId }) => contextId === active.recalledFrom);
  return (
    <div className="rounded-md border border-l-4 border-line border-l-accent p-3">
      <h2 className="font-semibold">{text.active}</h2>
      <p className="text-xs text-muted" data-active-count={active.messageCount}>
        {text.activeCount(number(active.messageCount))}
        {from && ` · ${text.recalledFrom(from.title)}`}
        {active.compactions > 0 && ` · ${text.compactions(number(active.compactions))}`}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <NewContext chat={chat} />
        <ClearContext chat={chat} isDisabled={active.messageCount === 0} />
      </div>
      <PinnedList chat={chat} />
      {active.compactions > 0 && (
        <div className="mt-3">
          <RecallField session={`chat:${chat}`} />
        </div>
      )}
    </div>
  );
}

function NewContext({ chat }: { readonly chat: string }): ReactElement {
  const text = useText(chatsText);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button size="small" icon={FilePlus2} onPress={() => setIsOpen(true)}>
        {text.newContext}
      </Button>
      {isOpen && <NewContextDialog chat={chat} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function ClearContext({ chat, isDisabled }: { readonly chat: string; readonly isDisabled: boolean }): ReactElement {
  const text = useText(chatsText);
  const { number } = useFormats();
  const clear = useAction("chats.clear");
  return (
    <Ask
      by={(ask) => (
        <Button size="small" icon={Eraser} isDisabled={isDisabled} onPress={ask}>
          {text.clear}
        </Button>
      )}
      title={text.clearTitle}
      confirm={text.clear}
      isDangerous
      onConfirm={async () => {
        const { removed } = await clear.mutateAsync({ params: { key: chat } });
        showToast({ text: text.cleared(number(removed)) });
      }}
    >
      {text.clearBody}
    </Ask>
  );
}

interface ArchivedProps extends ContextPanelProps {
  readonly wanted: string;
}

/** All of them, newest first; or what the search finds, best first, with the words around the match. */
function Archived({ chat, data, wanted }: ArchivedProps): ReactElement {
  const text = useText(chatsText);
  const q = useDeferredValue(wanted.trim());
  const found = useApi(
    "chats.search",
    { params: { key: chat }, query: { q: q || " ", limit: 50 } },
    { isEnabled: q !== "", keepPrevious: true },
  );
  if (q !== "" && found.error) return <ErrorNotice error={found.error} />;
  const matches = q === "" ? [] : (found.data?.matches ?? []);
  const snippets = new Map(matches.map(({ contextId, snippet }) => [contextId, snippet]));
  const items = q === "" ? data.contexts : matches;
  if (items.length === 0) return <p className="text-xs text-muted">{text.noContextMatch}</p>;
  return (
    <ul className="flex flex-col gap-2">
      {items.map((item) => (
        <li key={item.contextId}>
          <ContextCard chat={chat} context={item} snippet={snippets.get(item.contextId) ?? item.summaryPreview} />
        </li>
      ))}
    </ul>
  );
}

interface ContextCardProps {
  readonly chat: string;
  readonly context: ChatData["contexts"][number];
  /** The words around a match, or the beginning of the summary. */
  readonly snippet: string;
}

/** One archived context: what it was about, and a menu with what can be done with it. */
function ContextCard({ chat, context, snippet }: ContextCardProps): ReactElement {
  const text = useText(chatsText);
  const { number, moment } = useFormats();
  const { query } = useQueryState();
  const isShown = query["context"] === context.contextId;
  return (
    <article
      className={classes(
        "rounded-md border px-3 py-2",
        isShown ? "border-accent bg-accent-soft" : "border-line bg-raised",
      )}
    >
      <div className="flex items-start gap-1">
        <Link
          className="min-w-0 flex-1 font-medium hover:underline"
          href={pathTo("chats", { key: chat }, { ...query, context: context.contextId })}
        >
          {context.title}
        </Link>
        <span className="-mt-1 -mr-1.5 -mb-1">
          <ContextMenu chat={chat} context={context} />
        </span>
      </div>
      <p className="text-xs text-muted">
        {text.messages(number(context.messageCount))} · {moment(context.archivedAt)}
      </p>
      {snippet && <p className="mt-1 line-clamp-2 text-xs text-muted">{snippet}</p>}
    </article>
  );
}

/** Loading, renaming and deleting; the same wherever a context is shown. */
export function ContextMenu({ chat, context }: Omit<ContextCardProps, "snippet">): ReactElement {
  const text = useText(chatsText);
  const [asks, setAsks] = useState<"rename" | "delete" | undefined>();
  const load = useLoad(chat);
  const remove = useAction("chats.deleteContext");
  const params = { key: chat, contextId: context.contextId };
  const modes = ["full", "recent", "summary"] as const;
  return (
    <>
      <Menu
        label={`${text.more}: ${context.title}`}
        groups={[
          modes.map((mode) => ({ label: text.loadModes[mode], onAction: () => load(context.contextId, mode) })),
          [
            { label: text.rename, onAction: () => setAsks("rename") },
            { label: text.delete, isDangerous: true, onAction: () => setAsks("delete") },
          ],
        ]}
      />
      {asks === "rename" && (
        <RenameContextDialog
          chat={chat}
          contextId={context.contextId}
          title={context.title}
          onClose={() => setAsks(undefined)}
        />
      )}
      {asks === "delete" && (
        <AskDialog
          title={text.deleteContextTitle}
          confirm={text.delete}
          isDangerous
          onClose={() => setAsks(undefined)}
          onConfirm={async () => {
            const { removedCopies } = await remove.mutateAsync({ params, query: { confirm: context.contextId } });
            showToast({ text: text.deleted(removedCopies.length > 0) });
          }}
        >
          {text.deleteContextBody(context.title)}
        </AskDialog>
      )}
    </>
  );
}

type Load = (contextId: string, mode: "full" | "recent" | "summary") => void;

/** Brings a context back and shows the conversation again. */
export function useLoad(chat: string): Load {
  const text = useText(chatsText);
  const { number } = useFormats();
  const load = useDeed("chats.load");
  return (contextId, mode) =>
    load.run({ params: { key: chat }, body: { contextId, mode } }, ({ loaded }) => {
      if (loaded) did("back");
      showToast({ text: loaded ? text.loaded(loaded.title, number(loaded.messageCount)) : text.notLoaded });
      navigate(pathTo("chats", { key: chat }));
    });
}

import { Eraser, FilePlus2 } from "lucide-react";
import { type ReactElement, useDeferredValue, useState } from "react";
import { useAction, useApi } from "../../api/use-api.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { ErrorNotice } from "../../kit/error-notice.tsx";
import { SearchField } from "../../kit/search-field.tsx";
import { showToast } from "../../kit/toast.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { ContextCard } from "./context-card.tsx";
import { TitleDialog } from "./title-dialog.tsx";
import type { ChatData } from "./chat-data.ts";

export interface ContextPanelProps {
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
      className="flex w-72 shrink-0 flex-col gap-3 overflow-y-auto border-r border-line p-3 max-lg:w-full max-lg:overflow-visible max-lg:border-r-0 max-lg:border-b"
    >
      <ActiveCard chat={chat} data={data} />
      <details open={isOpen} className="group min-h-0">
        <summary className="mb-2 cursor-default font-semibold">{text.archived(number(data.contexts.length))}</summary>
        {data.contexts.length === 0 ? (
          <p className="text-xs text-muted">{text.noContexts}</p>
        ) : (
          <div className="flex flex-col gap-2">
            <SearchField label={text.searchContexts} value={wanted} onChange={setWanted} isPageSearch />
            <Archived chat={chat} data={data} wanted={wanted} />
          </div>
        )}
      </details>
      {data.problems.map((problem) => (
        <p key={`${problem.code} ${problem.path}`} className="text-xs text-warn">
          {problem.message}
        </p>
      ))}
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
    </div>
  );
}

function NewContext({ chat }: { readonly chat: string }): ReactElement {
  const text = useText(chatsText);
  const [isOpen, setIsOpen] = useState(false);
  const begin = useAction("chats.new");
  return (
    <>
      <Button size="small" onPress={() => setIsOpen(true)}>
        <FilePlus2 aria-hidden size={14} />
        {text.newContext}
      </Button>
      {isOpen && (
        <TitleDialog
          title={text.newContext}
          body={text.newContextBody}
          label={text.contextTitle}
          hint={text.contextTitleHint}
          initial=""
          confirm={text.start}
          onClose={() => setIsOpen(false)}
          onConfirm={async (title) => {
            const { archived } = await begin.mutateAsync({ params: { key: chat }, body: title ? { title } : {} });
            showToast({ text: archived ? text.putAway(archived.title) : text.nothingPutAway });
          }}
        />
      )}
    </>
  );
}

function ClearContext({ chat, isDisabled }: { readonly chat: string; readonly isDisabled: boolean }): ReactElement {
  const text = useText(chatsText);
  const { number } = useFormats();
  const [isOpen, setIsOpen] = useState(false);
  const clear = useAction("chats.clear");
  return (
    <>
      <Button size="small" isDisabled={isDisabled} onPress={() => setIsOpen(true)}>
        <Eraser aria-hidden size={14} />
        {text.clear}
      </Button>
      <ConfirmDialog
        title={text.clearTitle}
        body={text.clearBody}
        confirm={text.clear}
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        onConfirm={async () => {
          const { removed } = await clear.mutateAsync({ params: { key: chat } });
          showToast({ text: text.cleared(number(removed)) });
        }}
      />
    </>
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

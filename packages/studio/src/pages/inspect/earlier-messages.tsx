import { useQuery } from "@tanstack/react-query";
import type { LedgerRow, SessionEntry } from "@galley/engine";
import { describeRow } from "@galley/engine/proof";
import { type ReactElement, type RefObject, useDeferredValue, useMemo, useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { inspectText } from "../../i18n/inspect.ts";
import { messageTexts, notSentText } from "../../i18n/message.ts";
import { useFormats, useLanguage, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { SearchField } from "../../kit/fields.tsx";
import { ErrorNotice, Spinner, useLoaded } from "../../kit/notices.tsx";
import { countRows } from "../../message/not-sent-list.tsx";
import { VirtualList } from "../../message/virtual-list.tsx";
import { hasSettings, placeOf } from "../../place/place-of.ts";
import type { Call } from "./call-summary.tsx";
import { fateOf } from "./earlier-fates.ts";
import type { RouteReply } from "galley/api";
import { chatKeyOf, parsePlaceId } from "galley/api/client";
import { call as ask } from "../../api/call.ts";
import { pagesBack } from "../../api/pages-back.ts";
import { messageText } from "../../message/message-blocks.ts";

interface EarlierMessagesProps {
  readonly call: Call;
  readonly scroll: RefObject<HTMLElement | null>;
}

/** The messages that one row of the ledger stands for, once somebody asks for them. */
export function EarlierMessages({ call, scroll }: EarlierMessagesProps): ReactElement | null {
  const text = useText(inspectText);
  const { number } = useFormats();
  const [isOpen, setIsOpen] = useState(false);
  const count = countRows(earlierRows(call));
  if (count === 0 || !hasSettings(call.session)) return null;
  if (isOpen) return <EarlierList call={call} scroll={scroll} />;
  return (
    <div className="border-b border-line p-3">
      <Button size="small" onPress={() => setIsOpen(true)}>
        {text.showEarlier(number(count))}
      </Button>
    </div>
  );
}

/** Steps of earlier turns that a chat does not keep are counted, and nowhere to be read. */
function earlierRows({ ledger }: Pick<Call, "ledger">): Call["ledger"] {
  return ledger.filter(({ kind, id }) => kind === "earlier" && id !== "tool-steps");
}

function EarlierList({ call, scroll }: EarlierMessagesProps): ReactElement {
  const text = useText(inspectText);
  const words = useText(messageTexts);
  const reasons = useText(notSentText);
  const language = useLanguage();
  const { number } = useFormats();
  const { session, n } = call;
  const { data, error, refetch } = useQuery({
    queryKey: ["chats.active", { session, n }, "earlier"],
    queryFn: ({ signal }) => readEarlier(call, countRows(earlierRows(call)), signal),
  });
  const cuts = useApi("sessions.compactions", { params: { id: session } }).data?.compactions;
  const [wanted, setWanted] = useState("");
  const asked = useDeferredValue(wanted.trim().toLowerCase());
  const found = useMemo(() => {
    const earlier = (data ?? []).map((message, at) => ({ ...message, at }));
    return asked === "" ? earlier : earlier.filter((message) => message.text.toLowerCase().includes(asked));
  }, [data, asked]);
  const rows = earlierRows(call);
  const because = (row: LedgerRow | undefined): string =>
    (row && describeRow(row, language, { recipe: call.recipe?.id }).because) ?? "";
  return (
    <section aria-label={text.earlierMessages} className="border-b border-line">
      <div className="flex flex-wrap items-center gap-3 p-3">
        <SearchField label={text.searchEarlier} value={wanted} onChange={setWanted} className="min-w-48 flex-1" />
        <span role="status" className="text-xs text-muted">
          {data && text.earlierFound(number(found.length), number(data.length))}
        </span>
      </div>
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : !data && <Spinner />}
      {data?.length === 0 && <p className="px-3 pb-3 text-muted">{text.earlierElsewhere}</p>}
      <VirtualList
        label={text.earlierMessages}
        items={found}
        scroll={scroll}
        estimate={60}
        itemKey={({ id }, index) => `${index} ${id}`}
      >
        {({ at, role, text: said }) => (
          <div className="border-b border-line px-3 py-1.5">
            <p className="line-clamp-3 wrap-anywhere">
              <span className="mr-2 font-mono text-xs text-muted">
                {at + 1} {words.roles[role]}
              </span>
              {said}
            </p>
            <p className="text-xs text-muted">{reasons.because(because(fateOf(at, rows, cuts ?? [])))}</p>
          </div>
        )}
      </VirtualList>
    </section>
  );
}

/** Everything that was said in a place: a plain session has a log of its own, of which a turn reads the end only. */
export function useLog(
  session: string,
  isWanted: boolean,
): {
  readonly entries: readonly SessionEntry[] | undefined;
  readonly pending: ReactElement | undefined;
} {
  const isPlain = parsePlaceId(session).kind === "session";
  const log = useLoaded("sessions.entries", { params: { id: session } }, { isEnabled: isWanted && isPlain });
  const next = useLoaded("turns.preview", { query: placeOf(session) }, { isEnabled: isWanted && !isPlain });
  const { data, pending } = isPlain ? log : next;
  return { entries: data?.entries, pending };
}

interface EarlierMessage {
  readonly id: string;
  readonly role: Call["messages"][number]["role"];
  readonly text: string;
}

const maxText = 600;
/** The most that the daemon gives at once. */
const limit = 1000;

/** The `count` messages that stand before the first one that the call has a row of its own for, oldest first. */
async function readEarlier(
  { session, ledger }: Pick<Call, "session" | "ledger">,
  count: number,
  signal: AbortSignal,
): Promise<readonly EarlierMessage[]> {
  const known = new Set(ledger.flatMap(({ kind, id }) => (kind === "message" ? [id] : [])));
  const key = chatKeyOf(parsePlaceId(session));
  if (key === undefined) {
    const { entries } = await ask("sessions.entries", { params: { id: session } }, { signal });
    const first = entries.findIndex(({ id }) => known.has(id));
    return entries.slice(0, Math.max(0, first)).flatMap(ofEntry);
  }
  // What a cut carries on stands behind what left; the first that was said after it is found from the end.
  const active = await readPages("chats.active", key, count, signal, (id) => known.has(id));
  // The context may have been put away since; the transcript keeps everything.
  return active.length > 0 ? active : readPages("chats.transcript", key, count, signal, (id) => known.has(id));
}

/** Reads backwards, leaves out what is known and what was said later, and stops at `count`. */
async function readPages(
  name: "chats.active" | "chats.transcript",
  key: string,
  count: number,
  signal: AbortSignal,
  isKnown: (id: string) => boolean,
): Promise<readonly EarlierMessage[]> {
  const earlier: EarlierMessage[] = [];
  let hasMetKnown = false;
  for await (const messages of pagesBack(name, key, limit, signal)) {
    for (const message of messages.toReversed()) {
      if (isKnown(message.id)) hasMetKnown = true;
      else if (hasMetKnown && earlier.length < count) earlier.push(ofChat(message));
    }
    if (earlier.length >= count) break;
  }
  return earlier.reverse();
}

function ofChat({ id, role, content }: RouteReply<"chats.active">["messages"][number]): EarlierMessage {
  return { id, role, text: messageText(content).slice(0, maxText) };
}

function ofEntry(entry: SessionEntry): readonly EarlierMessage[] {
  if (entry.type !== "message") return [];
  const { id, message } = entry;
  return [{ id, role: message.role, text: messageText(message.content).slice(0, maxText) }];
}

import { GalleyError, type JsonValue, type MessageEntry, type SessionEntry, growList, view } from "@galley/engine";
import { entriesOfLine } from "../../chat/lines/session-entries.ts";
import { movedOn } from "../../chat/contexts/context-stamp.ts";
import type { Services } from "../services/services.ts";
import { pathOf } from "../services/session-path.ts";
import { entryIdOf, ownMessages } from "./own-messages.ts";
import { type ReturnsPlace, openReturns } from "./returned-results.ts";
import { withoutOwnMessages } from "./own-decisions.ts";
import type { AnsweredLog, PlaceRequest } from "./turn-place.ts";

/**
 * A turn in a plain session: one log in the store. Every entry has an id from the run, so that writing it again adds nothing
 * [M3]. Nothing that was said is written before the commit [T6]. What the first build decided about the history is: a summary
 * that was paid for is not made again when the turn fails.
 */
export async function openSessionPlace(parts: Services, session: string, request: PlaceRequest): Promise<AnsweredLog> {
  const { runId, inputTs, branch, resumed } = request;
  const { sessions, redactor } = parts;
  // A branch may begin anywhere, and what a run of an earlier version wrote may lie far back.
  const opened = await (branch || resumed ? sessions.read(session) : sessions.recent(session));
  const idOf = (what: string | number): string => entryIdOf(runId, what);
  const own = ownMessages(opened, request);
  const { steps, written } = own;
  const marker = own.marker ? [own.marker] : [];
  const place = returnsTo(session, () => sessions.read(session));
  const returns = await openReturns(parts, request, place);
  const carried = own.marker && branch?.kind === "edit" ? carriedResults(opened, own.marker, idOf) : [];
  const fresh = redactor.redact(returns.lines.flatMap((line) => entriesOfLine(line)));
  const results = [...carried, ...fresh];
  const early = [...marker, ...results, ...own.taken()];
  let log = early.length === 0 ? opened : growList(opened, early);
  let isCommitted = false;
  return {
    session,
    anchor: idOf("reply"),
    entries: () => log,
    take: (entry) => void (log = growList(log, [entry])),
    pending: () => own.pending(),
    async keepDecisions(entries) {
      log = growList(log, entries);
      own.take(entries);
      const decisions = entries.filter(({ type }) => type !== "message");
      if (steps.length > 0 || branch) return own.hold(decisions);
      const isStep = (id: string): boolean => results.some((entry) => entry.id === id);
      const early = decisions.flatMap((entry) => withoutOwnMessages(entry, { inputId: idOf(0), isStep }) ?? []);
      if (early.length > 0) await sessions.append(session, redactor.redact(early));
    },
    steps: () => steps,
    add: (messages) => void steps.push(...messages),
    switches: () => 0,
    nextTime: parts.now,
    state: (): JsonValue => own.state(),
    async commit({ reply, ts, isStopped, onConflict }) {
      const end: SessionEntry[] = [{ id: idOf("reply"), ts, type: "message", message: reply }];
      if (isStopped) end.push({ id: idOf("stopped"), ts, type: "stopped", entryId: idOf("reply") });
      log = await appendExchange(sessions, session, {
        opened,
        isMovedBy: ({ type, id }) => type === "message" && !written.has(id) && id !== idOf("reply"),
        entries(isMoved, present) {
          if (isMoved && onConflict === "fail") throw movedOn(true);
          // Another turn may have recorded them since [A1].
          const missing = fresh.filter(({ id }) => !present.some((entry) => entry.id === id));
          // Branch and decisions were made for another list than the one that is there now.
          const said = isMoved ? [...missing, ...own.alone()] : [...marker, ...carried, ...missing, ...own.all()];
          return redactor.redact([...said, ...end]);
        },
      });
      isCommitted = true;
      await returns.committed();
    },
    async fail() {
      if (isCommitted || written.has(idOf("reply"))) throw answered(session);
      await returns.failed();
      const ids = ["branch", 0, ...steps.map((_, index) => index + 1)].map(idOf);
      await undoEarlier(parts, session, { opened, ids, failedId: idOf("failed"), ts: inputTs });
    },
  };
}

interface NewExchange {
  readonly opened: readonly SessionEntry[];
  readonly isMovedBy: (entry: SessionEntry) => boolean;
  /** What is written, by whether the session has got a message since the turn was opened. */
  readonly entries: (isMoved: boolean, present: readonly SessionEntry[]) => readonly SessionEntry[];
}

/** Appends an exchange behind exactly what it was compared with; where somebody was faster, it is compared again. */
async function appendExchange(
  sessions: Services["sessions"],
  session: string,
  { opened, isMovedBy, entries }: NewExchange,
): Promise<readonly SessionEntry[]> {
  const last = opened.at(-1)?.id;
  for (;;) {
    const present = await sessions.recent(session);
    const since = present.slice(opened.length === 0 ? 0 : present.findLastIndex(({ id }) => id === last) + 1);
    try {
      return await sessions.append(session, entries(since.some(isMovedBy), present), present.at(-1)?.id ?? null);
    } catch (error) {
      // A race for the tail is not a conflict that the caller could solve.
      const isRace = error instanceof GalleyError && error.code === "SessionConflict" && error.path !== "onConflict";
      if (!isRace) throw error;
    }
  }
}

/** A session as the place that results return to: a call is there if the reply of its turn is on the active path. */
function returnsTo(session: string, read: () => Promise<readonly SessionEntry[]>): ReturnsPlace {
  return {
    place: `session:${session}`,
    recorded: async () =>
      new Set((await read()).flatMap((entry) => (entry.type === "result" ? [entry.taskId ?? ""] : []))),
    find: async (anchor, cutFrom) => {
      const ids = pathOf(await read()).map(({ id }) => id);
      const at = ids.lastIndexOf(anchor);
      if (at < 0) return undefined;
      const cut = cutFrom === undefined ? -1 : ids.lastIndexOf(cutFrom);
      return cut < 0 || at < cut ? "active" : "cut";
    },
  };
}

/** Results that an edit leaves behind although what asked for them stays: the new branch gets them too, as in a chat [A1b]. */
function carriedResults(
  log: readonly SessionEntry[],
  { parentId }: SessionEntry,
  idOf: (what: string) => string,
): readonly SessionEntry[] {
  const stays = new Set(pathOf(log, parentId).map(({ id }) => id));
  return pathOf(log).flatMap((entry): SessionEntry[] => {
    if (entry.type !== "result" || stays.has(entry.id) || !stays.has(entry.anchor ?? "")) return [];
    const { parentId: _, ...rest } = entry;
    return [{ ...rest, id: idOf(`result ${entry.taskId}`) }];
  });
}

interface EarlierRun {
  readonly opened: readonly SessionEntry[];
  readonly ids: readonly string[];
  readonly failedId: string;
  readonly ts: number;
}

/** A run of an earlier version wrote its question before it had a reply: what comes next follows the reply before it. */
async function undoEarlier(
  { sessions }: Services,
  session: string,
  { opened, ids, failedId, ts }: EarlierRun,
): Promise<void> {
  const first = opened.findIndex(({ id }) => ids.includes(id));
  if (first < 0 || opened.slice(first).some(({ type, id }) => type === "message" && !ids.includes(id))) return;
  const parentId = opened[first - 1]?.id ?? null;
  await sessions.append(session, [{ id: failedId, ts, type: "custom", kind: "branch", parentId }]);
}

function answered(session: string): GalleyError {
  return new GalleyError("EditNotAllowed", `The turn has its reply in the session ${JSON.stringify(session)} already.`);
}

export function lastUserEntry(log: readonly SessionEntry[]): MessageEntry | undefined {
  return view(log).messages.findLast(({ type, message }) => type === "message" && message.role === "user");
}

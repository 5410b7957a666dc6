import { hash } from "node:crypto";
import {
  type CustomEntry,
  GalleyError,
  type InputMessage,
  type ModelMessage,
  type SessionEntry,
  view,
} from "@galley/engine";
import type { Services } from "../services/services.ts";
import type { AnsweredLog, PlaceRequest } from "./turn-place.ts";

/**
 * A turn in a plain session: one log in the store. Every entry has an id from the run, so that writing it again adds nothing
 * [M3]. What a turn leaves behind without a reply is a branch that nothing follows [M6].
 */
export async function openSessionPlace(parts: Services, session: string, request: PlaceRequest): Promise<AnsweredLog> {
  const { runId, input, inputTs, branch, resumed } = request;
  const { sessions } = parts;
  const idOf = (what: string | number): string => `e_${hash("sha256", `${runId}/${what}`, "hex").slice(0, 24)}`;
  const marker = (what: string, parentId: string | null): CustomEntry => {
    return { id: idOf(what), ts: inputTs, type: "custom", kind: "branch", parentId };
  };
  let log = await sessions.read(session);
  const firstOwn = log.findIndex(({ id }) => id === idOf("branch") || id === idOf(0));
  const before = firstOwn < 0 ? (log.at(-1)?.id ?? null) : (log[firstOwn - 1]?.id ?? null);
  if (branch) log = await sessions.append(session, [marker("branch", parentOf(log, branch.from, branch.kind))]);
  const isAnswered = branch?.kind === "regenerate";
  const steps: ModelMessage[] = [...(resumed?.steps ?? [])];
  const own = (): readonly InputMessage[] => [
    ...(isAnswered ? [] : [{ ...input, id: idOf(0) }]),
    ...steps.map((message, index): InputMessage => ({ ...message, id: idOf(index + 1) })),
  ];
  const timed = (entries: readonly SessionEntry[]): SessionEntry[] =>
    entries.map((entry) => (entry.type === "message" ? { ...entry, ts: inputTs } : entry));
  return {
    session,
    entries: () => log,
    pending: () => {
      const written = new Set(log.map(({ id }) => id));
      return own().filter(({ id }) => id === undefined || !written.has(id));
    },
    async keepDecisions(entries) {
      log = await sessions.append(session, parts.redactor.redact(timed(entries)));
    },
    steps: () => steps,
    add: (messages) => void steps.push(...messages),
    switches: () => 0,
    nextTime: parts.now,
    async commit(reply, ts) {
      const rest = own().filter(({ id }) => !log.some((entry) => entry.id === id));
      const entries: SessionEntry[] = rest.map(({ id = "", ...message }) => ({
        id,
        ts: inputTs,
        type: "message",
        message,
      }));
      entries.push({ id: idOf("reply"), ts, type: "message", message: reply });
      log = await sessions.append(session, parts.redactor.redact(entries));
    },
    async fail() {
      log = await sessions.read(session);
      if (log.some(({ id }) => id === idOf("reply"))) throw answered(session);
      if (!isLast(log, new Set([idOf("branch"), ...own().map(({ id = "" }) => id)]))) return;
      // Back to where it began: what comes next follows the last reply that there was.
      if (log.at(-1)?.id !== before) log = await sessions.append(session, [marker("failed", before)]);
    },
  };
}

/** Whether no other message stands behind these entries: going back before them would hide it as well. */
function isLast(log: readonly SessionEntry[], ids: ReadonlySet<string>): boolean {
  const first = log.findIndex(({ id }) => ids.has(id));
  return first >= 0 && log.slice(first).every(({ type, id }) => type !== "message" || ids.has(id));
}

function answered(session: string): GalleyError {
  return new GalleyError("EditNotAllowed", `The turn has its reply in the session ${JSON.stringify(session)} already.`);
}

/** What a branch follows: the message that is regenerated, or what stood before one that is edited. */
function parentOf(log: readonly SessionEntry[], from: string, kind: "regenerate" | "edit"): string | null {
  const at = log.findIndex((entry) => entry.id === from);
  const entry = log[at];
  if (!entry) {
    const hint = "The entries of the session have their ids beside them.";
    throw new GalleyError("NotFound", `The session has no entry ${JSON.stringify(from)}.`, { path: "messageId", hint });
  }
  if (kind === "regenerate") return from;
  return entry.parentId === undefined ? (log[at - 1]?.id ?? null) : entry.parentId;
}

/** The last message of the user on the active branch. */
export function lastUserEntry(log: readonly SessionEntry[]): (SessionEntry & { readonly type: "message" }) | undefined {
  return view(log).messages.findLast(({ message }) => message.role === "user");
}

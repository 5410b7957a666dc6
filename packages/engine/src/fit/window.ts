import type { MessageEntry, SessionEntry } from "../model/entries.ts";
import type { BuildRequest } from "./build-request.ts";
import { checkEntry, isPlainMessage } from "./check-entry.ts";
import type { Limits } from "./limits.ts";
import { leastTokens, shapeOf } from "./measure.ts";
import { type Normalized, normalize } from "./normalize.ts";
import { type SessionView, view } from "./view.ts";
import type { KnownWindow } from "./window-memory.ts";

/** The part of a session that a build may send. */
export interface Window {
  readonly view: SessionView;
  readonly normalized: Normalized;
  /** Older messages that no build under the limit can reach: their number alone is too high. */
  readonly beyond: readonly MessageEntry[];
  /** What is known from the build before, when this one only adds to it. */
  readonly known: KnownWindow | undefined;
}

/** Reads the window from the log. Only what may be sent is checked, normalised and looked at closely. */
export function openWindow({ entries, added, leafId }: BuildRequest, limits: Limits): Window {
  const seen = view(entries, { ...(added ? { added } : {}), ...(leafId === undefined ? {} : { leafId }) });
  for (const entry of [seen.compaction, ...seen.injections.map((injection) => injection.entry)]) {
    if (entry) checkEntry(entry, entries);
  }
  const start = tailStart(seen.messages, limits, entries);
  const tail = start === 0 ? seen.messages : seen.messages.slice(start);
  return { view: seen, normalized: normalize(tail), beyond: seen.messages.slice(0, start), known: undefined };
}

/**
 * Where the messages begin that may still fit: before it lie those for which there is no room even if every text were empty.
 * That saves looking closely at ten thousand messages to learn that they are too many. Turns stay whole, and the last user
 * message is always within.
 */
function tailStart(messages: readonly MessageEntry[], limits: Limits, entries: readonly SessionEntry[]): number {
  let tokens = 0;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const entry = messages[index] as MessageEntry;
    if (!isPlainMessage(entry)) checkEntry(entry, entries);
    tokens += leastTokens(entry.message);
    const isUser = entry.message.role === "user" && !shapeOf(entry.message).isBlank;
    if (tokens > limits.tokens && isUser) return index;
  }
  return 0;
}

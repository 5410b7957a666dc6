import { canonicalMessage } from "../model/canonical-message.ts";
import type { CompactionEntry, MessageEntry } from "../model/entries.ts";
import { sha256Hex } from "../model/sha256.ts";
import type { JsonValue } from "../model/messages.ts";

/**
 * What a call of `fit` decided, as plain JSON: pass it to the next call on the same list, and what was cut stays cut, so
 * that a provider's cache stays valid. Keep it where the conversation is kept.
 */
export interface FitMemory {
  readonly version: 1;
  /** How many messages of the list the decision speaks of, and their fingerprint. */
  readonly messages: number;
  readonly seal: string;
  /** What the fit decided; nothing while everything was sent. */
  readonly decision?: StoredDecision;
}

/** A compaction whose messages are named rather than repeated: the list still has them. */
interface StoredDecision extends Omit<CompactionEntry, "carried" | "ts" | "type" | "injections"> {
  readonly carried: readonly string[];
}

export const memoryVersion = 1;

/** Fingerprints of the beginnings of a list; each message is looked at once. */
export interface Seals {
  /** Of this many entries from the front. */
  of(count: number): string;
}

export function sealsOf(entries: readonly MessageEntry[]): Seals {
  const seals: string[] = [""];
  return {
    of(count) {
      for (let index = seals.length; index <= count; index += 1) {
        const entry = entries[index - 1];
        // The number of the message belongs to it: its id says where in the list it stands.
        const text = entry ? `${entry.id} ${canonicalMessage(entry.message, {})}` : "";
        seals.push(sha256Hex(`${seals[index - 1]} ${text}`));
      }
      return seals[count] as string;
    },
  };
}

/** The entries of a list, with their fingerprints and the index of each by its id. */
export interface SealedList {
  readonly entries: readonly MessageEntry[];
  readonly seals: Seals;
  readonly indexOf: ReadonlyMap<string, number>;
}

/** The memory of a decision about these entries. */
export function memoryOf(decision: CompactionEntry, { entries, seals, indexOf }: SealedList): FitMemory {
  const { ts: _ts, type: _type, injections: _injections, carried = [], ...rest } = decision;
  // Everything that the decision speaks of: behind it, messages may change without it becoming wrong.
  const spoken = [
    decision.firstKeptEntryId,
    decision.maskedBefore,
    ...(decision.shrunk ?? []).map((cut) => cut.entryId),
  ];
  const last = Math.max(
    0,
    ...[...spoken, ...carried.map((entry) => entry.id)].map((each) => indexOf.get(each ?? "") ?? 0),
  );
  const count = decision.firstKeptEntryId === null ? entries.length : last;
  return {
    version: memoryVersion,
    messages: count,
    seal: seals.of(count),
    decision: { ...rest, carried: carried.map((entry) => entry.id) },
  };
}

/** The decision of a memory, if it is one of this version that was made for the list; else nothing. */
export function recallDecision(memory: unknown, { entries, seals, indexOf }: SealedList): CompactionEntry | undefined {
  if (!isMemory(memory) || memory.decision === undefined || memory.messages > entries.length) return undefined;
  if (seals.of(memory.messages) !== memory.seal) return undefined;
  const { carried: ids, ...rest } = memory.decision;
  const carried = ids.flatMap((id) => entries[indexOf.get(id) ?? -1] ?? []);
  if (carried.length < ids.length) return undefined;
  if (rest.firstKeptEntryId !== null && !indexOf.has(rest.firstKeptEntryId)) return undefined;
  return { ...rest, type: "compaction", ts: 0, carried };
}

function isMemory(memory: unknown): memory is FitMemory {
  if (typeof memory !== "object" || memory === null) return false;
  const { version, messages, seal, decision } = memory as Record<string, JsonValue | undefined>;
  if (version !== memoryVersion || !Number.isSafeInteger(messages) || Number(messages) < 0 || typeof seal !== "string")
    return false;
  if (decision === undefined) return true;
  if (typeof decision !== "object" || decision === null) return false;
  const { id, carried, firstKeptEntryId } = decision as Record<string, JsonValue | undefined>;
  const isId = (value: unknown): boolean => typeof value === "string";
  if (!isId(id) || !Array.isArray(carried) || !carried.every(isId)) return false;
  return firstKeptEntryId === null || isId(firstKeptEntryId);
}

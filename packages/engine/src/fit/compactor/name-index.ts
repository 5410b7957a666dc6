import type { NameIndex, NameRow } from "../../model/entries.ts";
import { isRecallTool } from "../../model/handle.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { addNames, saidIn } from "../../model/names.ts";

/** A message that an index has not read yet. */
export interface UnreadMessage {
  readonly message: ModelMessage;
  /** About how large it is: how old a name is, is told in tokens. */
  readonly tokens: number;
  /** Which message of the log it is, from 1. */
  readonly ordinal: number;
}

export interface IndexOptions {
  readonly maxRows: number;
  /** How many tokens are sent at most: how old a name is, is told in windows. */
  readonly window: number;
}

/** The index before with what has been said since, the most likely names first [R3]. Each message is read once. */
export function* growIndex(
  before: NameIndex | undefined,
  unread: readonly UnreadMessage[],
  { maxRows, window }: IndexOptions,
): Generator<undefined, NameIndex> {
  const said = new Map<string, NewUses>();
  let tokens = before?.tokens ?? 0;
  for (const { message, tokens: size, ordinal } of unread) {
    yield;
    tokens += size;
    if (isRecalled(message)) continue;
    const isSaid = message.role === "user" || message.role === "assistant" ? 1 : 0;
    for (const name of likelyNames(message)) {
      const found = said.get(name);
      if (!found) said.set(name, { said: isSaid, uses: 1, tokens, ordinal });
      else {
        found.said += isSaid;
        found.uses += 1;
        found.tokens = tokens;
        found.ordinal = ordinal;
      }
    }
  }
  yield;
  return { rows: rank(addUses(before?.rows ?? [], said), tokens, window, maxRows), tokens };
}

/** How a name was used in what is new. */
interface NewUses {
  said: number;
  uses: number;
  tokens: number;
  ordinal: number;
}

/** A row of the index before is never changed, and one that nothing has touched is carried on as it is. */
function addUses(before: readonly NameRow[], found: Map<string, NewUses>): NameRow[] {
  const rows = before.map((row): NameRow => {
    const [name, said, uses] = row;
    const more = found.get(name);
    if (!more) return row;
    found.delete(name);
    return [name, said + more.said, uses + more.uses, more.tokens, more.ordinal];
  });
  for (const [name, { said, uses, tokens, ordinal }] of found) rows.push([name, said, uses, tokens, ordinal]);
  return rows;
}

/** What was recalled stands in the log at its own place. */
function isRecalled({ role, content }: ModelMessage): boolean {
  if (role !== "tool") return false;
  return content.every((part) => part.type === "tool-result" && isRecallTool(part.toolName));
}

/**
 * By how likely a name is to be needed, for what it costs. What people and models said comes back far more often than what was
 * only read, and what was said lately more often than what is old. The decision about the index has the ablation.
 */
function rank(rows: readonly NameRow[], now: number, window: number, max: number): readonly NameRow[] {
  const ranked: { readonly score: number; readonly row: NameRow }[] = [];
  for (const row of rows) {
    const [name, said, uses, last] = row;
    const worth = (said > 0 ? 10 * Math.sqrt((1 + said) * uses) : uses / 2) / (1 + (now - last) / window);
    ranked.push({ score: (isNumber(name) ? worth / 2 : worth) / (1 + name.length / 4), row });
  }
  ranked.sort((a, b) => b.score - a.score || (a.row[0] < b.row[0] ? -1 : 1));
  return ranked.slice(0, max).map(({ row }) => row);
}

/** Numbers, versions, dates and addresses of machines: fewer of them come back. */
function isNumber(name: string): boolean {
  return isDigit(name.charCodeAt(0)) && isDigit(name.charCodeAt(name.length - 1));
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

// Messages never change: the index and the look at what is kept ask for the same ones.
const known = new WeakMap<ModelMessage, ReadonlySet<string>>();

/** The names of a message that somebody may say again. */
export function likelyNames(message: ModelMessage): ReadonlySet<string> {
  const found = known.get(message);
  if (found) return found;
  const names = new Set<string>();
  addNames(saidIn(message), names);
  for (const name of names) if (isNoise(name)) names.delete(name);
  known.set(message, names);
  return names;
}

/** Hashes, keys and ids that a program drew, times of day: nobody says them again. A short hash may name a commit. */
function isNoise(name: string): boolean {
  const { length } = name;
  if (length > 12 && /^[\da-f-]+$/i.test(name)) return true;
  if (length > 32 && name.match(/[a-z\d]{32,}/gi)?.some((run) => /\d/.test(run))) return true;
  return length < 30 && /^(?:\d{1,2}:\d\d(?::\d\d)?|\d{4}-\d\d-\d\dT.*)$/.test(name);
}

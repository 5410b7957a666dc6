import type { NameIndex, NameRow } from "../../model/entries.ts";
import { isRecallTool } from "../../model/handle.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { addNames, saidIn } from "../../model/names.ts";
import { highestFirst } from "./highest-first.ts";

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

/** A row that still grows, and what is remembered of it while a program runs. */
export interface KnownName {
  readonly name: string;
  said: number;
  uses: number;
  last: number;
  ordinal: number;
  /** As it is recorded; nothing for one that has been said since. */
  row: NameRow | undefined;
  /** How likely it is to be needed were it said just now, for what it costs. */
  worth: number;
  /** What it costs in an index, for the counter that found it. */
  cost: number;
  /** It neither begins nor ends with a blank; told when its cost is. */
  isWord: boolean;
  counter: unknown;
  /** The last list of messages that showed it. */
  shownIn: unknown;
}

interface Memory {
  readonly byName: Map<string, KnownName>;
  /** The most likely first. */
  readonly ranked: readonly KnownName[];
}

// Of the index that was grown last: the next one looks up what is new, and not a thousand names that nothing has touched.
const memories = new WeakMap<readonly NameRow[], Memory>();

/** The rows of an index, by name and in their order. */
export function knownNames(rows: readonly NameRow[]): Memory {
  const found = memories.get(rows);
  if (found) return found;
  const ranked = rows.map(knownName);
  const made = { byName: new Map(ranked.map((known) => [known.name, known])), ranked };
  memories.set(rows, made);
  return made;
}

function knownName(row: NameRow): KnownName {
  const [name, said, uses, last, ordinal] = row;
  const worth = worthOf(name, said, uses);
  return { ...newName(name), said, uses, last, ordinal, row, worth };
}

function newName(name: string): KnownName {
  return {
    name,
    said: 0,
    uses: 0,
    last: 0,
    ordinal: 0,
    row: undefined,
    worth: 0,
    cost: 0,
    isWord: false,
    counter: undefined,
    shownIn: undefined,
  };
}

/** The index before with what has been said since, the most likely names first [R3]. Each message is read once. */
export function* growIndex(
  earlier: NameIndex | undefined,
  unread: readonly UnreadMessage[],
  { maxRows, window }: IndexOptions,
): Generator<undefined, NameIndex> {
  const rowsBefore = earlier?.rows ?? [];
  const { byName, ranked: before } = knownNames(rowsBefore);
  const added: KnownName[] = [];
  // It goes over to the rows that are made here; asking for the earlier rows again makes it again.
  memories.delete(rowsBefore);
  let tokens = earlier?.tokens ?? 0;
  for (const { message, tokens: size, ordinal } of unread) {
    yield;
    tokens += size;
    if (isRecalled(message)) continue;
    const isSaid = message.role === "user" || message.role === "assistant" ? 1 : 0;
    eachName(message, (name) => {
      let known = byName.get(name);
      if (!known) {
        known = newName(name);
        byName.set(name, known);
        added.push(known);
      } else if (!known.row && known.last === tokens) return false;
      known.said += isSaid;
      known.uses += 1;
      known.last = tokens;
      known.ordinal = ordinal;
      // A row of the index before is never changed.
      known.row = undefined;
      return true;
    });
  }
  yield;
  const ranked = rank(before.concat(added), tokens, window);
  for (const { name } of ranked.splice(maxRows)) byName.delete(name);
  const rows = ranked.map(rowOf);
  memories.set(rows, { byName, ranked });
  return { rows, tokens };
}

function rowOf(known: KnownName): NameRow {
  return (known.row ??= [known.name, known.said, known.uses, known.last, known.ordinal]);
}

/** What was recalled stands in the log at its own place. */
function isRecalled({ role, content }: ModelMessage): boolean {
  if (role !== "tool") return false;
  return content.every((part) => part.type === "tool-result" && isRecallTool(part.toolName));
}

/**
 * What people and models said comes back far more often than what was only read. The decision about the index has the ablation.
 */
function worthOf(name: string, said: number, uses: number): number {
  const worth = said > 0 ? 10 * Math.sqrt((1 + said) * uses) : uses / 2;
  return (isNumber(name) ? worth / 2 : worth) / (1 + name.length / 4);
}

/** By how likely a name is to be needed: what was said lately comes back more often than what is old. Equals stay in their order. */
function rank(names: readonly KnownName[], now: number, window: number): KnownName[] {
  const scores = new Float32Array(names.length);
  for (let at = 0; at < names.length; at += 1) {
    const known = names[at] as KnownName;
    if (!known.row) known.worth = worthOf(known.name, known.said, known.uses);
    scores[at] = known.worth / (1 + (now - known.last) / window);
  }
  const order = highestFirst(scores);
  return names.map((_, at) => names[order[at] as number] as KnownName);
}

/** Numbers, versions, dates and addresses of machines: fewer of them come back. */
function isNumber(name: string): boolean {
  return isDigit(name.charCodeAt(0)) && isDigit(name.charCodeAt(name.length - 1));
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

// Messages never change: the index and the look at what is kept ask for the same ones.
const known = new WeakMap<ModelMessage, readonly string[]>();

/** The names of a message that somebody may say again. */
export function likelyNames(message: ModelMessage): readonly string[] {
  const found = known.get(message);
  if (found) return found;
  const all = new Set<string>();
  return eachName(message, (name) => all.size < all.add(name).size);
}

/** Tells the same names to somebody who says whether one is new in this message, and so can do without a set of them. */
function eachName(message: ModelMessage, isNew: (name: string) => boolean): readonly string[] {
  const found = known.get(message);
  if (found) {
    for (const name of found) isNew(name);
    return found;
  }
  const names: string[] = [];
  addNames(saidIn(message), {
    add(name) {
      if (!isNoise(name) && isNew(name)) names.push(name);
    },
  });
  known.set(message, names);
  return names;
}

/** Hashes, keys and ids that a program drew, times of day: nobody says them again. A short hash may name a commit. */
function isNoise(name: string): boolean {
  const { length } = name;
  if (length < 30 && isDigit(name.charCodeAt(0)) && /^(?:\d{1,2}:\d\d(?::\d\d)?|\d{4}-\d\d-\d\dT.*)$/.test(name))
    return true;
  return length > 12 && (isHex(name) || (length > 32 && hasKey(name)));
}

function isHex(name: string): boolean {
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at);
    const letter = code | 0x20;
    if (!isDigit(code) && code !== 0x2d && (letter < 0x61 || letter > 0x66)) return false;
  }
  return true;
}

/** Thirty-two letters and digits in a row, a digit among them. */
function hasKey(name: string): boolean {
  let [run, hasDigit] = [0, false];
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at);
    const letter = code | 0x20;
    const isOne = isDigit(code);
    run = isOne || (letter >= 0x61 && letter <= 0x7a) ? run + 1 : 0;
    hasDigit = run > 0 && (hasDigit || isOne);
    if (run >= 32 && hasDigit) return true;
  }
  return false;
}

import { keyOf } from "./same-lines.ts";
import type { ExtractiveLine, Section } from "./score.ts";

/** After this many lines that did not fit, no shorter ones are tried. */
const maxMisses = 6;
/** Hardly a line has fewer tokens: where fewer are left, none is tried. */
const minLineTokens = 6;
/** How much less each further line of a section counts: thirty requests of one kind must not crowd out the one error. */
const repeatCost = 0.5;
/** How much less one counts that says nothing new: whose words all stand in chosen lines of its section. */
const likenessCost = 6;
/** Half of the words are in any two lines about one thing. */
const usualLikeness = 0.5;
/** Where more was asked or decided than this, the first of it counts this much more. */
const crowded = 8;
const firstBonus = 3;
/** Looks at candidates between two pauses. */
const looksPerPause = 512;

interface Candidate {
  readonly line: ExtractiveLine;
  readonly index: number;
  readonly score: number;
  /** What it counts beside those that were chosen by then: never more later. */
  worth: number;
  /** How many of its section were chosen by then. */
  seen: number;
  words: readonly number[] | undefined;
  key: number | string | undefined;
}

/** What was chosen of a section. */
interface Chosen {
  count: number;
  readonly words: Set<number>;
}

/**
 * The indexes of the lines that fit, each thing once, the most important first, and of equally important ones the newest. A
 * line is worth less the more of its section were chosen before it, and the more of its words they have. Also whether all
 * lines fit. Yields wherever it may pause.
 */
export function* chooseLines(
  lines: readonly ExtractiveLine[],
  cost: (line: ExtractiveLine, isFirst: boolean, left: number) => number,
  maxTokens: number,
): Generator<undefined, { readonly chosen: number[]; readonly isWhole: boolean }> {
  const chosen: number[] = [];
  const sections = new Map<Section, Chosen>();
  const looked = new Set<number | string>();
  const heap = candidatesOf(lines);
  for (let at = heap.length >> 1; at >= 0; at -= 1) sink(heap, at);
  let left = maxTokens;
  let misses = 0;
  for (let looks = 0; heap.length > 0 && left >= minLineTokens && misses <= maxMisses; looks += 1) {
    if (looks % looksPerPause === 0) yield;
    const [best] = heap as [Candidate];
    const { line, index } = best;
    // In a session that repeats itself most lines are equal: each leaves once, and is not weighed again for every choice.
    if (looked.has((best.key ??= keyOf(line)))) {
      takeFirst(heap);
      continue;
    }
    const of = sections.get(line.section) ?? { count: 0, words: new Set() };
    if (best.seen < of.count) {
      best.seen = of.count;
      best.worth = best.score - of.count * repeatCost - likenessOf((best.words ??= wordsOf(line.text)), of.words);
      sink(heap);
      continue;
    }
    takeFirst(heap);
    looked.add(best.key);
    const tokens = cost(line, of.count === 0, left);
    if (tokens > left) {
      misses += 1;
      continue;
    }
    left -= tokens;
    chosen.push(index);
    of.count += 1;
    for (const word of best.words ?? wordsOf(line.text)) of.words.add(word);
    sections.set(line.section, of);
  }
  return { chosen, isWhole: heap.length === 0 && misses === 0 };
}

function candidatesOf(lines: readonly ExtractiveLine[]): Candidate[] {
  const oldest = new Map<Section, { readonly index: number; count: number }>();
  for (const [index, { section }] of lines.entries()) {
    const known = oldest.get(section);
    if (known) known.count += 1;
    else oldest.set(section, { index, count: 1 });
  }
  return lines.map((line, index) => {
    const first = oldest.get(line.section);
    const isOfPeople = line.section === "requests" || line.section === "decisions";
    const isFavoured = isOfPeople && first !== undefined && first.index === index && first.count > crowded;
    const score = line.score + (isFavoured ? firstBonus : 0);
    return { line, index, score, worth: score, seen: 0, words: undefined, key: undefined };
  });
}

function isBefore(a: Candidate, b: Candidate): boolean {
  return a.worth === b.worth ? a.index > b.index : a.worth > b.worth;
}

function likenessOf(words: readonly number[], known: ReadonlySet<number>): number {
  let shared = 0;
  for (const word of words) if (known.has(word)) shared += 1;
  const likeness = words.length === 0 ? 0 : shared / words.length;
  return Math.max(0, (likeness - usualLikeness) / (1 - usualLikeness)) * likenessCost;
}

/** Numbers for the words of a line. Those with digits tell lines apart that are else the same, and count for nothing. */
function wordsOf(text: string): readonly number[] {
  const words: number[] = [];
  let [hash, hasDigit] = [0, false];
  for (let at = 0; at <= text.length; at += 1) {
    const code = at < text.length ? text.charCodeAt(at) : 0x20;
    if (code >= 0x2e80 && code < 0xd800) {
      // In scripts without spaces, each two signs.
      words.push((code << 16) | text.charCodeAt(at + 1));
    } else if (code > 0x20 && code !== 0x2c && code !== 0x3a) {
      hash = (Math.imul(hash, 31) + (code | 0x20)) | 0;
      hasDigit ||= code >= 0x30 && code <= 0x39;
      continue;
    }
    if (hash !== 0 && !hasDigit) words.push(hash);
    [hash, hasDigit] = [0, false];
  }
  return words;
}

/** Takes the best off; the next best comes to the front. */
function takeFirst(heap: Candidate[]): void {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  heap[0] = last;
  sink(heap);
}

/** Moves one down to its place among those below it. */
function sink(heap: Candidate[], from = 0): void {
  const moved = heap[from];
  if (!moved) return;
  let at = from;
  for (;;) {
    const [left, right] = [2 * at + 1, 2 * at + 2];
    let best = left;
    if (right < heap.length && isBefore(heap[right] as Candidate, heap[left] as Candidate)) best = right;
    const child = heap[best];
    if (best >= heap.length || !child || !isBefore(child, moved)) break;
    heap[at] = child;
    at = best;
  }
  heap[at] = moved;
}

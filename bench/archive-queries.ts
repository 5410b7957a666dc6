import { type GeneratedArchive, numbers, pick } from "./archives.ts";

export interface ArchiveQuery {
  readonly kind: string;
  readonly text: string;
  /** The archives that have every part of the query, found by reading all of them. */
  readonly relevant: ReadonlySet<string>;
}

/** A part of a query: signs that stand somewhere, a whole word, or the beginning of one. */
type Part = { readonly signs: string } | { readonly word: string } | { readonly begins: string };

type Recipe = (archive: GeneratedArchive, next: () => number) => { text: string; parts: readonly Part[] } | undefined;

/** Queries as they are typed, each made from an archive that answers it. */
const recipes: Record<string, { readonly isChinese: boolean; readonly make: Recipe }> = {
  "Chinese words from a message": chinese((a, next) => signsOf([runOf(a, 2, next)])),
  "Chinese sentence without spaces": chinese((a, next) => signsOf([runOf(a, 6, next)])),
  "two Chinese words apart": chinese((a, next) => signsOf([runOf(a, 2, next), runOf(a, 2, next)])),
  "one Chinese character": chinese((a, next) => signsOf([runOf(a, 1, next)])),
  "Chinese title": chinese((a) => signsOf([a.title])),
  "Chinese and English without a space": chinese((a, next) => {
    const mixed = pick([...a.text.matchAll(/\p{sc=Han}{2}[a-z]{4,}/gu)], next, 1)?.[0];
    return mixed === undefined
      ? undefined
      : { text: mixed, parts: [{ signs: mixed.slice(0, 2) }, { word: mixed.slice(2) }] };
  }),
  "English word": english((a, next) => wordsOf([wordOf(a, next)])),
  "three English words": english((a, next) => wordsOf([wordOf(a, next), wordOf(a, next), wordOf(a, next)])),
  "English word in full-width capitals": english((a, next) => {
    const word = wordOf(a, next);
    return { text: fullWidth(word.toUpperCase()), parts: [{ word }] };
  }),
  "beginning of an English word": english((a, next) => {
    const begins = wordOf(a, next).slice(0, 5);
    return { text: begins, parts: [{ begins }] };
  }),
  "English title": english((a) => wordsOf(a.title.split(" "))),
};

export function makeQueries(archives: readonly GeneratedArchive[], perKind: number): ArchiveQuery[] {
  const next = numbers(23);
  return Object.entries(recipes).flatMap(([kind, { isChinese, make }]) => {
    const sources = archives.filter((archive) => archive.isChinese === isChinese);
    const queries: ArchiveQuery[] = [];
    while (queries.length < perKind) {
      const made = make(pick(sources, next, 1), next);
      if (made) queries.push({ kind, text: made.text, relevant: readAll(archives, made.parts) });
    }
    return queries;
  });
}

/** The share of the best answers that a list of five could hold and does hold. */
export function recallAtFive({ relevant }: ArchiveQuery, found: readonly string[]): number {
  return found.slice(0, 5).filter((id) => relevant.has(id)).length / Math.min(5, relevant.size);
}

function readAll(archives: readonly GeneratedArchive[], parts: readonly Part[]): Set<string> {
  const tests = parts.map(testOf);
  return new Set(archives.filter(({ text }) => tests.every((test) => test(text))).map(({ contextId }) => contextId));
}

function testOf(part: Part): (text: string) => boolean {
  if ("signs" in part) return (text) => text.includes(part.signs);
  const [letters, end] = "word" in part ? [part.word, "(?![a-z])"] : [part.begins, ""];
  const pattern = new RegExp(`(?<![a-z])${letters}${end}`, "u");
  return (text) => text.includes(letters) && pattern.test(text);
}

function chinese(make: Recipe): { isChinese: boolean; make: Recipe } {
  return { isChinese: true, make };
}

function english(make: Recipe): { isChinese: boolean; make: Recipe } {
  return { isChinese: false, make };
}

function signsOf(runs: readonly string[]): { text: string; parts: Part[] } | undefined {
  return runs.includes("") ? undefined : { text: runs.join(" "), parts: runs.map((signs) => ({ signs })) };
}

function wordsOf(words: readonly string[]): { text: string; parts: Part[] } {
  return { text: words.join(" "), parts: words.map((word) => ({ word })) };
}

function runOf({ messages }: GeneratedArchive, length: number, next: () => number): string {
  const { content } = pick(messages, next, 1);
  const runs = [...content.matchAll(/\p{sc=Han}+/gu)].map(([run]) => run).filter((run) => run.length >= length);
  const run = runs.length === 0 ? "" : pick(runs, next, 1);
  const start = Math.floor(next() * (run.length - length + 1));
  return run.slice(start, start + length);
}

function wordOf({ messages }: GeneratedArchive, next: () => number): string {
  return pick(pick(messages, next, 1).content.match(/[a-z]{6,}/gu) ?? ["none"], next, 1);
}

function fullWidth(text: string): string {
  return text.replaceAll(/[!-~]/gu, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
}

import { isWordCode } from "./characters.ts";
import { type KeyMatcher, keyMatcher } from "./key-matcher.ts";
import type { Key } from "./keys.ts";

export type TextKey = Extract<Key, { kind: "text" }>;

export interface PatternFinder {
  /** How many patterns there are; each is known by its number. */
  readonly patterns: number;
  /** The patterns that a text holds, each once. */
  hitsOf(text: string): readonly number[];
}

/** The texts that keys look for, each once for every way of looking. */
export function patternList(): { add(key: TextKey): number; size(): number; finish(): PatternFinder } {
  const ids = new Map<string, number>();
  const keys: TextKey[] = [];
  return {
    add(key) {
      const name = `${key.isExact} ${key.isWord} ${key.text}`;
      const id = ids.get(name) ?? keys.push(key) - 1;
      ids.set(name, id);
      return id;
    },
    size: () => keys.length,
    finish() {
      const finders = [true, false].flatMap((isExact) => finderOf(keys, isExact) ?? []);
      // By pattern, the text in which it was found last: a list of what is found has each pattern once.
      const foundIn = new Int32Array(keys.length);
      let texts = 0;
      return {
        patterns: keys.length,
        hitsOf(text) {
          const hits: number[] = [];
          texts += 1;
          const isNew = (pattern: number): boolean => pattern >= 0 && foundIn[pattern] !== texts;
          const note = (pattern: number): void => {
            if (!isNew(pattern)) return;
            foundIn[pattern] = texts;
            hits.push(pattern);
          };
          for (const finder of finders) {
            const { anywhere, asWord } = finder;
            finder.scan(text, (key, read, from, to) => {
              note(anywhere[key] as number);
              if (isNew(asWord[key] as number) && isWholeWord(read, from, to)) note(asWord[key] as number);
            });
          }
          return hits;
        },
      };
    },
  };
}

interface Finder extends KeyMatcher {
  /** By key, the pattern that looks for it anywhere, and the one that looks for it as a whole word; -1 where there is none. */
  readonly anywhere: Int32Array;
  readonly asWord: Int32Array;
}

/** Finds the keys that are looked for as they are written, or those that are not; nothing where there are none. */
function finderOf(keys: readonly TextKey[], isExact: boolean): Finder | undefined {
  const own = keys.filter((key) => key.isExact === isExact);
  if (own.length === 0) return undefined;
  const texts = [...new Set(own.map(({ text }) => text))];
  const patternsOf = (wanted: boolean): Int32Array => {
    const byText = new Map(
      keys.flatMap((key, pattern) =>
        key.isExact === isExact && key.isWord === wanted ? [[key.text, pattern] as const] : [],
      ),
    );
    return Int32Array.from(texts, (text) => byText.get(text) ?? -1);
  };
  return { ...keyMatcher(texts, !isExact), anywhere: patternsOf(false), asWord: patternsOf(true) };
}

function isWholeWord(text: string, from: number, to: number): boolean {
  return !isWordCode(text.charCodeAt(from - 1)) && !isWordCode(text.charCodeAt(to));
}

/** Looks for one text alone, as the patterns are looked for. */
export function isIn(text: string, { text: wanted, isWord, isExact }: TextKey): boolean {
  const own = isExact ? text : text.toLowerCase();
  for (let from = own.indexOf(wanted); from >= 0; from = own.indexOf(wanted, from + 1)) {
    if (!isWord || isWholeWord(own, from, from + wanted.length)) return true;
  }
  return false;
}

import type { Activation, ActivationSettings } from "./activation.ts";
import { type PatternFinder, patternList } from "./find-patterns.ts";
import { maxLength } from "./key-matcher.ts";
import { type Key, type KeyOptions, readKey } from "./keys.ts";

/** A message of a preset that comes and goes. */
export interface Candidate {
  readonly id: string;
  readonly activation: Activation;
  readonly content: string;
}

/** A key, ready to be looked for. */
export interface CompiledKey {
  readonly source: string;
  /** As it is written; where macros stand in it, it is read again in every scan. */
  readonly key: Key;
  readonly hasMacros: boolean;
  /** Which of the patterns it is; -1 when it is none. */
  readonly pattern: number;
}

export interface CompiledEntry {
  readonly candidate: Candidate;
  readonly keys: readonly CompiledKey[];
  readonly secondary: readonly CompiledKey[];
  readonly options: KeyOptions;
}

/** The keys of a preset, compiled once for all its scans. */
export interface CompiledKeys extends PatternFinder {
  readonly entries: ReadonlyMap<Candidate, CompiledEntry>;
  /** Those that may come when entries have said more, without any of their patterns being among it. */
  readonly unwatched: readonly Candidate[];
  /** By pattern, those that look for it. */
  readonly watchers: readonly (readonly Candidate[])[];
  /** What was found in messages, which never change: a turn reads only those that are new. */
  readonly hitsByMessage: WeakMap<object, { readonly name: string; readonly hits: readonly number[] }>;
}

export function compileKeys(candidates: readonly Candidate[], settings: ActivationSettings): CompiledKeys {
  const patterns = patternList();
  const compile = (source: string, options: KeyOptions): CompiledKey => {
    const key = readKey(source, options);
    const hasMacros = source.includes("{{");
    const isPattern = key.kind === "text" && !hasMacros && key.text.length <= maxLength;
    const pattern = isPattern ? patterns.add(key) : -1;
    return { source, key, hasMacros, pattern };
  };
  const entries = new Map<Candidate, CompiledEntry>();
  for (const candidate of candidates) {
    const { keys = [], secondaryKeys = [], caseSensitive, wholeWords } = candidate.activation;
    const options: KeyOptions = {
      isExact: caseSensitive ?? settings.caseSensitive ?? false,
      isWord: wholeWords ?? settings.wholeWords ?? true,
      likeTavern: settings.like === "sillytavern",
    };
    const all = (sources: readonly string[]): CompiledKey[] => sources.map((source) => compile(source, options));
    entries.set(candidate, { candidate, keys: all(keys), secondary: all(secondaryKeys), options });
  }
  return { entries, hitsByMessage: new WeakMap(), ...patterns.finish(), ...watch(entries.values(), patterns.size()) };
}

function watch(entries: Iterable<CompiledEntry>, patterns: number): Pick<CompiledKeys, "unwatched" | "watchers"> {
  const unwatched: Candidate[] = [];
  const watchers = Array.from({ length: patterns }, (): Candidate[] => []);
  for (const { candidate, keys, secondary } of entries) {
    const all = [...keys, ...secondary];
    for (const { pattern } of all) if (pattern >= 0) watchers[pattern]?.push(candidate);
    // What macros stand for may be changed by an entry, and so may the texts that are read besides the messages.
    if (candidate.activation.sources || all.some(({ pattern }) => pattern < 0)) unwatched.push(candidate);
  }
  return { unwatched, watchers };
}

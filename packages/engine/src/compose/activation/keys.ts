import { type TextTest, linearRegex } from "./linear-regex.ts";

/** A key as it is looked for. */
export type Key =
  | { readonly kind: "never" }
  /** Blank: SillyTavern finds it everywhere. */
  | { readonly kind: "always" }
  | { readonly kind: "text"; readonly text: string; readonly isWord: boolean; readonly isExact: boolean }
  | { readonly kind: "regex"; readonly test: TextTest }
  /** A regular expression that could take for ever. */
  | { readonly kind: "refused" };

export interface KeyOptions {
  readonly isExact: boolean;
  readonly isWord: boolean;
  readonly likeTavern: boolean;
}

const never: Key = { kind: "never" };

/** Reads a key whose macros are filled in. */
export function readKey(source: string, { isExact, isWord, likeTavern }: KeyOptions): Key {
  if (source === "") return never;
  const text = source.trim();
  if (text === "") return likeTavern ? { kind: "always" } : never;
  const pattern = readPattern(text);
  if (pattern) {
    const test = linearRegex(pattern.source, pattern.flags);
    return test ? { kind: "regex", test } : { kind: "refused" };
  }
  const own = isExact ? text : text.toLowerCase();
  return { kind: "text", text: own, isWord: isWord && !/\s/.test(own), isExact };
}

/** `/pattern/flags`, if it is one that compiles and has no bare slash inside. */
function readPattern(text: string): { readonly source: string; readonly flags: string } | undefined {
  const match = /^\/([\w\W]+?)\/([gimsuy]*)$/.exec(text);
  const [, source = "", flags = ""] = match ?? [];
  if (!match || /(^|[^\\])\//.test(source)) return undefined;
  try {
    const unescaped = source.replace("\\/", "/");
    // oxlint-disable-next-line no-new
    new RegExp(unescaped, flags);
    return { source: unescaped, flags };
  } catch {
    return undefined;
  }
}

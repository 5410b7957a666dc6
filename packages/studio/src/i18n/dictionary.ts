import type { Language } from "../browser/preferences.ts";

/** What `html[lang]` and the formatters get. */
export const locales: Readonly<Record<Language, string>> = { en: "en", zh: "zh-CN" };

export interface Dictionary<Text> {
  readonly en: Text;
  readonly zh: Text;
}

/** Holds the texts of one page in both languages; a key that one of them lacks does not compile. */
export function dictionary<Text>(texts: { readonly en: Text; readonly zh: NoInfer<Text> }): Dictionary<Text> {
  return texts;
}

/** A number of things in English: one of them, or many. A number may be written with separators already. */
export function counted(count: number | string, one: string, many = `${one}s`): string {
  return `${count} ${String(count) === "1" ? one : many}`;
}

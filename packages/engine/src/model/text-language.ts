import { iterableCheck, textCheck } from "./check-input.ts";

/** The languages that Galley writes its own labels in. */
export type Language = "en" | "zh";

/**
 * The language to label a text in: Chinese where Chinese characters outnumber Latin words and no kana says that it is
 * Japanese. Fenced code says nothing about the language; neither does a text without letters.
 */
export function textLanguage(texts: Iterable<string>): Language | undefined {
  let chinese = 0;
  let latin = 0;
  let hasLetters = false;
  iterableCheck(texts, "texts");
  for (const text of texts) {
    textCheck(text, "texts");
    if (isAscii(text)) {
      const words = text.replaceAll(/```[^]*?(?:```|$)/g, "").match(/[A-Za-z]+/g)?.length ?? 0;
      hasLetters ||= words > 0;
      latin += words;
      continue;
    }
    const prose = text.replaceAll(/```[^]*?(?:```|$)/gu, "");
    if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(prose)) return "en";
    hasLetters ||= /\p{L}/u.test(prose);
    chinese += prose.match(/\p{Script=Han}/gu)?.length ?? 0;
    latin += prose.match(/\p{Script=Latin}+/gu)?.length ?? 0;
  }
  if (!hasLetters) return undefined;
  return chinese > latin ? "zh" : "en";
}

/** Of such texts, patterns without Unicode say the same, and much sooner. */
function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

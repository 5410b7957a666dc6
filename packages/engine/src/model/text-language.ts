import { iterableCheck, textCheck } from "./check/input.ts";

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
    const prose = text.includes("```") ? text.replaceAll(/```[^]*?(?:```|$)/gu, "") : text;
    const words = asciiWords(prose);
    if (words !== undefined) {
      hasLetters ||= words > 0;
      latin += words;
      continue;
    }
    if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(prose)) return "en";
    hasLetters ||= /\p{L}/u.test(prose);
    chinese += prose.match(/\p{Script=Han}/gu)?.length ?? 0;
    latin += prose.match(/\p{Script=Latin}+/gu)?.length ?? 0;
  }
  if (!hasLetters) return undefined;
  return chinese > latin ? "zh" : "en";
}

/** The same where it has to be one of the two: most texts hold no Chinese sign, which is told at once. */
export function labelLanguage(texts: readonly string[]): Language {
  return texts.some((text) => /\p{Script=Han}/u.test(text)) ? (textLanguage(texts) ?? "en") : "en";
}

/** How many words a text has whose letters are ASCII; nothing for another, which patterns have to be tried on. */
function asciiWords(text: string): number | undefined {
  let words = 0;
  let isInWord = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f && !isSign(code)) return undefined;
    const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
    if (isLetter && !isInWord) words += 1;
    isInWord = isLetter;
  }
  return words;
}

/** Dashes, quotes, arrows and boxes, which belong to no script and are no numbers. */
export function isSign(code: number): boolean {
  if (code < 0x24_00) return (code >= 0x20_10 && code <= 0x20_5e) || code >= 0x21_90;
  return code >= 0x25_00 && code <= 0x2b_ff && (code < 0x27_76 || code > 0x27_93);
}

import { isSign } from "../../model/text-language.ts";
import type { ExtractiveLine } from "./score.ts";

/** True for what a result says and the line of its call has told. */
export function isTold({ text, of }: ExtractiveLine): boolean {
  return of !== undefined && of.call.text.includes(text.slice(of.from));
}

const speakers = ["user: ", "assistant: ", "agreed: "] as const;

/** Equal for lines that say the same, also where different people say it. */
export function keyOf({ text }: ExtractiveLine): number | string {
  const start = speakers.find((speaker) => text.startsWith(speaker))?.length ?? 0;
  const key = wordsHash(text, start);
  if (key !== undefined) return key;
  const said = text.slice(start).toLowerCase();
  const words = said.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
  return wordsHash(words, 0) ?? (words || said);
}

/** A number for the words of a text of ASCII letters, in either case and whatever stands between them; nothing where there are none. */
function wordsHash(text: string, start: number): number | undefined {
  let [high, low, isApart] = [0, 0, false];
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f && !isSign(code)) return undefined;
    const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
    if (!isLetter && (code < 0x30 || code > 0x39)) {
      isApart = true;
      continue;
    }
    if (isApart && low !== 0) low = Math.imul(low ^ 0x20, 0x01_00_01_93);
    isApart = false;
    high = (Math.imul(high, 31) + (code | 0x20)) | 0;
    low = Math.imul(low ^ (code | 0x20), 0x01_00_01_93) || 1;
  }
  // 53 bits: two different lines of a summary never meet.
  return low === 0 ? undefined : (high >>> 0) * 0x20_00_00 + ((low >>> 0) & 0x1f_ff_ff);
}

/** In a table of cases: the text has to be put into lower case as a whole. */
export const special = 0xff_ff;

/** Leading halves of characters that may have a case. */
const casedHalves = [0xd8_01, 0xd8_03, 0xd8_06, 0xd8_1b, 0xd8_3a];
/** No letter here has a case: Han, Kana and Hangul, and what lies around them. */
const caseless: readonly (readonly [number, number])[] = [
  [0x2e_00, 0xa6_3f],
  [0xac_00, 0xff_20],
];

let known: Uint16Array | undefined;

/**
 * By the code of a character, the code of its lower case, or `special` where that takes more than the character: it
 * becomes several, or another one at the end of a word, or an ASCII letter of something that is none.
 */
export function lowerCodes(): Uint16Array {
  if (known) return known;
  const codes = Uint16Array.from({ length: 65_536 }, (_, code) => code);
  for (let code = 0; code < codes.length; code += 1) {
    const skipped = caseless.find(([from]) => from === code);
    if (skipped) code = skipped[1] + 1;
    const lower = String.fromCharCode(code).toLowerCase();
    const isSpecial = lower.length !== 1 || (code > 127 && lower.charCodeAt(0) < 128) || code === 0x3_a3;
    codes[code] = isSpecial ? special : lower.charCodeAt(0);
  }
  for (const code of casedHalves) codes[code] = special;
  return (known = codes);
}

// One bit for each class that the split rules tell apart, so that a rule can ask for several at once.
export const UPPER = 1;
export const LOWER = 2;
export const CASELESS = 4;
export const MARK = 8;
export const NUMBER = 16;
export const SPACE = 32;
export const NEWLINE = 64;
export const OTHER = 128;
const WIDE = 256;
export const LETTER = UPPER | LOWER | CASELESS;

// `\s` will not do for SPACE: JavaScript's has U+FEFF and lacks U+0085, the other way round from the rules' own.
// U+0295 (ʕ) is named because Unicode 17 makes it caseless: tiktoken goes by Unicode 16, and engines differ.
const rules: readonly (readonly [RegExp, number])[] = [
  [/[\r\n]/, NEWLINE],
  [/\p{White_Space}/u, SPACE],
  [/\p{N}/u, NUMBER],
  [/[\p{Ll}ʕ]/u, LOWER],
  [/[\p{Lu}\p{Lt}]/u, UPPER],
  [/\p{L}/u, CASELESS],
  [/\p{M}/u, MARK],
];

// Filled as characters are met: asking the rules about all of Unicode at the start would cost more than most texts do.
const known = new Uint16Array(0x11_00_00);

function learnClass(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  const found = rules.find(([pattern]) => pattern.test(character))?.[1] ?? OTHER;
  const learned = codePoint > 0xff_ff ? found | WIDE : found;
  known[codePoint] = learned;
  return learned;
}

/** The class of the character at `index`, or 0 at the end of the text. Half a surrogate pair is OTHER, like U+FFFD. */
export function classAt(text: string, index: number): number {
  if (index >= text.length) return 0;
  const unit = text.charCodeAt(index);
  const codePoint = (unit & 0xf8_00) === 0xd8_00 ? (text.codePointAt(index) as number) : unit;
  return (known[codePoint] as number) || learnClass(codePoint);
}

/** How many UTF-16 code units a character of this class takes. */
export function widthOf(characterClass: number): number {
  return characterClass & WIDE ? 2 : 1;
}

/** Where the run of characters of these classes that starts at `index` ends. */
export function runEnd(text: string, index: number, classes: number): number {
  let end = index;
  for (let next = classAt(text, end); next & classes; next = classAt(text, end)) end += widthOf(next);
  return end;
}

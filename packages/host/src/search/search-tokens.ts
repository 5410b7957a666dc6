/** Raise it whenever `fold`, `tokensOf` or `SearchTerms` gives something else for any text: the indexes of the older version are then built again. */
export const tokenizerVersion = 1;

/** A longer word is known by its beginning, so that a pasted file in base64 does not become one term of a megabyte. */
const maxWordLength = 64;

// Scripts that are written without spaces, Hangul (whose particles stick to the words), and pictographs.
const unspaced =
  "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}ー\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\\p{ExtPict}";
const spaced = `[[\\p{L}\\p{N}]--[${unspaced}]][[\\p{L}\\p{N}\\p{M}]--[${unspaced}]]*`;
const runs = new RegExp(`([${unspaced}]+)|${spaced}`, "gv");
const continuesWord = new RegExp(`[[\\p{L}\\p{N}\\p{M}]--[${unspaced}]]`, "v");
const endsInWord = new RegExp(`[[\\p{L}\\p{N}]--[${unspaced}]][[\\p{M}]--[${unspaced}]]*$`, "v");

/** A token is a word, two neighbours of a script without spaces, or the last sign of such a run. */
export interface Token {
  readonly kind: "word" | "pair" | "last";
  readonly text: string;
}

/** Takes away what a search does not look at: width, letter case, compatibility forms. */
export function fold(text: string): string {
  const folded = text.normalize("NFKC").toLowerCase();
  // The final sigma depends on what follows, and a prefix does not know what follows.
  return folded.includes("ς") ? folded.replaceAll("ς", "σ") : folded;
}

/** The tokens of a folded text in their order; `数据库` gives 数据, 据库, 库: each sign begins one. */
export function tokensOf(folded: string): Token[] {
  const tokens: Token[] = [];
  for (const [text, unspaced] of folded.matchAll(runs)) {
    if (unspaced === undefined) {
      tokens.push({ kind: "word", text: cutWord(text) });
      continue;
    }
    let before = "";
    for (const sign of unspaced) {
      if (before !== "") tokens.push({ kind: "pair", text: before + sign });
      before = sign;
    }
    tokens.push({ kind: "last", text: before });
  }
  return tokens;
}

function cutWord(word: string): string {
  if (word.length <= maxWordLength) return word;
  const isSplit = (word.codePointAt(maxWordLength - 1) ?? 0) > 0xffff;
  return word.slice(0, isSplit ? maxWordLength - 1 : maxWordLength);
}

/** Whether a word that ends before `index` really goes on there. */
export function goesOn(folded: string, index: number): boolean {
  const code = folded.codePointAt(index);
  if (code === undefined) return false;
  return isPlain(code) ?? continuesWord.test(String.fromCodePoint(code));
}

/** Whether what begins at `index` is only the rest of a word. */
export function isRest(folded: string, index: number): boolean {
  if (index === 0) return false;
  // Marks belong to the letter before them, if there is one.
  return isPlain(folded.charCodeAt(index - 1)) ?? endsInWord.test(folded.slice(Math.max(0, index - 16), index));
}

/** For ASCII in lower case whether it is of a word; for the rest nothing. */
function isPlain(code: number): boolean | undefined {
  if (code >= 0x80) return undefined;
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

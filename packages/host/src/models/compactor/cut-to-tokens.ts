type CountTokens = (text: string) => number;

/** No tokenizer's tokens are longer than this on average, so that more than this need not even be counted. */
const maxTokenLength = 16;

/** The beginning of a text up to a number of tokens, in whole sentences where that keeps at least half of it. */
export function cutEnd(text: string, maxTokens: number, countTokens: CountTokens): string {
  return shorten(text, maxTokens, countTokens, (length) => wholeSentences(sliceSafely(text, 0, length)));
}

/** The head and the tail of a text up to a number of tokens, with a note of how much is missing between them. */
export function cutMiddle(text: string, maxTokens: number, countTokens: CountTokens): string {
  return shorten(text, maxTokens, countTokens, (length) => cutMiddleByLength(text, length));
}

/** The same by the number of characters; the note comes on top. */
export function cutMiddleByLength(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = Math.ceil(length * 0.7);
  const tail = text.length - (length - head);
  const note = `\n[… ${text.length - length} characters left out …]\n`;
  return `${sliceSafely(text, 0, head)}${note}${sliceSafely(text, tail, text.length)}`;
}

/** Without a last sentence that was broken off, unless too little would be left. */
export function wholeSentences(text: string): string {
  const end = [...text.matchAll(/[.!?…](?=\s|$)|[。！？；\n]/gu)].at(-1)?.index ?? 0;
  return end > text.length / 2 ? text.slice(0, end + 1).trimEnd() : text;
}

function shorten(text: string, maxTokens: number, countTokens: CountTokens, cutTo: (length: number) => string): string {
  const counted = Math.min(text.length, Math.ceil(maxTokens) * maxTokenLength);
  const tokens = countTokens(counted < text.length ? cutTo(counted) : text);
  if (counted === text.length && tokens <= maxTokens) return text;
  let length = Math.floor(tokens <= maxTokens ? counted : (counted * maxTokens) / tokens);
  while (length > 0) {
    const shorter = cutTo(length);
    if (countTokens(shorter) <= maxTokens) return shorter;
    length = Math.floor(length * 0.9);
  }
  return "";
}

/** A slice that tears no pair of surrogates. */
function sliceSafely(text: string, from: number, to: number): string {
  return text.slice(from + (isTorn(text, from) ? 1 : 0), to - (isTorn(text, to) ? 1 : 0));
}

function isTorn(text: string, at: number): boolean {
  return at > 0 && at < text.length && /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}

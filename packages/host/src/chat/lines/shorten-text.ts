/** A text on one line, shortened to a number of characters; no character is cut in two. */
export function shortenText(text: string, length: number): string {
  const line = text
    .slice(0, length * 8)
    .replace(/\s+/g, " ")
    .trim();
  let result = "";
  let count = 0;
  for (const character of line) {
    if (count >= length) return `${result.trimEnd()}…`;
    result += character;
    count += 1;
  }
  return result;
}

/** A text on one line and no longer than so many characters; none of them is cut in two. */
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

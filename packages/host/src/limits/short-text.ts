/** A text of at most `max` characters, with an ellipsis where there is more; no character is cut in two. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  let [end, count] = [0, 0];
  for (const character of text) {
    if (count === max) return `${text.slice(0, end).trimEnd()}…`;
    end += character.length;
    count += 1;
  }
  return text;
}

/** The same on one line: what a message, a result or an error is shown as. */
export function onOneLine(text: string, max: number): string {
  const start = text.slice(0, max * 8);
  return shorten(start.replaceAll(/\s+/gu, " ").trim(), max);
}

const maxLength = 60;

/** How a text begins, on one line: what a message or a task is called. */
export function firstWords(text: string): string {
  const line = text
    .slice(0, maxLength * 4)
    .trim()
    .replaceAll(/\s+/gu, " ");
  return line.length > maxLength ? `${line.slice(0, maxLength).trimEnd().toWellFormed()}…` : line;
}

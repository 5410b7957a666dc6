const maxLength = 60;

/** How a text begins, on one line: what a message or a task is called. */
export function firstWords(text: string, length = maxLength): string {
  const line = text
    .slice(0, length * 4)
    .trim()
    .replaceAll(/\s+/gu, " ");
  return line.length > length ? `${line.slice(0, length).trimEnd().toWellFormed()}…` : line;
}

/** Whether every word that was typed stands somewhere in a text; Chinese needs no spaces for that. */
export function hasWords(text: string, typed: string): boolean {
  const whole = text.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => whole.includes(word));
}

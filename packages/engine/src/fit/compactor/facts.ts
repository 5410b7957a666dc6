// What the patterns of `signals` say of a text of ASCII, told where a sign of theirs stands instead of trying them.

const space = 0x20;

/** `src/hull.ts`, `~/notes/a`, `https://a`. */
export function isPath(text: string, at: number, from: number, to: number): boolean {
  if (at + 1 >= to) return false;
  if (text[at + 1] === "/")
    return text[at - 1] === ":" && at + 2 < to && isScheme(text, at - 2, from, text.charCodeAt(at + 2));
  if (!isPathSign(text, at + 1)) return false;
  let start = at;
  while (start > from && isPathSign(text, start - 1)) start -= 1;
  if (start === at) return false;
  let dots = 0;
  while (start + dots < at && text[start + dots] === ".") dots += 1;
  if (start + dots === at) return false;
  const isRooted = start > from && text[start - 1] === "/";
  if (isRooted && dots > 0) return false;
  let edge = isRooted ? start - 1 : start;
  let before = dots;
  for (; edge > from && (text[edge - 1] === "~" || text[edge - 1] === "."); edge -= 1) before += 1;
  return before <= 2 && (edge === from || isOpening(text, edge - 1));
}

function isScheme(text: string, end: number, from: number, next: number): boolean {
  if (next <= space) return false;
  for (let at = end; at >= from; at -= 1) {
    if (isLetter(text, at)) return true;
    if (!"+.-".includes(text.charAt(at))) return false;
  }
  return false;
}

/** `hull.ts` and not `hull.ts.`. */
export function isEnding(text: string, at: number, from: number, to: number): boolean {
  if (at === from || at + 1 >= to || !isLetter(text, at + 1)) return false;
  if (!isWord(text, at - 1) && text[at - 1] !== "-") return false;
  let end = at + 2;
  while (end < to && end < at + 7 && isWord(text, end) && text[end] !== "_") end += 1;
  return end <= at + 6 && (end === to || !(isWord(text, end) || text[end] === "."));
}

/** Two characters and more between two such signs. */
export function isLiteral(text: string, at: number, to: number): boolean {
  const end = text.indexOf("`", at + 1);
  return end >= 0 && end < to && end - at > 2;
}

/** ` --flag`. */
export function isOption(text: string, at: number, from: number, to: number): boolean {
  if (at === from || text.charCodeAt(at - 1) > space) return false;
  const start = text[at + 1] === "-" ? at + 2 : at + 1;
  return start + 1 < to && isLetter(text, start) && (isWord(text, start + 1) || text[start + 1] === "-");
}

/** `C:\dir`. */
export function isDrive(text: string, at: number, from: number, to: number): boolean {
  return at - 2 >= from && at + 1 < to && text[at - 1] === ":" && isLetter(text, at - 2) && isWord(text, at + 1);
}

/** `$ ls` and nothing before it. */
export function isPrompt(text: string, at: number, from: number, to: number): boolean {
  return at === from && at + 2 < to && text[at + 1] === " " && text.charCodeAt(at + 2) > space;
}

/** `a_b`. */
export function isSnake(text: string, at: number, from: number, to: number): boolean {
  return at > from && at + 1 < to && isWord(text, at - 1) && isWord(text, at + 1);
}

/** `@me`. */
export function isAddress(text: string, at: number, to: number): boolean {
  return at + 1 < to && isLetter(text, at + 1);
}

/** A capital inside a sentence: `by Maria`. */
export function isName(text: string, at: number, from: number, to: number): boolean {
  const next = at + 1 < to ? text.charCodeAt(at + 1) : 0;
  if (next < 0x61 || next > 0x7a || at - 2 < from) return false;
  const code = text.charCodeAt(at - 2);
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || ",;:)".includes(text.charAt(at - 2));
}

function isOpening(text: string, at: number): boolean {
  return text.charCodeAt(at) <= space || "`\"'(".includes(text.charAt(at));
}

function isPathSign(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x2e || code === 0x40 || code === 0x2d || isWord(text, at);
}

function isLetter(text: string, at: number): boolean {
  const code = text.charCodeAt(at) | 0x20;
  return code >= 0x61 && code <= 0x7a;
}

function isWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 0x30 && code <= 0x39) || code === 0x5f || isLetter(text, at);
}

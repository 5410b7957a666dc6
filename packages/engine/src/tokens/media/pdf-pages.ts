import type { ByteSource } from "./byte-source.ts";

const window = 65_536;

/** Counts a PDF's pages by its page objects; nothing when it is not a PDF, or keeps them compressed. */
export function pdfPages(bytes: ByteSource): number | undefined {
  if (textAt(bytes, 0, 5) !== "%PDF-") return undefined;
  let pages = 0;
  let rest = "";
  for (let at = 0; at < bytes.length; at += window) {
    const text = rest + textAt(bytes, at, Math.min(window, bytes.length - at));
    // What may be the start of a match waits for the bytes that follow.
    const whole = text.length - (at + window < bytes.length ? 32 : 0);
    for (const match of text.matchAll(/\/Type\s{0,4}\/Page(?![A-Za-z])/g)) if (match.index < whole) pages += 1;
    rest = text.slice(whole);
  }
  return pages > 0 ? pages : undefined;
}

function textAt(bytes: ByteSource, from: number, length: number): string {
  let text = "";
  for (let index = 0; index < length; index++) text += String.fromCharCode(bytes.at(from + index));
  return text;
}

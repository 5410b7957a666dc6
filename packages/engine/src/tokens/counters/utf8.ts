/** Writes a part of a text as UTF-8 at `at`, half surrogate pairs as U+FFFD, and gives the place after it. */
export function writeUtf8(text: string, start: number, end: number, into: Uint8Array, at: number): number {
  let next = at;
  for (let index = start; index < end; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) {
      into[next++] = unit;
    } else if (unit < 0x8_00) {
      into[next++] = 0xc0 | (unit >> 6);
      into[next++] = 0x80 | (unit & 0x3f);
    } else {
      const codePoint = (unit & 0xf8_00) === 0xd8_00 ? wholeCodePoint(text, index) : unit;
      if (codePoint > 0xff_ff) {
        index++;
        into[next++] = 0xf0 | (codePoint >> 18);
        into[next++] = 0x80 | ((codePoint >> 12) & 0x3f);
      } else {
        into[next++] = 0xe0 | (codePoint >> 12);
      }
      into[next++] = 0x80 | ((codePoint >> 6) & 0x3f);
      into[next++] = 0x80 | (codePoint & 0x3f);
    }
  }
  return next;
}

function wholeCodePoint(text: string, index: number): number {
  const codePoint = text.codePointAt(index) as number;
  return codePoint > 0xff_ff ? codePoint : 0xff_fd;
}

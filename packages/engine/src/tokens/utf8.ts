/** Writes a part of a text as UTF-8 from the start of `into`, half surrogate pairs as U+FFFD, and gives the length. */
export function writeUtf8(text: string, start: number, end: number, into: Uint8Array): number {
  let length = 0;
  for (let index = start; index < end; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) {
      into[length++] = unit;
    } else if (unit < 0x8_00) {
      into[length++] = 0xc0 | (unit >> 6);
      into[length++] = 0x80 | (unit & 0x3f);
    } else {
      const codePoint = (unit & 0xf8_00) === 0xd8_00 ? wholeCodePoint(text, index) : unit;
      if (codePoint > 0xff_ff) {
        index++;
        into[length++] = 0xf0 | (codePoint >> 18);
        into[length++] = 0x80 | ((codePoint >> 12) & 0x3f);
      } else {
        into[length++] = 0xe0 | (codePoint >> 12);
      }
      into[length++] = 0x80 | ((codePoint >> 6) & 0x3f);
      into[length++] = 0x80 | (codePoint & 0x3f);
    }
  }
  return length;
}

function wholeCodePoint(text: string, index: number): number {
  const codePoint = text.codePointAt(index) as number;
  return codePoint > 0xff_ff ? codePoint : 0xff_fd;
}

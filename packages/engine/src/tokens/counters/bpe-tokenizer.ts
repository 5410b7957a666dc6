import { minCount } from "./min-count.ts";
import { mergeBytes } from "./merge-bytes.ts";
import type { PieceEnd } from "./split-text.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { type PackedEntries, vocabulary } from "./vocabulary.ts";

/** How a text is split into pieces, and how many tokens a piece has. */
export interface Encoding {
  readonly pieceEnd: PieceEnd;
  readonly countPiece: (text: string, start: number, end: number) => number;
}

export function encodingOf(entries: PackedEntries, pieceEnd: PieceEnd): Encoding {
  const words = vocabulary(entries);
  const merge = mergeBytes(words);
  const shortBytes = new Uint8Array(3072);
  return {
    pieceEnd,
    countPiece(text, start, end) {
      if (end - start === 1 && text.charCodeAt(start) < 0x80) return 1;
      const room = (end - start) * 3;
      const bytes = room <= shortBytes.length ? shortBytes : new Uint8Array(room);
      const length = writeUtf8(text, start, end, bytes, 0);
      return words.rankOf(bytes, 0, length) >= 0 ? 1 : merge(bytes, length);
    },
  };
}

/** A tokenizer that counts exactly. Names of special tokens in a text, such as <|endoftext|>, count as plain text. */
export function bpeTokenizer(id: string, { pieceEnd, countPiece }: Encoding): Tokenizer {
  return {
    id,
    exactness: "exact",
    count(text) {
      let tokens = 0;
      for (let start = 0; start < text.length;) {
        const end = pieceEnd(text, start);
        tokens += countPiece(text, start, end);
        start = end;
      }
      return tokens;
    },
    atLeast: minCount,
    partsAtSpaces: true,
  };
}

/** Writes a part of a text as UTF-8 at `at`, half surrogate pairs as U+FFFD, and gives the place after it. */
function writeUtf8(text: string, start: number, end: number, into: Uint8Array, at: number): number {
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

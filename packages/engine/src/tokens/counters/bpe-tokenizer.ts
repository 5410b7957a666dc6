import { minCount } from "./min-count.ts";
import { mergeBytes } from "./merge-bytes.ts";
import type { PieceEnd } from "./split-text.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { writeUtf8 } from "./utf8.ts";
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
  };
}

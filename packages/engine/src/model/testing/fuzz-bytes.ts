import { concatBytes } from "./concat-bytes.ts";
import type { Chance } from "./fuzz-chance.ts";

const oddBytes: readonly (readonly number[])[] = [
  [0],
  [0xff],
  [0xef, 0xbb, 0xbf],
  [0xff, 0xfe],
  [0xed, 0xa0, 0x80],
  [0xc0, 0xaf],
  [0xf5, 0x80, 0x80, 0x80],
  [0x0d],
  [0x0d, 0x0a],
  [0x0a, 0x0a],
  [0x22],
  [0x5c],
  [0x7b],
  [0x7d],
  [0xe2, 0x80, 0xa8],
];
const newline = 0x0a;

function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(newline, from);
    const to = end < 0 ? bytes.length : end + 1;
    lines.push(bytes.subarray(from, to));
    from = to;
  }
  return lines;
}

/** Every byte as two, and every line end as another. */
function recoded(bytes: Uint8Array, chance: Chance): Uint8Array {
  const as = chance.pick<(byte: number) => readonly number[]>([
    (byte) => [byte, 0],
    (byte) => (byte === newline ? [0x0d, newline] : [byte]),
    (byte) => (byte === newline ? [0x0d] : [byte]),
    (byte) => (byte < 0x80 ? [byte] : [0xc0 | (byte >> 6), 0x80 | (byte & 0x3f)]),
  ]);
  return Uint8Array.from(Array.from(bytes.subarray(0, 200_000)).flatMap(as));
}

function changeLines(bytes: Uint8Array, chance: Chance): Uint8Array {
  const lines = linesOf(bytes);
  const [one, other] = [chance.below(lines.length), chance.below(lines.length)];
  switch (chance.below(4)) {
    case 0:
      lines.splice(one, 1);
      break;
    case 1:
      lines.splice(other, 0, lines[one] ?? new Uint8Array());
      break;
    case 2:
      [lines[one], lines[other]] = [lines[other] ?? new Uint8Array(), lines[one] ?? new Uint8Array()];
      break;
    default:
      lines.splice(one, 0, new Uint8Array(chance.pick([1, 300, 70_000])).fill(chance.pick([0x20, 0x78, 0x5b, 0])));
  }
  return concatBytes(...lines);
}

function change(bytes: Uint8Array, chance: Chance): Uint8Array {
  const at = chance.below(bytes.length + 1);
  const to = at + chance.below(Math.min(bytes.length - at, chance.pick([4, 64, 5000])) + 1);
  const [before, middle, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
  switch (chance.below(8)) {
    case 0:
      return before;
    case 1:
      return concatBytes(before, after);
    case 2:
      return concatBytes(before, middle, middle, after);
    case 3:
      return concatBytes(before, new Uint8Array(middle.length).fill(chance.pick([0, 0xff, 0x20])), after);
    case 4:
      return concatBytes(before, chance.pick(oddBytes), middle, after);
    case 5:
      return chance.oneIn(4) ? recoded(bytes, chance) : changeLines(bytes, chance);
    default: {
      const copy = bytes.slice();
      for (let left = 1 + chance.below(4); left > 0 && copy.length > 0; left -= 1) {
        const place = chance.below(copy.length);
        copy[place] = chance.oneIn(2) ? chance.below(256) : (copy[place] ?? 0) ^ (1 << chance.below(8));
      }
      return copy;
    }
  }
}

/** The file with one to three things wrong in its bytes: cut, flipped, doubled, in another encoding. */
export function spoilBytes(bytes: Uint8Array, chance: Chance): Uint8Array {
  let spoilt = bytes;
  for (let left = 1 + chance.below(3); left > 0; left -= 1) spoilt = change(spoilt, chance);
  return spoilt;
}

import { latin1 } from "../../model/base64.ts";
import { bigEndian32, crc32 } from "./bytes.ts";
import { type ImportReport, importFailed } from "./import-report.ts";

export const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** No card is near this, nor are all versions of it together; what goes beyond is not read. */
const maxTextSize = 16 * 1024 * 1024;
/** The names of the chunks that cards stand in. */
export const cardKeywords: ReadonlySet<string> = new Set(["ccv3", "chara"]);
const maxKeywordLength = 79;

const [textType, internationalType, packedType, endType] = ["tEXt", "iTXt", "zTXt", "IEND"].map((name) =>
  Array.from(name).reduce((type, letter) => type * 256 + letter.charCodeAt(0), 0),
);

export function isPng(bytes: Uint8Array): boolean {
  return pngSignature.every((byte, index) => bytes[index] === byte);
}

/** A tEXt chunk that may hold a card: its keyword in lower case and what stands behind it. */
export interface PngText {
  readonly keyword: string;
  readonly data: Uint8Array;
}

/** The tEXt chunks that cards stand in. What is odd is reported; a file that ends early gives what it has. */
export function readPngTexts(bytes: Uint8Array, report: ImportReport): PngText[] {
  if (!isPng(bytes)) throw importFailed("It is not a PNG: the signature is missing.");
  const texts: PngText[] = [];
  let room = maxTextSize;
  let at = pngSignature.length;
  while (at + 12 <= bytes.length) {
    const length = bigEndian32(bytes, at);
    const type = bigEndian32(bytes, at + 4);
    const end = at + 8 + length;
    if (end + 4 > bytes.length) {
      const name = latin1(bytes.subarray(at + 4, at + 8)).replaceAll(/[^\x20-\x7e]/g, "?");
      report.repaired(`chunk at byte ${at}`, `The ${name} chunk is longer than the file; what follows is not read.`);
      break;
    }
    if (type === textType) {
      const text = readText(bytes, at, end, room, report);
      if (text) texts.push(text);
      room -= text?.data.length ?? 0;
    } else if (type === internationalType || type === packedType) noteOther(bytes.subarray(at + 8, end), at, report);
    else if (type === endType) break;
    at = end + 4;
  }
  return texts;
}

function readText(bytes: Uint8Array, at: number, end: number, room: number, report: ImportReport): PngText | undefined {
  const path = `chunk at byte ${at}`;
  const keyword = keywordOf(bytes.subarray(at + 8, end));
  if (!cardKeywords.has(keyword)) return undefined;
  const data = bytes.subarray(at + 8 + keyword.length + 1, end);
  if (data.length > room) {
    const size = `A text chunk of ${data.length} bytes`;
    report.unsupported(path, `${size} is too large to be a card, or too much with the others, and is not read.`);
    return undefined;
  }
  if (crc32(bytes.subarray(at + 4, end)) !== bigEndian32(bytes, end)) {
    report.repaired(path, `The checksum of ${keyword} is wrong; it is used only if it can be read whole.`);
  }
  return { keyword, data };
}

/** The name of a text chunk, in lower case. */
export function keywordOf(data: Uint8Array): string {
  const start = data.subarray(0, maxKeywordLength + 1);
  return latin1(start.subarray(0, Math.max(start.indexOf(0), 0))).toLowerCase();
}

function noteOther(data: Uint8Array, at: number, report: ImportReport): void {
  if (!cardKeywords.has(keywordOf(data))) return;
  report.unsupported(
    `chunk at byte ${at}`,
    "A card in an iTXt or zTXt chunk is not read; SillyTavern's stand in tEXt chunks.",
  );
}

import { GalleyError } from "../model/errors.ts";
import { bigEndian32, crc32, latin1 } from "./bytes.ts";
import type { ImportReport } from "./import-report.ts";

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** No card is near this; a longer chunk is not read. */
const largestText = 32 * 1024 * 1024;

export function isPng(bytes: Uint8Array): boolean {
  return signature.every((byte, index) => bytes[index] === byte);
}

/** A tEXt chunk: a keyword in lower case and its text, one character for each byte. */
export interface PngText {
  readonly keyword: string;
  readonly text: string;
}

/** The tEXt chunks of a PNG. Damaged ones are left out and reported; a file that ends early gives what it has. */
export function readPngTexts(bytes: Uint8Array, report: ImportReport): PngText[] {
  if (!isPng(bytes)) throw new GalleyError("ImportFailed", "It is not a PNG: the signature is missing.");
  const texts: PngText[] = [];
  let at = signature.length;
  while (at + 12 <= bytes.length) {
    const length = bigEndian32(bytes, at);
    const type = latin1(bytes.subarray(at + 4, at + 8));
    const end = at + 8 + length;
    if (end + 4 > bytes.length) {
      report.repaired(
        `chunk at byte ${at}`,
        `The ${printable(type)} chunk is longer than the file; what follows is not read.`,
      );
      break;
    }
    if (type === "tEXt") texts.push(...readText(bytes, at, end, report));
    if (type === "iTXt" || type === "zTXt") noteOther(bytes.subarray(at + 8, end), type, at, report);
    if (type === "IEND") break;
    at = end + 4;
  }
  return texts;
}

function readText(bytes: Uint8Array, at: number, end: number, report: ImportReport): PngText[] {
  const path = `chunk at byte ${at}`;
  if (end - at > largestText) {
    report.unsupported(path, `A text chunk of ${end - at - 8} bytes is too large to be a card and is not read.`);
    return [];
  }
  const data = bytes.subarray(at + 8, end);
  const split = data.indexOf(0);
  const keyword = latin1(data.subarray(0, Math.max(split, 0))).toLowerCase();
  if (crc32(bytes.subarray(at + 4, end)) !== bigEndian32(bytes, end)) {
    report.repaired(
      path,
      `The checksum of the text chunk ${JSON.stringify(keyword)} is wrong; it is used only if it can be read whole.`,
    );
  }
  return split < 1 ? [] : [{ keyword, text: latin1(data.subarray(split + 1)) }];
}

function noteOther(data: Uint8Array, type: string, at: number, report: ImportReport): void {
  const keyword = latin1(data.subarray(0, Math.max(data.indexOf(0), 0))).toLowerCase();
  if (keyword !== "chara" && keyword !== "ccv3") return;
  report.unsupported(`chunk at byte ${at}`, `A card in a ${type} chunk is not read; cards stand in tEXt chunks.`);
}

function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "?");
}

import { latin1 } from "../../model/base64.ts";
import { bigEndian32, crc32, joinBytes } from "./bytes.ts";
import { cardKeywords, keywordOf, pngSignature } from "./read-png-texts.ts";

const textTypes = new Set(["tEXt", "iTXt", "zTXt"]);

/** A picture with these texts as tEXt chunks, in the place of those of the same names. What stands behind its end is left out. */
export function writePngTexts(picture: Uint8Array, texts: Readonly<Record<string, string>>): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.from(pngSignature)];
  let at = pngSignature.length;
  while (at + 12 <= picture.length) {
    const end = at + 12 + bigEndian32(picture, at);
    if (end > picture.length) break;
    const type = latin1(picture.subarray(at + 4, at + 8));
    if (type === "IEND") break;
    const isCard = textTypes.has(type) && cardKeywords.has(keywordOf(picture.subarray(at + 8, end - 4)));
    if (!isCard) parts.push(picture.subarray(at, end));
    at = end;
  }
  const encoder = new TextEncoder();
  for (const [keyword, text] of Object.entries(texts)) parts.push(chunk("tEXt", encoder.encode(`${keyword}\0${text}`)));
  parts.push(chunk("IEND", new Uint8Array()));
  return joinBytes(parts);
}

/** A picture of one grey, for a card that has none: as large as SillyTavern's own. */
export function plainPng(width = 400, height = 600): Uint8Array {
  // One bit for each pixel, all of the palette's only colour; each row begins with its filter, which is none. So all is 0.
  const header = Uint8Array.from([...bytesOf(width), ...bytesOf(height), 1, 3, 0, 0, 0]);
  return joinBytes([
    Uint8Array.from(pngSignature),
    chunk("IHDR", header),
    chunk("PLTE", Uint8Array.from([0x60, 0x60, 0x60])),
    chunk("IDAT", storedZeros((Math.ceil(width / 8) + 1) * height)),
    chunk("IEND", new Uint8Array()),
  ]);
}

/** Zeros as zlib has them, in one block that is not packed: at most 65,535. */
function storedZeros(count: number): Uint8Array {
  const start = Uint8Array.from([0x78, 0x01, 1, count & 255, count >>> 8, ~count & 255, (~count >>> 8) & 255]);
  return joinBytes([start, new Uint8Array(count), bytesOf(((count % 65_521) << 16) | 1)]);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = joinBytes([new TextEncoder().encode(type), data]);
  return joinBytes([bytesOf(data.length), body, bytesOf(crc32(body))]);
}

function bytesOf(value: number): Uint8Array {
  return Uint8Array.from([value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]);
}

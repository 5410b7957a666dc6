import type { ByteSource } from "./byte-source.ts";

/** In pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Reads a picture's size out of its header (PNG, JPEG, GIF, WebP); nothing when it is none of these, or damaged. */
export function imageSize(bytes: ByteSource): ImageSize | undefined {
  const size = pngSize(bytes) ?? jpegSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

function says(bytes: ByteSource, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (bytes.at(at + index) !== text.charCodeAt(index)) return false;
  }
  return true;
}

const big16 = (bytes: ByteSource, at: number): number => (bytes.at(at) << 8) | bytes.at(at + 1);
const big32 = (bytes: ByteSource, at: number): number => big16(bytes, at) * 0x1_00_00 + big16(bytes, at + 2);
const little16 = (bytes: ByteSource, at: number): number => bytes.at(at) | (bytes.at(at + 1) << 8);
const little24 = (bytes: ByteSource, at: number): number => little16(bytes, at) | (bytes.at(at + 2) << 16);

function pngSize(bytes: ByteSource): ImageSize | undefined {
  if (!says(bytes, 0, "\u0089PNG\r\n\u001a\n") || !says(bytes, 12, "IHDR")) return undefined;
  return { width: big32(bytes, 16), height: big32(bytes, 20) };
}

function gifSize(bytes: ByteSource): ImageSize | undefined {
  if (!says(bytes, 0, "GIF87a") && !says(bytes, 0, "GIF89a")) return undefined;
  return { width: little16(bytes, 6), height: little16(bytes, 8) };
}

function webpSize(bytes: ByteSource): ImageSize | undefined {
  if (!says(bytes, 0, "RIFF") || !says(bytes, 8, "WEBP")) return undefined;
  if (says(bytes, 12, "VP8X")) return { width: little24(bytes, 24) + 1, height: little24(bytes, 27) + 1 };
  if (says(bytes, 12, "VP8 ")) return { width: little16(bytes, 26) & 0x3f_ff, height: little16(bytes, 28) & 0x3f_ff };
  if (!says(bytes, 12, "VP8L")) return undefined;
  const bits = little16(bytes, 21) + little16(bytes, 23) * 0x1_00_00;
  return { width: (bits % 0x40_00) + 1, height: (Math.floor(bits / 0x40_00) % 0x40_00) + 1 };
}

// Segments follow each other; the frame header, which holds the size, may stand behind kilobytes of metadata.
function jpegSize(bytes: ByteSource): ImageSize | undefined {
  if (big16(bytes, 0) !== 0xff_d8) return undefined;
  for (let at = 2; at + 9 <= bytes.length;) {
    if (bytes.at(at) !== 0xff) return undefined;
    const marker = bytes.at(at + 1);
    if (marker === 0xff) at += 1;
    else if (isFrameHeader(marker)) return { width: big16(bytes, at + 7), height: big16(bytes, at + 5) };
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else at += 2 + Math.max(2, big16(bytes, at + 2));
  }
  return undefined;
}

/** SOF0 to SOF15, without the three of that range that are tables. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

import { Inflate, inflateSync } from "fflate/browser";
import { GalleyError } from "../../model/check/errors.ts";
import { crc32, joinBytes, littleEndian } from "./bytes.ts";
import { type ImportReport, importFailed } from "./import-report.ts";

const localHeader = 0x04_03_4b_50;
const centralHeader = 0x02_01_4b_50;
const endHeader = 0x06_05_4b_50;
/** Of a name. */
const maxShownLength = 200;
/** No card is near this. */
const maxFileSize = 16 * 1024 * 1024;

/** Where the zip begins: a picture or a program may stand before it. Nothing when there is none. */
export function zipStart(bytes: Uint8Array): number | undefined {
  // By hand: in a file that is all "P", a search for each of them would take seconds.
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === 0x50 && bytes[at + 1] === 0x4b && littleEndian(bytes, at, 4) === localHeader) return at;
  }
  return undefined;
}

/** One file of a zip, unpacked, or nothing when the zip does not have it. Nothing is written anywhere. */
export function readZipFile(bytes: Uint8Array, name: string, report: ImportReport): Uint8Array | undefined {
  const start = zipStart(bytes) ?? 0;
  const end = findEnd(bytes);
  if (end === undefined) throw failed("The archive has no directory; it was cut off.");
  const count = littleEndian(bytes, end + 10, 2);
  let at = start + littleEndian(bytes, end + 16, 4);
  // Some writers count from the start of the file, also where something stands before the zip.
  if (littleEndian(bytes, at, 4) !== centralHeader) at -= start;
  let found: Uint8Array | undefined;
  const others: string[] = [];
  for (let index = 0; index < count; index += 1) {
    if (littleEndian(bytes, at, 4) !== centralHeader) throw failed("The archive's directory is damaged.");
    const nameLength = littleEndian(bytes, at + 28, 2);
    const path = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + Math.min(nameLength, maxShownLength)));
    if (isOutside(path)) report.unsupported(path, "The name leads out of the archive; the file is not read.");
    else if (path === name) found ??= unpack(bytes, at, start, report);
    else if (!path.endsWith("/")) others.push(path);
    at += 46 + nameLength + littleEndian(bytes, at + 30, 2) + littleEndian(bytes, at + 32, 2);
  }
  if (others.length > 0) {
    const more = others.length > 3 ? ` and ${others.length - 3} more` : "";
    report.unsupported("archive", `Files beside the card are not imported: ${others.slice(0, 3).join(", ")}${more}.`);
  }
  return found;
}

/** The end record stands last, behind at most 64 KB of comment. */
function findEnd(bytes: Uint8Array): number | undefined {
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - 22 - 0xff_ff); at -= 1) {
    if (littleEndian(bytes, at, 4) === endHeader) return at;
  }
  return undefined;
}

function isOutside(path: string): boolean {
  return path.startsWith("/") || /^[a-z]:/i.test(path) || path.split(/[\\/]/).includes("..");
}

function unpack(bytes: Uint8Array, central: number, start: number, report: ImportReport): Uint8Array {
  const method = littleEndian(bytes, central + 10, 2);
  const size = littleEndian(bytes, central + 20, 4);
  let local = start + littleEndian(bytes, central + 42, 4);
  if (littleEndian(bytes, local, 4) !== localHeader) local -= start;
  if (littleEndian(bytes, local, 4) !== localHeader) throw failed("The archive's directory points nowhere.");
  const from = local + 30 + littleEndian(bytes, local + 26, 2) + littleEndian(bytes, local + 28, 2);
  const packed = bytes.subarray(from, from + size);
  if (littleEndian(bytes, central + 8, 2) & 1) throw failed("The archive is encrypted.");
  if (method !== 0 && method !== 8) throw failed(`The archive uses the packing method ${method}.`);
  if (method === 0 && packed.length > maxFileSize) throw failed(`A file in it is larger than ${maxFileSize} bytes.`);
  const data = method === 0 ? packed : inflate(packed, maxFileSize);
  if (crc32(data) !== littleEndian(bytes, central + 16, 4)) {
    report.repaired("card.json", "The checksum is wrong; the card is used as it could be read.");
  }
  return data;
}

/** In bytes: no slice of packed data unpacks to more than about a megabyte, so that a limit holds early. */
const sliceSize = 1024;

/** Unpacks deflated bytes; throws when they are damaged or would be more than `limit`. */
export function inflate(packed: Uint8Array, limit: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  const stream = new Inflate((part) => {
    parts.push(part);
    size += part.length;
    if (size <= limit) return;
    const hint = "Cards are much smaller; the file may have been made to do harm.";
    throw importFailed(`The archive unpacks to more than ${limit} bytes.`, hint);
  });
  try {
    for (let at = 0; at < packed.length; at += sliceSize) stream.push(packed.subarray(at, at + sliceSize));
    const bytes = joinBytes(parts);
    // Only when it has all of them at once it sees that some are missing.
    if (packed.length > 0) return inflateSync(packed, { out: bytes });
  } catch (cause) {
    if (cause instanceof GalleyError) throw cause;
  }
  throw importFailed("The packed data is damaged.", "Export the file again.");
}

function failed(message: string): GalleyError {
  return importFailed(message, "Export the card again.");
}

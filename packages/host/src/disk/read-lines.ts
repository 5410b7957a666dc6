import { readSync } from "node:fs";
import { withFileSteps } from "./data-files.ts";

/** A line of a file without its end, and where it stands. */
export interface FileLine {
  readonly bytes: Buffer;
  readonly start: number;
  /** Behind its line end. */
  readonly end: number;
  /** False for a last line that was never finished. */
  readonly isEnded: boolean;
}

const newline = 10;
/** Most who read want a line or two; blocks grow for those who want more. */
const firstBlock = 8 * 1024;
const maxBlockSize = 1024 * 1024;

/** The lines of a file from its end to its start, read in blocks: the cost is that of the lines that are taken [W9]. */
export function* linesFromEnd(handle: number, size: number): Generator<FileLine> {
  let blockSize = firstBlock;
  let position = size;
  let lineEnd = size;
  // What has been read of the line whose start is not found yet, last piece first.
  let pieces: Buffer[] = [];
  let isEnded = false;
  while (position > 0) {
    const length = Math.min(blockSize, position);
    position -= length;
    const block = readAt(handle, position, length);
    let until = length;
    if (lineEnd === size && pieces.length === 0 && block[length - 1] === newline) {
      isEnded = true;
      until -= 1;
    }
    while (until >= 0) {
      const found = until === 0 ? -1 : block.lastIndexOf(newline, until - 1);
      if (found < 0) break;
      const last = block.subarray(found + 1, until);
      yield { bytes: join(last, pieces), start: position + found + 1, end: lineEnd, isEnded };
      pieces = [];
      lineEnd = position + found + 1;
      until = found;
      isEnded = true;
    }
    if (until > 0) pieces.push(block.subarray(0, until));
    blockSize = Math.min(blockSize * 2, maxBlockSize);
  }
  if (lineEnd > 0) yield { bytes: join(Buffer.alloc(0), pieces), start: 0, end: lineEnd, isEnded };
}

function join(first: Buffer, later: readonly Buffer[]): Buffer {
  return later.length === 0 ? first : Buffer.concat([first, ...later.toReversed()]);
}

/** The lines of a file from its start, or from a place in it; none where there is no such file. */
export function* fileLines(file: string, start = 0): Generator<FileLine, void> {
  yield* withFileSteps(file, (handle, size) => linesFromStart(handle, size, start));
}

/** The lines of a part of a file, from `start` on. */
export function* linesFromStart(handle: number, size: number, start = 0): Generator<FileLine, void> {
  let position = start;
  let lineStart = start;
  let blockSize = firstBlock;
  let pieces: Buffer[] = [];
  while (position < size) {
    const block = readAt(handle, position, Math.min(blockSize, size - position));
    blockSize = Math.min(blockSize * 2, maxBlockSize);
    let from = 0;
    for (let found = block.indexOf(newline); found >= 0; found = block.indexOf(newline, from)) {
      const end = position + found + 1;
      const bytes = Buffer.concat([...pieces, block.subarray(from, found)]);
      yield { bytes, start: lineStart, end, isEnded: true };
      pieces = [];
      lineStart = end;
      from = found + 1;
    }
    if (from < block.length) pieces.push(block.subarray(from));
    position += block.length;
  }
  if (lineStart < size) yield { bytes: Buffer.concat(pieces), start: lineStart, end: size, isEnded: false };
}

/** Reads exactly the given number of bytes, or fewer where the file has become shorter. */
export function readAt(handle: number, position: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const count = readSync(handle, buffer, read, length - read, position + read);
    if (count === 0) break;
    read += count;
  }
  return buffer.subarray(0, read);
}

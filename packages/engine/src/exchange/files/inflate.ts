// Not the package's main entry, which loads worker threads in Node.
import { Inflate } from "fflate/browser";
import { GalleyError } from "../../model/errors.ts";

/** Deflate makes at most 1,032 bytes out of one: a bomb is stopped within four megabytes of the limit. */
const sliceBytes = 4096;

/** Unpacks deflated bytes; throws when they are damaged or would be more than `limit`. */
export function inflate(packed: Uint8Array, limit: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  const stream = new Inflate((part) => {
    parts.push(part);
    size += part.length;
  });
  for (let from = 0; from === 0 || from < packed.length; from += sliceBytes) {
    unpack(stream, packed.subarray(from, from + sliceBytes), from + sliceBytes >= packed.length);
    if (size > limit) {
      throw new GalleyError("ImportFailed", `The archive unpacks to more than ${limit} bytes.`, {
        hint: "Cards are much smaller; the file may have been made to do harm.",
      });
    }
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function unpack(stream: Inflate, slice: Uint8Array, isLast: boolean): void {
  try {
    // The package takes nothing for a whole stream.
    if (slice.length === 0) throw new Error("The data is empty.");
    stream.push(slice, isLast);
  } catch (cause) {
    throw new GalleyError("ImportFailed", "The packed data is damaged.", { hint: "Export the file again.", cause });
  }
}

export interface BodyLimits {
  /** In bytes; the error that is thrown says so. */
  readonly max: number;
  /** The longest line, in bytes: readers hold a line until it ends. */
  readonly maxLineLength?: number;
  /** In bytes, between two blank lines: readers of event streams hold an event until it ends. */
  readonly maxEventLength?: number;
  /** What comes behind the limit is left unread, and nothing is thrown: for texts of errors, whose beginning is enough. */
  readonly isCut?: boolean;
}

const newline = 0x0a;
const carriageReturn = 0x0d;

/** A server that sends without end must not fill the memory: the same response, which is read no further than this. */
export function limitedBody(response: Response, limits: BodyLimits): Response {
  const { status, statusText, headers, body } = response;
  if (!body) return response;
  return new Response(body.pipeThrough(limiter(limits)), { status, statusText, headers });
}

function limiter(limits: BodyLimits): TransformStream<Piece, Piece> {
  const { max, maxLineLength = max, maxEventLength = max, isCut = false } = limits;
  let [bytes, line, event] = [0, 0, 0];
  return new TransformStream({
    transform(chunk, controller) {
      const left = max - bytes;
      bytes += chunk.length;
      const eventEnd = endOfEvents(chunk, line === 0);
      event = eventEnd < 0 ? event + chunk.length : chunk.length - eventEnd;
      const last = chunk.lastIndexOf(newline);
      line = last < 0 ? line + chunk.length : chunk.length - last - 1;
      if (bytes > max && isCut) {
        controller.enqueue(chunk.subarray(0, left));
        controller.terminate();
      } else if (bytes > max) controller.error(tooMuch(`more than ${max} bytes`));
      else if (line > maxLineLength) controller.error(tooMuch(`a line of more than ${maxLineLength} bytes`));
      else if (event > maxEventLength) controller.error(tooMuch(`an event of more than ${maxEventLength} bytes`));
      else controller.enqueue(chunk);
    },
  });
}

/** The place behind the last blank line, or -1. */
function endOfEvents(chunk: Piece, isAtLineStart: boolean): number {
  for (let at = chunk.lastIndexOf(newline); at >= 0; at = at === 0 ? -1 : chunk.lastIndexOf(newline, at - 1)) {
    const before = chunk[at - 1] === carriageReturn ? at - 2 : at - 1;
    if (before < 0 ? isAtLineStart : chunk[before] === newline) return at + 1;
  }
  return -1;
}

type Piece = Uint8Array<ArrayBuffer>;

function tooMuch(what: string): Error {
  return Object.assign(new Error(`It sent ${what}, and was not read any further.`), { name: tooMuchName });
}

/** The name of the error, by which it is known behind the libraries that wrap it. */
export const tooMuchName = "BodyTooLarge";

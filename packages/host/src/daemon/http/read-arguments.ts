import { GalleyError } from "@galley/engine";
import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { parseAs } from "../../api/parse-as.ts";
import { letOthersRun } from "../../limits/in-slices.ts";
import type { Route } from "../../api/index.ts";

interface GivenArguments {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Deeper than any document of ours; what walks through documents does so by recursion, which has its end. */
const maxLevels = 200;

/** In characters: more than any model reads at once. Counting, searching and storing one text is done in one piece. */
const maxTextLength = 4_000_000;
/** What pictures and files are sent in. */
const mediaFields: ReadonlySet<string> = new Set(["data", "image"]);

/** Checks what came in against the schemas of the route; throws with everything that is wrong. */
export function readArguments({ params, query, body }: Route, given: GivenArguments): GivenArguments {
  return {
    params: params && parseAs(params, given.params, "params"),
    query: query && parseAs(query, given.query, "query"),
    body: body && parseAs(body, given.body, "body"),
  };
}

/** Reads no more of a body than this many bytes. */
export function limitBody(maxSize: number): MiddlewareHandler {
  return bodyLimit({
    maxSize,
    onError: () => {
      const hint = "Send it in several pieces.";
      throw new GalleyError("RequestTooLarge", `The request is larger than ${maxSize} bytes.`, { path: "body", hint });
    },
  });
}

/** The text of a body as a document. A request without a body has sent an empty one. */
export async function readBody(request: Request): Promise<unknown> {
  const text = await request.text();
  const type = request.headers.get("content-type");
  if (text === "" && type === null) return {};
  if (!/^application\/json(?:\s*;|$)/i.test(type ?? "")) {
    throw new GalleyError("MediaTypeUnsupported", "The body must be JSON.", {
      path: "body",
      hint: "Send it with content-type: application/json.",
    });
  }
  checkPlain(request);
  return text === "" ? {} : parseDocument(text);
}

function checkPlain({ headers }: Request): void {
  if (/^(?:identity)?$/i.test(headers.get("content-encoding") ?? "")) return;
  throw new GalleyError("MediaTypeUnsupported", "The body must not be compressed.", { path: "body" });
}

/** A body as it comes, for what reads it in pieces. */
export function readPieces(request: Request): AsyncIterable<Uint8Array> {
  checkPlain(request);
  return request.body ?? ReadableStream.from([]);
}

/** The text of a request as JSON. Each step over a long one is a piece of its own, and lets others have their turn behind it. */
export async function parseDocument(text: string): Promise<unknown> {
  const document = parseJson(text);
  if (text.length > maxTextLength) await letOthersRun();
  const trouble = troubleIn(document);
  if (trouble) throw trouble;
  if (text.length > maxTextLength) await letOthersRun();
  return document;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new GalleyError("InvalidJson", "The body is not JSON.", { path: "body" });
  }
}

/** What no handler should meet: a document that is too deep, a text that is too long. */
function troubleIn(value: unknown): GalleyError | undefined {
  const place = placeOfTrouble(value, 0);
  if (!place) return undefined;
  if (place.length > maxLevels) {
    const hint = "Send a flatter document.";
    return new GalleyError("BadRequest", `The body is nested deeper than ${maxLevels} levels.`, { path: "body", hint });
  }
  return new GalleyError("RequestTooLarge", `A text of more than ${maxTextLength} characters is not taken.`, {
    path: ["body", ...place].join("."),
    hint: "Send it as a file, or in several messages.",
  });
}

function placeOfTrouble(value: unknown, level: number): readonly string[] | undefined {
  if (typeof value === "string") return value.length > maxTextLength ? [] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (level > maxLevels) return [];
  for (const key in value) {
    const field = (value as Readonly<Record<string, unknown>>)[key];
    const place = mediaFields.has(key) && typeof field === "string" ? undefined : placeOfTrouble(field, level + 1);
    if (place) return [key, ...place];
  }
  return undefined;
}

/** A name that is given twice becomes a list, which no schema of ours takes. */
export function readQuery(url: string): Record<string, unknown> {
  const given = new URL(url).searchParams;
  // Defined, not assigned: `__proto__` is a name like any other here.
  return Object.fromEntries(
    [...new Set(given.keys())].map((name) => {
      const values = given.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

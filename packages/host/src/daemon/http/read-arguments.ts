import { type ErrorCode, GalleyError, throwOnErrors } from "@galley/engine";
import { problemsOf } from "@galley/engine/schemas";
import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type * as z from "zod";
import type { Route } from "../../api/index.ts";

interface GivenArguments {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Deeper than any document of ours; what walks through documents does so by recursion, which has its end. */
const maxLevels = 200;

/** Checks what came in against the schemas of the route; throws with everything that is wrong. */
export function readArguments({ params, query, body }: Route, given: GivenArguments): GivenArguments {
  return {
    params: params && parseAs(params, given.params, "params"),
    query: query && parseAs(query, given.query, "query"),
    body: body && parseAs(body, given.body, "body"),
  };
}

/** The value as the schema reads it; throws with everything that is wrong, and where. */
export function parseAs<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: string,
  code: ErrorCode = "BadRequest",
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throwOnErrors(problemsOf(error.issues, code, path).map((problem) => ({ ...problem, severity: "error" as const })));
  throw new GalleyError(code, `${path} is not as it should be.`, { path });
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
  if (!/^(?:identity)?$/i.test(request.headers.get("content-encoding") ?? "")) {
    throw new GalleyError("MediaTypeUnsupported", "The body must not be compressed.", { path: "body" });
  }
  return text === "" ? {} : parseDocument(text);
}

/** The text of a request as JSON. */
export function parseDocument(text: string): unknown {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new GalleyError("InvalidJson", "The body is not JSON.", { path: "body" });
  }
  if (!isTooDeep(document)) return document;
  throw new GalleyError("BadRequest", `The body is nested deeper than ${maxLevels} levels.`, {
    path: "body",
    hint: "Send a flatter document.",
  });
}

function isTooDeep(document: unknown): boolean {
  let level: unknown[] = [document];
  for (let depth = 0; depth <= maxLevels; depth += 1) {
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
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

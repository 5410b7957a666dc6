import { GalleyError, throwOnErrors } from "@galley/engine";
import { problemsOf } from "@galley/engine/schemas";
import type * as z from "zod";
import type { Route } from "../../api/index.ts";
import { parseDocument } from "./parse-document.ts";

export interface RawArguments {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

interface ParsedArguments {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Checks what came in against the schemas of the route; throws with everything that is wrong. */
export function readArguments({ params, query, body }: Route, raw: RawArguments): ParsedArguments {
  return {
    params: params && parsePart(params, raw.params, "params"),
    query: query && parsePart(query, raw.query, "query"),
    body: body && parsePart(body, raw.body, "body"),
  };
}

function parsePart(schema: z.ZodType, value: unknown, name: string): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = problemsOf(result.error.issues, "BadRequest").map((problem) => ({
    ...problem,
    severity: "error" as const,
    path: problem.path === "" ? name : `${name}.${problem.path}`,
  }));
  throwOnErrors(problems);
  throw new GalleyError("BadRequest", `The ${name} of the request are not as they should be.`, { path: name });
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

/** A name that is given twice becomes a list, which no schema of ours takes. */
export function readQuery(url: string): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  const given = new URL(url).searchParams;
  for (const name of new Set(given.keys())) {
    const values = given.getAll(name);
    Object.defineProperty(query, name, {
      value: values.length === 1 ? values[0] : values,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return query;
}

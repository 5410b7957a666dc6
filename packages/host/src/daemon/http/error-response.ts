import { GalleyError } from "@galley/engine";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { httpStatus } from "./http-status.ts";

/** What a client is told of an error. */
export interface ErrorAnswer {
  readonly status: ContentfulStatusCode;
  /** In the shape of `errorBody`, with `problems` where more than one is known. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** An error that is none of ours says nothing about the inside: what it was stands in the log. */
export function errorAnswer(error: unknown, redact: <Value>(value: Value) => Value): ErrorAnswer {
  const known =
    error instanceof GalleyError
      ? error
      : new GalleyError("Unexpected", "Something went wrong inside Galley.", { hint: "daemon.log says more." });
  return { status: httpStatus[known.code], body: redact(known.toJSON()) };
}

export function errorResponse(error: unknown, redact: <Value>(value: Value) => Value): Response {
  const { status, body } = errorAnswer(error, redact);
  return Response.json(body, { status, headers: { "cache-control": "no-store" } });
}

import { GalleyError } from "@galley/engine";

/** The error for a row whose key another one has. */
export function duplicateIdError(cause: unknown): GalleyError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new GalleyError("DuplicateId", `An id is taken already by something else (${why}).`, {
    hint: "Give new agents, tasks and batches ids of their own.",
    cause,
  });
}

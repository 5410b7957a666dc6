import { GalleyError } from "@galley/engine";

/** An error of a request as one of ours where it is none of our fault: a client that left in the middle of its body. */
export function ownError(error: Error): Error {
  const isGone = "code" in error && error.code === "ECONNRESET";
  if (!isGone || error instanceof GalleyError) return error;
  return new GalleyError("BadRequest", "The body of the request did not come whole.", { path: "body", cause: error });
}

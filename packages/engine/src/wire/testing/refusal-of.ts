import { GalleyError } from "../../model/check/errors.ts";

/** The error that a call throws. */
export function refusalOf(run: () => unknown): GalleyError {
  try {
    run();
  } catch (error) {
    if (error instanceof GalleyError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

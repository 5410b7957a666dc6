import { GalleyError } from "@galley/engine";

/** The error for data that a newer Galley has written. */
export function tooNew(where: string, version: number, newest: number): GalleyError {
  return new GalleyError(
    "StoreVersion",
    `${where} has version ${version} of the schema; this Galley knows versions up to ${newest}.`,
    { hint: "Use the Galley that wrote it, or a newer one. Nothing was changed." },
  );
}

import { GalleyError } from "../../model/check/errors.ts";
import { build } from "../build.ts";
import type { BuildRequest } from "../window/build-request.ts";
import type { Build } from "../types.ts";

/** A build, or nothing when what is pinned does not fit. */
export function tryBuild(request: BuildRequest): Build | undefined {
  try {
    return build(request);
  } catch (error) {
    if (error instanceof GalleyError && error.code === "ContextOverflow") return undefined;
    throw error;
  }
}

/** What a provider is sent. */
export const bytes = (built: Build): string => JSON.stringify([built.messages, built.tools]);

/** How many messages of the log the ledger speaks of. */
export const countOf = ({ ledger }: Build): number =>
  ledger.reduce((sum, row) => sum + (row.kind === "message" || row.kind === "earlier" ? (row.count ?? 1) : 0), 0);

import type { BuildItem, NewBuild } from "../ports/build-store.ts";
import type { BuildRow } from "../database/tables.ts";

/** Everything of a build but its lists. */
export type BuildDetails = Omit<BuildItem, "n" | "key" | "usage">;

/** As it is stored: without what is usual, and what the key says already. */
type StoredDetails = Partial<BuildDetails> & Omit<BuildDetails, "problems" | "compacted">;

const usual = { problems: [], compacted: false } as const;

type NewDetails = Omit<BuildDetails, "turn" | "callOfTurn">;

/** The details of a build as JSON without its last brace: the turn's numbers follow. */
export function writeDetails(key: NewBuild["key"], details: NewDetails): string {
  const { problems, compacted, turnId, bySource, ...rest } = details;
  const written = {
    ...rest,
    bySource: Object.fromEntries(Object.entries(bySource).filter(([, tokens]) => tokens !== 0)),
    ...(problems.length > 0 ? { problems } : {}),
    ...(compacted ? { compacted } : {}),
    ...(turnId === turnOfKey(key) ? {} : { turnId }),
  };
  return JSON.stringify(written).slice(0, -1);
}

export function readDetails({ build_key, details }: Pick<BuildRow, "build_key" | "details">): BuildDetails {
  const stored = JSON.parse(details) as StoredDetails;
  const turnId = stored.turnId ?? turnOfKey(build_key);
  return { ...usual, ...stored, ...(turnId === undefined ? {} : { turnId }) };
}

/** Most keys are `<turn>/<call>/<limit>`. */
function turnOfKey(key: string): string | undefined {
  return /^(.+)\/[^/]*\/[^/]*$/su.exec(key)?.[1];
}

import type { LedgerRow } from "@galley/engine";

/** Where tokens of a build come from, as the daemon's records name it; Studio draws one colour for each. */
export const messageSources = [
  "template",
  "anchor",
  "depth",
  "profile",
  "summary",
  "history",
  "tools",
  "other",
] as const;

export type MessageSource = (typeof messageSources)[number];

/** The source of one row of the ledger. */
export function rowSource({ kind, id, place }: LedgerRow): MessageSource {
  switch (kind) {
    case "step":
      if (place?.kind === "depth") return "depth";
      return place?.kind === "anchor" ? "anchor" : "template";
    case "profile":
      return "profile";
    case "message":
    case "earlier":
      return "history";
    case "generated":
      return id === "summary" ? "summary" : "other";
    case "fragment":
    case "hint":
      return "other";
  }
}

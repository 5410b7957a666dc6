import type { Build } from "../fit/types.ts";
import type { LedgerRow } from "../model/ledger.ts";
import type { TokenAccount } from "../tokens/account.ts";

/** Where the tokens of a build come from. Records keep a sum for each, charts draw a colour for each. */
export const tokenSources = ["template", "anchor", "depth", "profile", "summary", "history", "tools", "other"] as const;

export type TokenSource = (typeof tokenSources)[number];

/** The source of one row of the ledger. */
export function rowSource({ kind, id, place }: LedgerRow): TokenSource {
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

/** The tokens of a build by where they come from; what frames the messages is `other`, so that the sum is the whole. */
export function tokensBySource(
  { ledger, tools, stats }: Pick<Build, "ledger" | "tools" | "stats">,
  account: TokenAccount,
): Record<TokenSource, number> {
  const sums = Object.fromEntries(tokenSources.map((source) => [source, 0])) as Record<TokenSource, number>;
  for (const tool of tools) sums.tools += account.countTool(tool);
  let known = sums.tools;
  for (const row of ledger) {
    if (row.position === undefined || row.tokens === undefined) continue;
    sums[rowSource(row)] += row.tokens;
    known += row.tokens;
  }
  sums.other += Math.max(0, stats.inputTokens - known);
  return sums;
}

import type { Build } from "../fit/types.ts";
import { fieldsCheck, listCheck, numberCheck } from "../model/check-input.ts";
import { type LedgerRow, ledgerCheck, rowCheck } from "../model/ledger.ts";
import { toolCheck } from "../model/message-schema.ts";
import { type TokenAccount, accountCheck } from "../tokens/account.ts";

/** Where the tokens of a build come from. Records keep a sum for each, charts draw a colour for each. */
export const tokenSources = ["template", "anchor", "depth", "profile", "summary", "history", "tools", "other"] as const;

export type TokenSource = (typeof tokenSources)[number];

/** The source of one row of the ledger. */
export function rowSource(row: LedgerRow): TokenSource {
  rowCheck(row, "row");
  const { kind, id, place } = row;
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

const buildCheck = fieldsCheck(
  {
    ledger: ledgerCheck,
    tools: listCheck(toolCheck),
    stats: fieldsCheck({ inputTokens: numberCheck }, ["inputTokens"]),
  },
  ["ledger", "tools", "stats"],
);

/** The tokens of a build by where they come from; what frames the messages is `other`, so that the sum is the whole. */
export function tokensBySource(
  build: Pick<Build, "ledger" | "tools" | "stats">,
  account: TokenAccount,
): Record<TokenSource, number> {
  buildCheck(build, "build");
  accountCheck(account, "account");
  const { ledger, tools, stats } = build;
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

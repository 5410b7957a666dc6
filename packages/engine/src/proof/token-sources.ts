import type { Build } from "../fit/types.ts";
import { explain, fieldsCheck, listCheck, numberCheck, wrongInput } from "../model/check/input.ts";
import { commonPrefix, knownPrefix } from "../model/grown-lists.ts";
import { type LedgerRow, ledgerCheck, rowCheck } from "../model/ledger.ts";
import { toolCheck } from "../model/message-schema.ts";
import { type TokenAccount, accountCheck } from "../tokens/account.ts";

/** Where the tokens of a build come from. Records keep a sum for each, charts draw a colour for each. */
export const tokenSources = ["template", "anchor", "depth", "profile", "summary", "history", "tools", "other"] as const;

export type TokenSource = (typeof tokenSources)[number];

/** The source of one row of the ledger. */
export function rowSource(row: LedgerRow): TokenSource {
  rowCheck(row, "row");
  return sourceOf(row);
}

function sourceOf(row: LedgerRow): TokenSource {
  const { kind, id, place } = row;
  switch (kind) {
    case "step":
    case "entries":
      if (place?.kind === "depth") return "depth";
      return place?.kind === "anchor" ? "anchor" : "template";
    case "profile":
      return "profile";
    case "message":
    case "pin":
    case "earlier":
      return "history";
    case "generated":
      return id === "summary" ? "summary" : "other";
    case "fragment":
      return id === "systemPrompt" ? "template" : "other";
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
  accountCheck(account, "account");
  try {
    const sums = sumSources(build, account);
    // What cannot be added up is looked at more closely.
    if (Object.values(sums).every(Number.isFinite)) return sums;
  } catch (error) {
    throw explain(error, () => buildCheck(build, "build"));
  }
  buildCheck(build, "build");
  throw wrongInput("build.ledger", "rows with figures", build.ledger);
}

function sumSources(
  { ledger, tools, stats }: Pick<Build, "ledger" | "tools" | "stats">,
  account: TokenAccount,
): Record<TokenSource, number> {
  const sums = { ...sumRows(ledger) };
  for (const tool of tools) sums.tools += account.countTool(tool);
  const known = Object.values(sums).reduce((sum, tokens) => sum + tokens, 0);
  sums.other += Math.max(0, stats.inputTokens - known);
  return sums;
}

/** The rows of a ledger that were added up. */
interface Summed {
  readonly ledger: readonly LedgerRow[];
  readonly sums: Readonly<Record<TokenSource, number>>;
}

// By the last row: the next build of a session has it near its end, and nearly all rows before it too. Rows never change.
const summed = new WeakMap<LedgerRow, Summed>();
/** How many rows may have come since. */
const reach = 64;

function sumRows(ledger: readonly LedgerRow[]): Summed["sums"] {
  const before = summedBefore(ledger);
  const shared = before ? commonPrefix(before.ledger, ledger, knownPrefix(before.ledger, ledger)) : 0;
  const sums = { ...(before?.sums ?? noTokens) };
  if (before) addRows(sums, before.ledger, shared, -1);
  addRows(sums, ledger, shared, 1);
  const last = ledger.at(-1);
  const isSound = Object.values(sums).every(Number.isFinite);
  if (isSound && typeof last === "object" && last !== null) summed.set(last, { ledger, sums });
  return sums;
}

const noTokens = Object.fromEntries(tokenSources.map((source) => [source, 0])) as Summed["sums"];

function summedBefore(ledger: readonly LedgerRow[]): Summed | undefined {
  for (let index = ledger.length - 1; index >= Math.max(0, ledger.length - reach); index -= 1) {
    const row = ledger[index] as LedgerRow;
    const known = summed.get(row);
    // Its place is taken, or the ledgers of all builds would stay as long as their rows.
    if (known) summed.delete(row);
    if (known) return known;
  }
  return undefined;
}

function addRows(sums: Record<TokenSource, number>, ledger: readonly LedgerRow[], from: number, sign: 1 | -1): void {
  for (const row of ledger.slice(from)) {
    if (row.position === undefined || row.tokens === undefined) continue;
    // Not multiplied: a figure that is none must stay visible in the sum.
    if (sign > 0) sums[sourceOf(row)] += row.tokens;
    else sums[sourceOf(row)] -= row.tokens;
  }
}

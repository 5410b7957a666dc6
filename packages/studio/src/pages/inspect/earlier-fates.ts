import type { LedgerRow } from "@galley/engine";
import type { RouteReply } from "galley/api";

type Cut = RouteReply<"sessions.compactions">["compactions"][number];

/**
 * The row that says what became of the message at a place, counted from the oldest. Each cut took what stood behind the one
 * before: first what no model has read, which no summary can stand for, and after it what it put into its summary.
 */
export function fateOf(at: number, rows: readonly LedgerRow[], cuts: readonly Cut[]): LedgerRow | undefined {
  const [first] = rows;
  if (rows.length < 2 || first === undefined) return first;
  let end = 0;
  const before = { dropped: 0, summarised: 0 };
  const last = cuts.findIndex(({ id }) => id === first.id);
  for (const cut of last < 0 ? [tallies(rows)] : cuts.slice(0, last + 1)) {
    for (const fate of ["dropped", "summarised"] as const) {
      const count = cut[fate]?.count ?? 0;
      end += count - before[fate];
      before[fate] = count;
      if (at < end) return rows.find((row) => row.fate === fate);
    }
  }
  return rows.at(-1);
}

/** Where the cuts are not known, as after an undo, what the rows say together. */
function tallies(rows: readonly LedgerRow[]): Pick<Cut, "dropped" | "summarised"> {
  const tally = (fate: LedgerRow["fate"]) => ({
    count: rows.find((row) => row.fate === fate)?.count ?? 0,
    tokens: 0,
  });
  return { dropped: tally("dropped"), summarised: tally("summarised") };
}

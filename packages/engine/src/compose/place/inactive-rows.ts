import type { LedgerRow } from "../../model/ledger.ts";
import type { ResolvedItem } from "../preset/resolve-preset.ts";

type DraftRow = { -readonly [Field in keyof LedgerRow]: LedgerRow[Field] };

/** One row for all steps of one book that did not come for one reason: a book may have thousands [K2]. */
export function inactiveRows(items: readonly ResolvedItem[]): DraftRow[] {
  const rows = new Map<string, DraftRow>();
  for (const { inactive, activation, role, id } of items) {
    if (!inactive) continue;
    const book = activation?.book;
    const key = JSON.stringify([book ?? id, inactive.rule, inactive.until]);
    const row = rows.get(key);
    if (row) row.count = (row.count ?? 1) + 1;
    else {
      const kind = book === undefined ? "step" : "entries";
      const { rule, until } = inactive;
      const own: DraftRow = { kind, id: book ?? id, role, fate: "inactive", rule, count: 1 };
      rows.set(key, until === undefined ? own : { ...own, until });
    }
  }
  return [...rows.values()];
}

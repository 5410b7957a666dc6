import type { DraftRow } from "../compose/place/place-items.ts";
import type { MessageEntry, Tally } from "../model/entries.ts";
import type { Fate, Rule } from "../model/ledger.ts";
import type { Applied } from "./apply-decision.ts";
import type { Prepared } from "./prepare.ts";

/** Rows for the messages of the view that are not sent, and one for all that lies behind the last compaction [P1]. */
export function rowsBeside({ view, normalized, history }: Prepared, { cut }: Applied): DraftRow[] {
  const rows: DraftRow[] = [];
  for (const { entry, rule } of normalized.removed) rows.push(messageRow(entry, rule));
  for (const index of cut) {
    const entry = history.entries[index] as MessageEntry;
    if (!normalized.made.has(entry.id)) rows.push(messageRow(entry, "limit"));
  }
  for (const { id } of view.duplicates)
    rows.push({ kind: "message", id, role: "user", fate: "dropped", rule: "duplicate" });
  for (const { id } of view.redacted)
    rows.push({ kind: "message", id, role: "user", fate: "dropped", rule: "redacted" });
  if (view.compaction) rows.push(...earlierRows(view.compaction.id, view.summarised, view.dropped));
  return rows;
}

function messageRow({ id, message }: MessageEntry, rule: Rule): DraftRow {
  return { kind: "message", id, role: message.role, fate: "dropped", rule };
}

function earlierRows(id: string, summarised: Tally, dropped: Tally): DraftRow[] {
  const row = ({ count, tokens }: Tally, fate: Fate): DraftRow => ({
    kind: "earlier",
    id,
    role: "user",
    fate,
    count,
    tokens,
  });
  return [
    ...(summarised.count > 0 ? [row(summarised, "summarised")] : []),
    ...(dropped.count > 0 ? [{ ...row(dropped, "dropped"), rule: "limit" as const }] : []),
  ];
}

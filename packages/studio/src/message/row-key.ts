import type { LedgerRow } from "@galley/engine";

/** Names one row of a ledger; a template that is used twice has two rows with one id, but two paths. */
export function rowKey({ kind, id, path }: LedgerRow): string {
  return path ?? `${kind} ${id}`;
}

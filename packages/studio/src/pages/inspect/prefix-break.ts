import type { LedgerRow, ModelMessage, ToolSpec } from "@galley/engine";

interface Sent {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  readonly stablePrefix: number;
}

/** What ended the common front of two calls before its time. */
export type PrefixBreak =
  | { readonly kind: "tools"; readonly names: readonly string[] }
  | { readonly kind: "message"; readonly position: number; readonly rows: readonly LedgerRow[] };

/** Why a provider could not read all from its cache that the call before promised; nothing where it could. */
export function prefixBreak(
  before: Sent,
  after: Sent & { readonly ledger: readonly LedgerRow[] },
): PrefixBreak | undefined {
  const names = changedTools(before.tools, after.tools);
  if (names.length > 0) return { kind: "tools", names };
  const promised = Math.min(before.stablePrefix, before.messages.length);
  for (let position = 0; position < promised; position += 1) {
    if (JSON.stringify(before.messages[position]) === JSON.stringify(after.messages[position])) continue;
    return { kind: "message", position, rows: after.ledger.filter((row) => row.position === position) };
  }
  return undefined;
}

function changedTools(before: readonly ToolSpec[], after: readonly ToolSpec[]): readonly string[] {
  const told = new Map(before.map((tool) => [tool.name, JSON.stringify(tool)]));
  const changed = after.filter((tool) => told.get(tool.name) !== JSON.stringify(tool)).map(({ name }) => name);
  const gone = before.filter(({ name }) => !after.some((tool) => tool.name === name)).map(({ name }) => name);
  return [...changed, ...gone];
}

import type { LedgerRow } from "@galley/engine";
import type { DescribeOptions, TokenSource } from "@galley/engine/proof";
import type { MessageText } from "../i18n/message.ts";

/** Names one row of a ledger; a template that is used twice has two rows with one id, but two paths. */
export function rowKey({ kind, id, path }: LedgerRow): string {
  return path ?? `${kind} ${id}`;
}

interface SourceLook {
  /** The coloured edge of a card. */
  readonly edge: string;
  /** A stretch of a bar, or the dot of a legend. */
  readonly background: string;
  /** The same in a drawing. */
  readonly fill: string;
}

/** One colour for each source, in lists, bars and charts alike. */
export const sourceLook: Readonly<Record<TokenSource, SourceLook>> = {
  template: { edge: "border-l-source-template", background: "bg-source-template", fill: "fill-source-template" },
  anchor: { edge: "border-l-source-anchor", background: "bg-source-anchor", fill: "fill-source-anchor" },
  depth: { edge: "border-l-source-depth", background: "bg-source-depth", fill: "fill-source-depth" },
  profile: { edge: "border-l-source-input", background: "bg-source-input", fill: "fill-source-input" },
  summary: { edge: "border-l-source-summary", background: "bg-source-summary", fill: "fill-source-summary" },
  history: { edge: "border-l-source-history", background: "bg-source-history", fill: "fill-source-history" },
  tools: { edge: "border-l-source-runtime", background: "bg-source-runtime", fill: "fill-source-runtime" },
  other: { edge: "border-l-edge", background: "bg-edge", fill: "fill-edge" },
};

/** "exact, o200k_base": how far a figure can be trusted, and who counted. */
export function countedBy(text: MessageText, exactness: string, tokenizer: string): string {
  if (exactness === "exact") return text.exact(tokenizer);
  return exactness === "calibrated" ? text.calibrated(tokenizer) : text.estimated(tokenizer);
}

/** The name that a step was given. What has none is known by its text, and its id says nothing to a reader. */
export function nameOf({ kind, id }: LedgerRow, names: DescribeOptions["names"]): string | undefined {
  return kind === "step" ? names?.get(id) : undefined;
}

import type { InjectionStrategy } from "@galley/engine";
import type { TokenSource } from "@galley/engine/proof";
import type { ShownStep } from "../../document/shown-steps.ts";
import type { SourceColor } from "../../kit/source-color.ts";

/** The colour that a step has in the list and its message in the preview. */
export function colorOfStep({ kind, strategy }: Pick<ShownStep, "kind" | "strategy">): SourceColor {
  if (strategy?.depth !== undefined) return "depth";
  if (strategy?.anchorTarget !== undefined) return "anchor";
  if (kind === "chat_history" || kind === "placeholder") return "history";
  return kind === "user_profile" ? "input" : "template";
}

export const colorOfSource: Readonly<Record<TokenSource, SourceColor>> = {
  template: "template",
  anchor: "anchor",
  depth: "depth",
  profile: "input",
  history: "history",
  summary: "summary",
  tools: "runtime",
  other: "frame",
};

export type InjectionMode = "list" | "depth" | "anchor";

/** Depth before anchor before list [C4]. */
export function modeOf(strategy: InjectionStrategy | undefined): InjectionMode {
  if (strategy?.depth !== undefined) return "depth";
  return strategy?.anchorTarget === undefined ? "list" : "anchor";
}

import type { MediaRule, ModelInfo } from "@galley/engine/models";
import type { ModelStatus, ServerAnswer } from "../../models/models.ts";
import { elastic, numbers, renderTable, styled } from "../terminal/table.ts";
import { type Terminal, styleFor } from "../terminal/terminal.ts";

/** A model with what is known about it, and whether it can be used. */
export interface ListedModel extends ModelInfo, Pick<ModelStatus, "usable" | "why"> {
  /** Nobody, for a model that is only known. */
  readonly provider?: string;
  readonly kind?: ModelStatus["kind"];
}

export interface ModelsList {
  readonly source: string;
  readonly default: string;
  readonly models: readonly ListedModel[];
  readonly servers?: readonly ServerAnswer[];
}

/** The models as a table, and below it for each provider whether it can be used and why. */
export function modelsText({ source, default: preset, models }: ModelsList, terminal: Terminal): string {
  const style = styleFor(terminal);
  const table = renderTable(
    [
      elastic("model", "bold"),
      numbers("window"),
      numbers("output"),
      numbers("$/M in"),
      numbers("out"),
      numbers("cached"),
      "tokens",
      styled("pictures", "dim"),
      "usable",
    ],
    models.map(({ name, window, output, isKnown, price, tokenizer, media, readsImages, usable }) => [
      name,
      isKnown ? number(window) : "?",
      isKnown ? number(output) : "?",
      money(price?.input),
      money(price?.output),
      money(price?.cachedInput),
      tokenizer.endsWith("_base") ? `exact (${tokenizer})` : `estimated (${tokenizer})`,
      readsImages ? mediaText(media) : "–",
      usable ? "yes" : "no",
    ]),
    terminal,
  );
  const reasons = new Map(
    models.map(({ provider = "others", usable, why }) => [`${provider} ${why}`, { provider, usable, why }]),
  );
  const why = renderTable(
    [styled("provider", "bold"), "usable", "why"],
    [...reasons.values()].map(({ provider, usable, why: reason }) => [provider, usable ? "yes" : "no", reason]),
    { ...terminal, columns: Infinity },
  );
  const count = style.dim(`${models.length} models; figures of ${source}; used when none is named: ${preset}`);
  return models.length === 0 ? `${count}\n` : `${table}\n\n${why}\n\n${count}\n`;
}

function mediaText(rule: MediaRule): string {
  switch (rule.kind) {
    case "openai-tiles":
      return `${rule.base} + ${rule.tile} a tile`;
    case "openai-patches":
      return `${rule.factor} a patch, ≤ ${number(rule.max)}`;
    case "anthropic":
      return `28-pixel patches, ≤ ${number(rule.max)}`;
    case "gemini-tiles":
      return "258 a tile";
    case "gemini-budget":
      return "1,120 each";
    case "unknown":
      return "no rule known";
  }
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

function money(value: number | undefined): string {
  return value === undefined ? "–" : String(value);
}

import { GalleyError, type Problem, loadModels } from "@galley/engine";
import type { ModelInfo } from "@galley/engine/models";

/** The flags that decide how much may be sent. */
export interface BudgetFlags {
  readonly model?: string;
  readonly budget?: number;
  readonly reserve?: number;
}

/** How much may be sent, and who said so. */
export interface Budget {
  readonly from: "flag" | "model" | "nothing";
  /** Without what is reserved for the reply; missing when there is no limit. */
  readonly tokens?: number;
  readonly reserve?: number;
  /** The model whose window it is. */
  readonly model?: string;
}

/** What the flags say; without them, the window of the model if it is known. */
export async function findBudget(flags: BudgetFlags): Promise<{ budget: Budget; warnings: readonly Problem[] }> {
  const { budget: tokens, reserve, model } = flags;
  const room = reserve === undefined ? {} : { reserve };
  if (tokens !== undefined) {
    requireRoom(tokens, reserve, `--budget ${tokens}`);
    return { budget: { from: "flag", tokens: tokens - (reserve ?? 0), ...room }, warnings: [] };
  }
  if (model === undefined) return { budget: { from: "nothing", ...room }, warnings: [] };
  const catalogue = await loadModels();
  const info = catalogue.find(model);
  if (!info.isKnown) {
    const nearest = catalogue.nearest(model);
    const hint = `Say how much may be sent with --budget${nearest.length > 0 ? `, or did you mean ${nearest.join(" or ")}?` : "."}`;
    const message = `Nothing is known about the model ${model}: nothing limits what is sent.`;
    return {
      budget: { from: "nothing", ...room },
      warnings: [{ severity: "warning", code: "NotFound", message, path: "--model", hint }],
    };
  }
  requireRoom(info.window, reserve, `the window of ${info.name} (${info.window})`);
  const kept = reserve ?? defaultReserve(info);
  return { budget: { from: "model", tokens: info.window - kept, reserve: kept, model: info.name }, warnings: [] };
}

function requireRoom(tokens: number, reserve = 0, of: string): void {
  if (reserve < tokens) return;
  throw new GalleyError("BadUsage", `--reserve ${reserve} leaves nothing of ${of} for the input.`, {
    hint: "Reserve less: it is the room for the reply, taken off what may be sent.",
  });
}

/** Room for the longest reply that the model gives, but never for more than a third of the window. */
function defaultReserve({ window, output }: ModelInfo): number {
  return Math.min(output, Math.floor(window / 3));
}

import { type Tokenizer, type WireProvider, GalleyError, loadModels, tokenizerForModel } from "@galley/engine";
import type { ModelInfo } from "@galley/engine/models";
import type { ResolvedModel } from "../../models/models.ts";
import type { Services } from "../services/services.ts";

/** What a build must know of the model that it is for. */
export interface ModelFacts {
  /** As it was asked for. */
  readonly id: string;
  readonly info: ModelInfo;
  readonly wire: WireProvider;
  /** With what the provider has reported so far. */
  readonly tokenizer: Tokenizer;
  /** There, where the model can be called. */
  readonly resolved?: ResolvedModel;
}

/** The facts of a model that will be called; `ModelUnavailable` when it cannot be. */
export async function callableModel(
  parts: Services,
  id: string,
): Promise<ModelFacts & { readonly resolved: ResolvedModel }> {
  const resolved = parts.models.resolve(id);
  const { info, wire } = resolved;
  return { id: resolved.id, info, wire, tokenizer: await tokenizerOf(parts, resolved.id, info), resolved };
}

/** The facts of a model that somebody else calls: what is not set up here, or is not known at all, can be built for too. */
export async function describedModel(parts: Services, id: string): Promise<ModelFacts> {
  try {
    return await callableModel(parts, id);
  } catch (error) {
    if (!(error instanceof GalleyError) || error.code !== "ModelUnavailable") throw error;
  }
  return foreignModel(id, parts);
}

/** The facts of a model as the catalogue knows it, for builds that no model of ours reads. */
export async function foreignModel(
  id: string,
  { config, calibration }: Partial<Pick<Services, "config" | "calibration">> = {},
): Promise<ModelFacts> {
  const info = (await loadModels(config?.models.overrides)).find(id);
  const tokenizer = await tokenizerForModel(id, {
    ...(calibration ? { calibration: calibration.current() } : {}),
    family: info.tokenizer,
  });
  return { id, info, wire: "ai-sdk", tokenizer };
}

function tokenizerOf({ calibration }: Services, id: string, { tokenizer: family }: ModelInfo): Promise<Tokenizer> {
  return tokenizerForModel(id, { calibration: calibration.current(), family });
}

/** By what the reported sizes have corrected a tokenizer's estimates; its id says so. */
export function calibrationOf(tokenizerId: string): number {
  const factor = Number(/@([\d.]+)$/.exec(tokenizerId)?.[1] ?? 1);
  return factor > 0 ? factor : 1;
}

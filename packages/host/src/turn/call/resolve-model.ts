import { type Tokenizer, type WireProvider, GalleyError, loadModels, tokenizerForModel } from "@galley/engine";
import type { Calibration, ModelInfo } from "@galley/engine/models";
import type { ResolvedModel } from "../../models/models.ts";
import type { Services } from "../services/services.ts";
import type { ModelObject } from "../services/turn-types.ts";

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
  const { resolved, ...facts } = await describedModel(parts, id);
  // Asked once more, it says why not.
  return { ...facts, resolved: resolved ?? parts.models.resolve(id) };
}

/** The facts of a model that a caller gave as an object [T9]: its own package makes the requests. */
export async function givenModel(
  parts: Services,
  model: ModelObject,
): Promise<ModelFacts & { readonly resolved: ResolvedModel }> {
  const facts = await foreignModel(model.modelId, parts);
  const { id, info, wire, tokenizer } = facts;
  const resolved: ResolvedModel = {
    id,
    provider: model.provider,
    kind: "openai-compatible",
    // The AI SDK takes models of earlier versions of its interface as well.
    model: model as ResolvedModel["model"],
    info,
    wire,
    tokenizer: async () => tokenizer,
  };
  return { ...facts, resolved };
}

/** The facts of a model that somebody else calls: what is not set up here, or is not known at all, can be built for too. */
export async function describedModel(parts: Services, id: string): Promise<ModelFacts> {
  const known = described.get(parts.models) ?? new Map<string, Described>();
  described.set(parts.models, known);
  const calibration = parts.calibration.current();
  const before = known.get(id);
  if (before && isCountedAlike(before, calibration)) return before.facts;
  const facts = await describe(parts, id);
  if (known.size >= maxDescribed) known.clear();
  known.set(id, { calibration, facts });
  return facts;
}

/** What was found out about a model, as long as no report of a provider changes how it is counted for. */
interface Described {
  readonly calibration: Calibration;
  readonly facts: ModelFacts;
}

function isCountedAlike({ calibration, facts }: Described, present: Calibration): boolean {
  if (calibration === present) return true;
  const [before, now] = [calibration, present].map(({ models }) => models[facts.id]?.factor);
  return before !== undefined && before === now;
}

const described = new WeakMap<object, Map<string, Described>>();
const maxDescribed = 100;

async function describe(parts: Services, id: string): Promise<ModelFacts> {
  try {
    const resolved = parts.models.resolve(id);
    const { info, wire } = resolved;
    return { id: resolved.id, info, wire, tokenizer: await tokenizerOf(parts, resolved.id, info), resolved };
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

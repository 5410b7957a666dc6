import { type Compactor, type ContextConfig, GalleyError, type Preset, parsePreset } from "@galley/engine";
import {
  type ContextSettings,
  type LayeredSettings,
  type SettingsLayer,
  layerSettings,
} from "../../config/settings-in-force.ts";
import { agentLayer, placeLayer, sharedLayers } from "../services/setting-layers.ts";
import { usualLimit } from "@galley/engine/models";
import { chatKeyOf } from "../../api/place-id.ts";
import type { SwitchSettings } from "../../chat/contexts/context-types.ts";
import { agentPreset } from "../../presets/preset-library.ts";
import { localTime } from "../services/local-time.ts";
import type { ModelObject, TurnRequest } from "../services/turn-types.ts";
import type { Services } from "../services/services.ts";
import type { ModelFacts } from "./resolve-model.ts";
import { type PlaceName, placeOfChat } from "../places/turn-place.ts";
import { type RuntimeData, runtimeData } from "./runtime-data.ts";
import { resolveCompactor } from "./resolve-compactor.ts";

/** What stays the same for all builds of a turn, with its context settings and where each of them came from [T3]. */
export interface TurnSettings extends LayeredSettings {
  readonly model: ModelFacts;
  /** Without the settings that it brought: those are in `settings`. */
  readonly preset: Preset;
  /** Of the library, where it is from there. */
  readonly presetId?: string;
  /** The time that the build is told; the same for all builds of a run, or the provider's cache would be of no use. */
  readonly now: string;
  readonly config: ContextConfig;
  /** Writes summaries of what no longer fits; without one it is dropped. */
  readonly compactor: Compactor | undefined;
  /** What the build is told of its surroundings [T5]. */
  readonly runtime: RuntimeData;
}

/** Which model a turn uses: the one it names, the chat's own, or the configuration's default. */
export async function modelIdOf(
  parts: Services,
  place: PlaceName,
  asked: string | ModelObject | undefined,
): Promise<string> {
  if (place.kind === "agent") parts.agents.named(place.name);
  if (asked !== undefined) return checkModelId(typeof asked === "string" ? asked : asked.modelId);
  return checkModelId((await placeOwn(parts, place)).model ?? parts.models.defaultId);
}

interface PlaceOwn {
  readonly model?: string | undefined;
  readonly preset?: string | undefined;
  readonly layer: SettingsLayer;
}

/** What is set in a place, and what it names for its turns [T15]; an agent's own chat comes before its configuration. */
async function placeOwn(parts: Services, place: PlaceName): Promise<PlaceOwn> {
  const key = chatKeyOf(place);
  return key === undefined ? { layer: await placeLayer(parts, place) } : chatOwn(parts, place, key);
}

type ChatServices = Pick<Services, "agents"> & { readonly chats: Pick<Services["chats"], "settings"> };

async function chatOwn({ agents, chats }: ChatServices, place: PlaceName, key: string): Promise<PlaceOwn> {
  const { model, preset, context } = await chats.settings(key);
  const agent = place.kind === "agent" ? agents.find(place.name) : undefined;
  return { model: model ?? agent?.model, preset: preset ?? agent?.preset, layer: { from: "chat", settings: context } };
}

const maxModelIdLength = 300;

/** The name is written as it is; what a database refuses cannot be a model's name. */
function checkModelId(id: string): string {
  if (id.length <= maxModelIdLength && id.isWellFormed() && !/\p{Cc}/u.test(id)) return id;
  throw new GalleyError("ModelUnavailable", `${JSON.stringify(id.slice(0, 60))} cannot be the name of a model.`, {
    path: "model",
    hint: `A name has at most ${maxModelIdLength} characters, all on one line. \`galley models\` lists what there is.`,
  });
}

/** What of a request are context settings: `context` and its short forms. */
export type SettingsRequest = Pick<TurnRequest, "preset" | "budget" | "system" | "variables" | "context" | "now">;

/** The preset of a turn, and the settings in force with it. */
export async function layeredSettings(
  parts: Services,
  place: PlaceName,
  request: SettingsRequest,
): Promise<LayeredSettings & Pick<TurnSettings, "preset" | "presetId">> {
  const own = await placeOwn(parts, place);
  const found = await presetOf(parts, place, request.preset ?? own.preset);
  const layered = layerSettings([
    ...placeLayers(parts, place, found.preset, own),
    { from: "request", settings: requestSettings(request) },
  ]);
  return { ...layered, ...found };
}

export async function resolveSettings(
  parts: Services,
  place: PlaceName,
  model: ModelFacts,
  request: SettingsRequest,
): Promise<TurnSettings> {
  const { now = parts.now() } = request;
  const { preset, presetId, ...layered } = await layeredSettings(parts, place, request);
  const time = localTime(new Date(now));
  const { settings } = layered;
  return {
    model,
    preset: withoutSettings(preset),
    presetId,
    now: time,
    runtime: await runtimeData(parts, settings, time),
    ...layered,
    config: configOf(model, settings),
    compactor: resolveCompactor(parts, settings.compaction),
  };
}

export function presetSettings({ context, variables }: Preset): ContextSettings | undefined {
  if (variables === undefined || context?.variables === null) return context;
  return { ...context, variables: { ...variables, ...context?.variables } };
}

function requestSettings({ context, budget, system, variables }: SettingsRequest): ContextSettings {
  return {
    ...context,
    ...(budget === undefined ? {} : { maxInputTokens: budget }),
    ...(system === undefined ? {} : { systemPrompt: system }),
    ...(variables === undefined ? {} : { variables: { ...context?.variables, ...variables } }),
  };
}

type LayerServices = Pick<Services, "config" | "context" | "agents">;

/** What a turn in a place is built with, before its request is known. */
function placeLayers(parts: LayerServices, place: PlaceName, preset: Preset, own: PlaceOwn): readonly SettingsLayer[] {
  return [
    ...sharedLayers(parts),
    agentLayer(parts, place),
    { from: "preset", settings: presetSettings(preset) },
    own.layer,
  ];
}

/** What is in force when somebody switches the context of a chat outside of a turn [A8, A9]. */
export async function switchSettingsOf(
  parts: LayerServices & ChatServices & Pick<Services, "presets" | "models">,
  key: string,
): Promise<SwitchSettings> {
  const place = placeOfChat(key);
  const own = await chatOwn(parts, place, key);
  const { preset } = await presetOf(parts, place, own.preset);
  const { settings } = layerSettings(placeLayers(parts, place, preset, own));
  return switchSettings({ settings, compactor: resolveCompactor(parts, settings.compaction) });
}

export function switchSettings({ settings, compactor }: Pick<TurnSettings, "settings" | "compactor">): SwitchSettings {
  const { language } = settings;
  return { compactor, ...(language === "auto" ? {} : { language }) };
}

const stripped = new WeakMap<Preset, Preset>();

/** The preset without what is in the layers already: a layer above may have taken it back. The same object each time. */
export function withoutSettings(preset: Preset): Preset {
  if (preset.context === undefined && preset.variables === undefined) return preset;
  const { context: _, variables: __, ...rest } = preset;
  const known = stripped.get(preset) ?? rest;
  stripped.set(preset, known);
  return known;
}

async function presetOf(
  parts: Pick<Services, "presets">,
  place: PlaceName,
  chosen: TurnRequest["preset"],
): Promise<Pick<TurnSettings, "preset" | "presetId">> {
  if (typeof chosen === "object") return { preset: parsePreset(chosen).preset };
  const presetId = chosen ?? "default";
  const { preset, version } = await parts.presets.get(presetId);
  // An agent has its own text: what the built-in preset says of an assistant would contradict it.
  const isBuiltIn = place.kind === "agent" && chosen === undefined && version === 0;
  return isBuiltIn ? { preset: agentPreset } : { preset, presetId };
}

/** What was set is taken as it is; the default reserve comes off the model's window only [T3]. */
export function configOf({ info }: ModelFacts, settings: LayeredSettings["settings"]): ContextConfig {
  const { maxInputTokens, reserveOutputTokens, maxHistoryMessages, targetRatio } = settings;
  const reserve = reserveOutputTokens ?? (maxInputTokens === undefined ? usualLimit(info).reserve : 0);
  const limit = maxInputTokens ?? info.window;
  if (reserve >= limit) {
    throw new GalleyError(
      "ContextInvalidInput",
      `Of ${limit} tokens, ${reserve} are kept for the reply: none is left.`,
      {
        path: "context.reserveOutputTokens",
        hint: "Lower it, or raise maxInputTokens.",
      },
    );
  }
  return {
    maxInputTokens: limit,
    ...(reserve === 0 ? {} : { reserveOutputTokens: reserve }),
    ...(maxHistoryMessages === undefined ? {} : { maxHistoryMessages }),
    targetRatio,
  };
}

/** How many tokens may be sent. */
export function budgetOf({ maxInputTokens, reserveOutputTokens = 0 }: ContextConfig): number {
  return maxInputTokens - reserveOutputTokens;
}

import type { JsonObject } from "@galley/engine";
import {
  type ContextSettings,
  type SettingInForce,
  type SettingSource,
  contextSettingsSchema,
} from "../api/context-settings.ts";
import { boundedMap } from "../limits/bounded-map.ts";

export type { ContextSettings, SettingInForce, SettingSource };

export type SettingKey = keyof ContextSettings;

/** Every key of the context settings, in the order in which they are shown. */
export const settingKeys = Object.keys(contextSettingsSchema.shape) as readonly SettingKey[];

type Value<Key extends SettingKey> = NonNullable<ContextSettings[Key]>;

/** The settings in force: keys whose built-in default is nothing at all may be absent. */
export interface ResolvedContextSettings {
  readonly systemPrompt?: string;
  readonly maxInputTokens?: number;
  readonly reserveOutputTokens?: number;
  readonly maxHistoryMessages?: number;
  readonly targetRatio: number;
  readonly compaction: Value<"compaction">;
  readonly runtimeData: Value<"runtimeData">;
  readonly hints: Readonly<Record<string, string>>;
  readonly userProfile?: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly toolSteps: Value<"toolSteps">;
  readonly ownTools: Value<"ownTools">;
  readonly recall: boolean;
  readonly pins: Value<"pins">;
  readonly language: Value<"language">;
}

/** The built-in defaults. Every one of them is here. */
export const defaultContextSettings: ResolvedContextSettings = {
  targetRatio: 0.5,
  compaction: "extractive",
  runtimeData: "off",
  hints: {},
  variables: {},
  toolSteps: "drop",
  ownTools: "all",
  recall: true,
  pins: "person",
  language: "auto",
};

export interface SettingsLayer {
  readonly from: Exclude<SettingSource, "default">;
  readonly settings: ContextSettings | undefined;
}

/** Where a value came from; for values that are merged by name, each name too. */
interface SettingOrigin {
  readonly from: SettingSource;
  readonly keys?: Readonly<Record<string, SettingSource>>;
}

export interface LayeredSettings {
  readonly settings: ResolvedContextSettings;
  readonly sources: Readonly<Record<SettingKey, SettingOrigin>>;
}

const mergedKeys: ReadonlySet<string> = new Set<SettingKey>(["hints", "variables", "runtimeData"]);
const usualOrigin: SettingOrigin = { from: "default" };
const usualSources = Object.fromEntries(settingKeys.map((key) => [key, usualOrigin]));

/** The layers as one: the later wins, maps are merged by name, `null` sets back to the built-in default [T3]. */
export function layerSettings(layers: readonly SettingsLayer[]): LayeredSettings {
  const settings: Record<string, unknown> = { ...defaultContextSettings };
  const sources: Record<string, SettingOrigin> = { ...usualSources };
  for (const { from, settings: layer = {} } of layers) {
    for (const [key, given] of Object.entries(layer)) {
      if (given === undefined || !Object.hasOwn(usualSources, key)) continue;
      const origin: SettingOrigin = { from };
      if (given === null) {
        settings[key] = defaultContextSettings[key as SettingKey];
        if (settings[key] === undefined) delete settings[key];
        sources[key] = origin;
      } else if (mergedKeys.has(key) && isMap(given)) {
        const before = isMap(settings[key]) ? settings[key] : {};
        const named = Object.keys(given).map((name) => [name, from] as const);
        settings[key] = sameMap({ ...before, ...given });
        sources[key] = { from, keys: { ...sources[key]?.keys, ...Object.fromEntries(named) } };
      } else {
        settings[key] = given;
        sources[key] = origin;
      }
    }
  }
  return { settings, sources } as unknown as LayeredSettings;
}

// Builds are known again by the identity of their inputs; only speed depends on it.
const maps = boundedMap<string, JsonObject>(256, () => 1);

/** The object that stood for the same map before. */
function sameMap(map: JsonObject): JsonObject {
  const key = JSON.stringify(map);
  const known = maps.get(key) ?? map;
  maps.set(key, known);
  return known;
}

function isMap(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Every setting with its value and where that came from; `unused` says of some why they have no effect. */
export function settingsInForce(
  { settings, sources }: LayeredSettings,
  unused: Partial<Readonly<Record<SettingKey, string>>> = {},
): readonly SettingInForce[] {
  return settingKeys.map((key) => {
    const why = unused[key];
    return { key, value: settings[key], ...sources[key], ...(why === undefined ? {} : { unused: why }) };
  });
}

/** The settings that somebody had set, and the built-in defaults of all others, in one order. */
export function withDefaults(set: readonly SettingInForce[]): readonly SettingInForce[] {
  return settingsInForce(layerSettings([])).map((usual) => set.find(({ key }) => key === usual.key) ?? usual);
}

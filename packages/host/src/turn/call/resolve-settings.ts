import { type ContextConfig, GalleyError, type JsonObject, type Preset, parsePreset } from "@galley/engine";
import { localTime } from "../services/local-time.ts";
import type { TurnRequest } from "../services/turn-types.ts";
import type { Services } from "../services/services.ts";
import type { ModelFacts } from "./resolve-model.ts";
import type { PlaceName } from "../places/turn-place.ts";

/** What stays the same for all builds of a turn. */
export interface TurnSettings {
  readonly model: ModelFacts;
  readonly preset: Preset;
  /** Of the library, where it is from there. */
  readonly presetId?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** What the model must know now and later turns need not. */
  readonly runtimeHints?: JsonObject;
  /** The time that the build is told; the same for all builds of a run, or the provider's cache would be of no use. */
  readonly now: string;
  readonly config: ContextConfig;
}

/** Which model a turn uses: the one it names, the chat's own, or the configuration's default. */
export async function modelIdOf(parts: Services, place: PlaceName, asked: string | undefined): Promise<string> {
  if (asked !== undefined) return checkModelId(asked);
  const own = place.kind === "chat" ? (await parts.chats.settings(place.name)).model : undefined;
  return checkModelId(own ?? parts.models.defaultId);
}

const maxModelIdLength = 300;

/** The name is written as it is; what no database takes is no model's name either. */
function checkModelId(id: string): string {
  if (id.length <= maxModelIdLength && id.isWellFormed() && !/\p{Cc}/u.test(id)) return id;
  throw new GalleyError("ModelUnavailable", `${JSON.stringify(id.slice(0, 60))} cannot be the name of a model.`, {
    path: "model",
    hint: `A name has at most ${maxModelIdLength} characters, all on one line. \`galley models\` lists what there is.`,
  });
}

export async function resolveSettings(
  parts: Services,
  place: PlaceName,
  model: ModelFacts,
  request: Pick<TurnRequest, "preset" | "budget" | "variables" | "now">,
): Promise<TurnSettings> {
  const { variables, now = parts.now() } = request;
  return {
    model,
    ...(await presetOf(parts, place, request.preset)),
    ...(variables === undefined ? {} : { variables }),
    now: localTime(new Date(now)),
    config: configOf(model, request.budget),
  };
}

async function presetOf(
  { presets, chats }: Services,
  place: PlaceName,
  asked: TurnRequest["preset"],
): Promise<Pick<TurnSettings, "preset" | "presetId">> {
  if (typeof asked === "object") return { preset: parsePreset(asked).preset };
  const own = place.kind === "chat" ? (await chats.settings(place.name)).preset : undefined;
  const presetId = asked ?? own ?? "default";
  return { preset: (await presets.get(presetId)).preset, presetId };
}

/** A quarter of the window at most is kept free for the reply: some models could write a whole window. */
const maxReserve = 0.25;

export function configOf({ info }: ModelFacts, budget: number | undefined): ContextConfig {
  const reserve = Math.min(info.output, Math.floor(info.window * maxReserve));
  if (budget !== undefined) return { maxInputTokens: Math.min(budget, Math.max(1, info.window - reserve)) };
  return { maxInputTokens: info.window, reserveOutputTokens: reserve };
}

/** How many tokens may be sent. */
export function budgetOf({ maxInputTokens, reserveOutputTokens = 0 }: ContextConfig): number {
  return maxInputTokens - reserveOutputTokens;
}

import { GalleyError, type Problem } from "@galley/engine";
import { shorten } from "../../limits/short-text.ts";
import { agentOfChat } from "../../api/place-id.ts";
import { type SettingInForce, type SettingKey, settingKeys, settingsInForce } from "../../config/settings-in-force.ts";
import { ownedPlace, placeOf } from "../places/turn-place.ts";
import type { Services } from "../services/services.ts";
import type { TurnRequest } from "../services/turn-types.ts";
import { describedModel } from "./resolve-model.ts";
import { resolveCompactor } from "./resolve-compactor.ts";
import { type TurnSettings, budgetOf, configOf, layeredSettings, modelIdOf } from "./resolve-settings.ts";

/** A turn without its input. */
export type SettingsQuestion = Omit<TurnRequest, "input" | "now">;

/** What a turn would be built with. */
export interface SettingsAnswer {
  readonly model: string;
  readonly preset?: string;
  /** How many tokens may be sent. */
  readonly budget: number;
  readonly settings: readonly SettingInForce[];
  /** What would make the turn fail. */
  readonly problems: readonly Problem[];
}

/** The settings of a turn that is not begun; nothing is written. What would make a turn fail is told, so that it can be mended. */
export async function settingsFor(parts: Services, request: SettingsQuestion): Promise<SettingsAnswer> {
  const { chat } = request;
  // Those of an agent's chat can be looked at as the chat's own, where they are set.
  const place = agentOfChat(chat ?? "") === undefined ? placeOf(request) : ownedPlace(request);
  const model = await describedModel(parts, await modelIdOf(parts, place, request.model));
  const plan = await layeredSettings(parts, place, request);
  const { settings } = plan;
  const problems: Problem[] = [];
  const orProblem = <Value>(work: () => Value): Value | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof GalleyError)) throw error;
      const { code, message, path = "context", hint } = error;
      problems.push({ severity: "warning", code, message, path, hint });
      return undefined;
    }
  };
  const config = orProblem(() => configOf(model, settings));
  orProblem(() => resolveCompactor(parts, settings.compaction));
  return {
    model: model.id,
    ...(plan.presetId === undefined ? {} : { preset: plan.presetId }),
    budget: config === undefined ? 0 : budgetOf(config),
    settings: settingsInForce(plan, place.kind === "agent" ? unusedByAcp : {}),
    problems,
  };
}

const usedByAcp: ReadonlySet<SettingKey> = new Set<SettingKey>(["systemPrompt", "ownTools", "recall", "language"]);
const whyUnused = "in prompts to its own program, which builds its own input; turns that Galley runs use it";

/** The settings that mean nothing to an agent whose program talks to its model itself (ACP). */
const unusedByAcp: Partial<Readonly<Record<SettingKey, string>>> = Object.fromEntries(
  settingKeys.filter((key) => !usedByAcp.has(key)).map((key) => [key, whyUnused]),
);

/** What a recorded call keeps of its settings: those that somebody set. Long texts are in the messages already. */
export function recordedSettings(plan: Pick<TurnSettings, "settings" | "sources">): readonly SettingInForce[] {
  return settingsInForce(plan)
    .filter(({ from }) => from !== "default")
    .map((setting) => ({ ...setting, value: shortened(setting.value) }));
}

const maxTextLength = 200;

function shortened(value: unknown): unknown {
  if (typeof value === "string") return shorten(value, maxTextLength);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, shortened(field)]));
}

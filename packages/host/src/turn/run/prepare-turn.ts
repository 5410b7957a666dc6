import type { Problem } from "@galley/engine";
import { withKeptTools } from "../call/last-build.ts";
import type { ModelFacts } from "../call/resolve-model.ts";
import {
  type SettingsRequest,
  type TurnSettings,
  budgetOf,
  resolveSettings,
  switchSettings,
} from "../call/resolve-settings.ts";
import { openPlace } from "../places/open-place.ts";
import type { OpenPlace, PlaceName, PlaceRequest } from "../places/turn-place.ts";
import type { Services } from "../services/services.ts";
import { offeredTools } from "../tools/own-tools.ts";

/** A turn with its settings in force and its place open. */
export interface PreparedTurn {
  readonly plan: TurnSettings;
  readonly place: OpenPlace;
  readonly problems: readonly Problem[];
}

/** Settles a turn and opens its place: the same for a run, for a turn of another program, and for one that is only looked at. */
export async function prepareTurn(
  parts: Services,
  name: PlaceName,
  model: ModelFacts,
  request: SettingsRequest,
  asked: Omit<PlaceRequest, "windowTokens" | "switching" | "ownTools">,
): Promise<PreparedTurn> {
  const plan = await resolveSettings(parts, name, model, request);
  const settled = {
    windowTokens: budgetOf(plan.config),
    switching: switchSettings(plan),
    ownTools: offeredTools(plan.settings),
  };
  const { place, problems } = await openPlace(parts, name, { ...asked, ...settled }, model.id);
  return { plan, place: await withKeptTools(parts, place, plan.settings), problems };
}

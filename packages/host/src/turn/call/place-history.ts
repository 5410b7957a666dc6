import { type ModelMessage, tokenAccount } from "@galley/engine";
import { saidIn } from "../../handover/pack/pack-history.ts";
import type { PlaceHistory } from "../../tools/tool.ts";
import type { LoopPlace } from "../places/turn-place.ts";
import { type TurnSettings, budgetOf } from "./resolve-settings.ts";

/** What was said so far, for an agent that is to know it [A3]. */
export function placeHistory(place: Pick<LoopPlace, "entries" | "pending">, plan: TurnSettings): PlaceHistory {
  const account = tokenAccount(plan.model.tokenizer);
  const pending = place.pending().map(({ role, content }) => ({ role, content }) as ModelMessage);
  return {
    messages: [...saidIn(place.entries()), ...pending],
    inputTokens: budgetOf(plan.config),
    countTokens: (message) => account.countMessage(message),
  };
}

import { GalleyError } from "@galley/engine";
import { newId } from "../../handover/options/new-id.ts";
import type { GalleyTurn, TurnRequest } from "../services/turn-types.ts";
import { checkNames } from "../services/check-names.ts";
import { buildCall } from "../call/build-call.ts";
import { checkOutcome } from "./parse-reply.ts";
import type { Services } from "../services/services.ts";
import { describedModel } from "../call/resolve-model.ts";
import { openPlace } from "../places/open-place.ts";
import { recordCall } from "../call/record-call.ts";
import { userMessage } from "./run-request.ts";
import { placeOf } from "../places/turn-place.ts";
import { budgetOf, modelIdOf, resolveSettings } from "../call/resolve-settings.ts";

/** Builds a turn for those who call the model themselves. */
export async function openTurn(parts: Services, request: TurnRequest): Promise<GalleyTurn> {
  const name = placeOf(request);
  if (name.kind === "session") checkNames({ session: name.name }, parts.redactor.secrets());
  const input = parts.redactor.redact(userMessage(request.input));
  const model = await describedModel(parts, await modelIdOf(parts, name, request.model));
  const plan = await resolveSettings(parts, name, model, request);
  const inputTs = name.kind === "chat" ? (await parts.chats.open(name.name)).nextTime() : parts.now();
  const turnId = newId(parts.now());
  const placed = { runId: turnId, input, inputTs, windowTokens: budgetOf(plan.config) };
  const { place, problems } = await openPlace(parts, name, placed, model.id);
  const built = await buildCall(parts, place, plan, { problems });
  await place.keepDecisions(built.entriesToAppend);
  const n = await recordCall(parts, built, { session: place.session, key: turnId, plan });
  const { messages, tools, ledger, digest, stats, stablePrefix, recipe } = built;
  const once = endOnce();
  return {
    messages,
    tools,
    ledger,
    digest,
    stats,
    stablePrefix,
    ...(recipe ? { recipe } : {}),
    problems: built.problems,
    session: place.session,
    n,
    commit: ({ assistant, steps = [] }) =>
      once("committed", async () => {
        const outcome = parts.redactor.redact(checkOutcome(assistant, steps));
        if (place.steps().length === 0) place.add(outcome.steps);
        await place.commit(outcome.reply, place.nextTime());
      }),
    abort: () => once("aborted", () => place.fail()),
  };
}

/** Lets a turn end once; after an error it is open again, because nothing was kept. */
function endOnce(): (how: string, work: () => Promise<void>) => Promise<void> {
  let ended: string | undefined;
  return async (how, work) => {
    if (ended !== undefined) {
      const hint = "Begin a new turn for the next message.";
      throw new GalleyError("EditNotAllowed", `The turn was ${ended} already.`, { hint });
    }
    ended = how;
    try {
      await work();
    } catch (error) {
      ended = undefined;
      throw error;
    }
  };
}

import { GalleyError, type AssistantMessage, type ModelMessage } from "@galley/engine";
import { newId } from "../../handover/options/new-id.ts";
import type { GalleyTurn, TurnRequest } from "../services/turn-types.ts";
import { checkNames } from "../services/check-names.ts";
import { buildCall } from "../call/build-call.ts";
import type { Services } from "../services/services.ts";
import { describedModel } from "../call/resolve-model.ts";
import { openPlace } from "../places/open-place.ts";
import { recordCall } from "../call/record-call.ts";
import { userMessage } from "./run-request.ts";
import { placeOf } from "../places/turn-place.ts";
import { budgetOf, modelIdOf, resolveSettings } from "../call/resolve-settings.ts";
import { messageSchema } from "@galley/engine/schemas";

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

interface TurnOutcome {
  readonly reply: AssistantMessage;
  readonly steps: readonly ModelMessage[];
}

/** What came back for a turn. What is no reply must not get into the log, where every later turn would stumble over it. */
function checkOutcome(assistant: unknown, steps: unknown): TurnOutcome {
  const reply = typeof assistant === "string" ? { role: "assistant", content: assistant } : assistant;
  checkMessage(reply, ["assistant"], "assistant");
  if (!Array.isArray(steps)) throw noOutcome("is not a list of messages", "steps");
  const open = new Set<string>();
  for (const [index, step] of steps.entries()) {
    const path = `steps[${index}]`;
    checkMessage(step, ["assistant", "tool"], path);
    const isCall = (step as ModelMessage).role === "assistant";
    if (isCall && open.size > 0) throw unpaired(open, path);
    for (const part of partsOf(step as ModelMessage)) {
      if (part.type === "tool-call" && !part.providerExecuted) open.add(part.toolCallId);
      if (part.type !== "tool-result" || isCall || open.delete(part.toolCallId)) continue;
      throw noOutcome(`has a result for ${JSON.stringify(part.toolCallId)}, which no step called`, path);
    }
  }
  if (open.size > 0) throw unpaired(open, "steps");
  return { reply: reply as AssistantMessage, steps: steps as readonly ModelMessage[] };
}

function partsOf({ content }: ModelMessage): readonly Exclude<ModelMessage["content"], string>[number][] {
  return typeof content === "string" ? [] : content;
}

function checkMessage(value: unknown, roles: readonly ModelMessage["role"][], path: string): void {
  const { success, data, error } = messageSchema.safeParse(value);
  if (!success) throw noOutcome(`is not a message: ${error.issues[0]?.message ?? ""}`, path);
  if (!roles.includes(data.role)) throw noOutcome(`has the role ${data.role}, not ${roles.join(" or ")}`, path);
}

function unpaired(calls: ReadonlySet<string>, path: string): GalleyError {
  return noOutcome(`lacks the results of the calls ${[...calls].join(", ")}`, path);
}

function noOutcome(what: string, path: string): GalleyError {
  return new GalleyError("ContextInvalidInput", `${path} ${what}.`, {
    path,
    hint: "Give the reply as a text or as a message of the assistant, and as steps each call together with its result.",
  });
}

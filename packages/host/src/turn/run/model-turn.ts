import {
  type AssistantMessage,
  GalleyError,
  type JsonObject,
  type ModelMessage,
  type ToolResultPart,
} from "@galley/engine";
import * as z from "zod";
import { type TurnBuild, type TurnContext, buildTurn } from "../../handover/work/build-turn.ts";
import { type HandoverTool, specsOf } from "../../handover/plan/handover-tools.ts";
import { serveCalls } from "../../handover/work/serve-calls.ts";
import type { RunTurn, TurnRun } from "../../handover/work/turn-run.ts";
import type { Turn } from "../../store/ports/turn-store.ts";
import type { BuiltCall } from "../call/build-call.ts";
import { type ModelReply, callModel } from "../call/call-model.ts";
import { publicError } from "./execute-run.ts";
import type { GalleyParts } from "../services/galley-parts.ts";
import { callableModel } from "../call/model-facts.ts";
import { withNamedCalls } from "../tools/named-calls.ts";
import { overflowBudget } from "../call/overflow-budget.ts";
import { ownTools } from "../tools/own-tools.ts";
import { recordCall, recordUsage } from "../call/record-call.ts";
import { callsOf, graceMs, refusedCalls, tooManyCalls } from "../tools/serve-step.ts";
import { configOf } from "../call/turn-plan.ts";
import { withUniqueCalls } from "../tools/unique-calls.ts";
import { untilAborted } from "../../limits/until-aborted.ts";

const mostCalls = 25;

/** Runs delegated turns with a model: the loop of a run, over boxes instead of a chat. A fork parks the turn [H7]. */
export function modelTurn(parts: GalleyParts, workerModel: string): RunTurn {
  const tools = toolsOf(parts);
  return async (first) => {
    let run: TurnRun = first;
    for (let round = 0; round < mostCalls; round += 1) {
      const served = await serveCalls(run, tools);
      if (!served) return { status: "suspended" };
      const reply = await callOnce(parts, served, `${first.turn.attempt}/${round}`, workerModel);
      const named = withNamedCalls(parts.redactor.redact(reply.message), served.build.tools);
      const message = withUniqueCalls(named, served.build.messages);
      if (reply.calls.length === 0) return { status: "done", messages: [message] };
      run = await served.record([message, ...refusals(message, reply)]);
    }
    throw new GalleyError("TurnFailed", `The model was called ${mostCalls} times without an answer.`, {
      hint: "Give the task in smaller pieces.",
    });
  };
}

/** So many calls of one reply are served. */
const callsPerReply = 20;

/** Results for the calls that could not be read, or are too many, so that nobody serves them. */
function refusals(message: AssistantMessage, { unreadable }: ModelReply): readonly ModelMessage[] {
  const refused = refusedCalls(message, unreadable);
  const content = callsOf(message).flatMap(({ toolCallId, toolName }, index): ToolResultPart[] => {
    if (index >= callsPerReply)
      return [{ type: "tool-result", toolCallId, toolName, output: tooManyCalls(callsPerReply) }];
    const value = refused[toolCallId];
    if (value === undefined) return [];
    return [{ type: "tool-result", toolCallId, toolName, output: { type: "error-text", value } }];
  });
  return content.length === 0 ? [] : [{ role: "tool", content }];
}

/** How the turns of the embedded worker are built: for the model of whoever delegated them. */
export function turnContextFor(parts: GalleyParts, workerModel: string): (turn: Turn) => Promise<TurnContext> {
  const own = ownTools(parts.tools.filter(isServed), {}).map(({ spec }) => spec);
  const tools = [...specsOf(parts.handover.tools), ...own];
  return async (turn) => {
    const model = await callableModel(parts, modelOf(turn, workerModel));
    return { config: configOf(model, undefined), tokenizer: model.tokenizer, model: model.id, tools };
  };
}

function modelOf({ details }: Turn, workerModel: string): string {
  const { model } = details;
  return typeof model === "string" ? model : workerModel;
}

/** A turn that is tried again makes its open calls again, so that only tools that bear it are offered there. */
const isServed = ({ isRepeatable }: { readonly isRepeatable?: boolean }): boolean => isRepeatable === true;

function toolsOf(parts: GalleyParts): readonly HandoverTool[] {
  const own = parts.tools.filter(isServed);
  return [
    ...parts.handover.tools,
    ...ownTools(own, {}).map((tool): HandoverTool => {
      const { name, description = "" } = tool.spec;
      return {
        name,
        description,
        inputSchema: z.unknown(),
        scope: "all",
        rpcMethod: name,
        execute: async (input, { hold, callId = "", signal = new AbortController().signal }) => {
          const work = tool.execute({ runId: hold?.turnId ?? "", callId, input, signal });
          const given = await untilAborted(work, signal, graceMs).catch((error: unknown) => {
            signal.throwIfAborted();
            throw toolError(error, parts.redactor.redact);
          });
          const value = parts.redactor.redact(given);
          const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
          return isObject ? (value as JsonObject) : { value };
        },
      };
    }),
  ];
}

/** What a tool threw is for the model to read, as in a chat; only what says that it may pass is for the worker. */
function toolError(error: unknown, redact: <Value>(value: Value) => Value): GalleyError {
  if (error instanceof GalleyError) return publicError(error, redact);
  return new GalleyError("ToolFailed", redact(error instanceof Error ? error.message : String(error)));
}

/** One call, with one recovery from an overflow. */
async function callOnce(parts: GalleyParts, run: TurnRun, key: string, workerModel: string): Promise<ModelReply> {
  const { turn, signal } = run;
  const model = await callableModel(parts, modelOf(turn, workerModel));
  const config = configOf(model, undefined);
  const call = async (build: TurnBuild, budget: number, suffix: string): Promise<ModelReply> => {
    const built = builtCall(build, budget);
    const session = { projectId: parts.project, sessionId: `turn/${turn.id}` };
    const n = await recordCall(parts, built, { session: session.sessionId, key: key + suffix, plan: { model } });
    const { builds } = parts.store;
    const onSent = (body: string): void =>
      void builds.noteSent(session, n, parts.redactor.redact(body)).catch(() => undefined);
    const reply = await callModel({ model, built, signal, onSent });
    await recordUsage(parts, session, n, reply.usage);
    return reply;
  };
  try {
    return await call(run.build, config.maxInputTokens, "");
  } catch (error) {
    if (!(error instanceof GalleyError) || error.code !== "ContextOverflow") throw error;
    const budget = overflowBudget(error.message, run.build.stats.inputTokens);
    const context = await turnContextFor(parts, workerModel)(turn);
    const smaller = await buildTurn(parts.store, turn, { ...context, config: { maxInputTokens: budget } });
    return call(smaller, budget, "/smaller");
  }
}

function builtCall({ messages, tools, stats, ledger, stablePrefix, digest }: TurnBuild, budget: number): BuiltCall {
  const rest = { problems: [], entriesToAppend: [], compacted: false, budget };
  return { messages, tools, stats, ledger, stablePrefix, digest, ...rest };
}

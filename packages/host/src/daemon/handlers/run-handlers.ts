import { setTimeout as sleep } from "node:timers/promises";
import { type AssistantMessage, GalleyError, type ModelMessage } from "@galley/engine";
import { messageSchema } from "@galley/engine/schemas";
import { contextSettingsSchema } from "../../api/context-settings.ts";
import { parseAs } from "../../api/parse-as.ts";
import type { RouteArguments, RouteName, RouteReply, RunEvent, RunResult } from "../../api/index.ts";
import { lookAt } from "../../turn/run/preview-turn.ts";
import type { GalleyRun, TurnPlace, TurnRequest, TurnCall, TurnOutcome } from "../../turn/services/turn-types.ts";
import type { RunItem, StoredRun } from "../../store/ports/run-store.ts";
import type { StreamEvent } from "../http/event-stream.ts";
import type { Call, RouteHandlers } from "../http/bind-routes.ts";
import { type HandlerContext, done, found } from "./handler-context.ts";

type RunRoute = Extract<RouteName, `runs.${string}` | `turns.${string}`>;
type TurnRoute = Extract<RouteName, `turns.${string}`>;

const abortWaitMs = 5000;
const stopReason = "A person stopped it.";

export function runHandlers(context: HandlerContext): RouteHandlers<RunRoute> {
  const { galley } = context;
  const { runs } = galley.store;
  const find = async (id: string): Promise<StoredRun> => found(await runs.get(galley.project, id), "run", id);
  return {
    ...turnHandlers(context),
    "runs.start": ({ body }, call) => {
      checkPlace(body);
      return runEvents(galley.run({ ...body, ...readInput(body) }), call);
    },
    "runs.regenerate": ({ params, body }, call) => runEvents(galley.regenerate(params.key, body), call),
    "runs.edit": ({ params, body: { messageId, input, ...options } }, call) =>
      runEvents(galley.edit(params.key, messageId, readInput({ input }).input, options), call),
    "runs.list": async ({ query }) => ({
      runs: (await runs.list(galley.project, { limit: 100, ...query })).map(runStatus),
    }),
    "runs.get": async ({ params }) => runStatus(await find(params.id)),
    "runs.events": async ({ params }, call) => {
      const run = galley.runs.find(params.id);
      return run ? runEvents(run, call) : endedRun(await find(params.id));
    },
    "runs.abort": async ({ params }) => {
      const run = galley.runs.find(params.id);
      if (run) {
        run.abort(stopReason);
        // The person who stopped it finds it stopped, unless a tool does not listen.
        await Promise.race([run.result.catch(() => undefined), sleep(abortWaitMs, undefined, { ref: false })]);
        return { ok: true };
      }
      await find(params.id);
      return done(runs.abort({ projectId: galley.project, id: params.id, reason: stopReason, now: Date.now() }));
    },
  };
}

function turnHandlers({ galley, openTurns }: HandlerContext): RouteHandlers<TurnRoute> {
  return {
    "turns.preview": async ({ query }) => {
      checkPlace(query);
      const { build: _, fill: __, pending: ___, presetId: preset, ...preview } = await galley.preview(query);
      return { ...preview, preset };
    },
    "turns.look": ({ body: { input, ...body } }) => {
      checkPlace(body);
      return lookAt(galley, input === undefined ? body : { ...body, ...readInput({ input }) });
    },
    "turns.fill": async ({ body: { context, ...body } }) => {
      checkPlace(body);
      try {
        const tried =
          context === undefined
            ? {}
            : { context: parseAs(contextSettingsSchema, context, "body.context", "ContextInvalidInput") };
        return { fill: await (await galley.preview({ ...body, ...tried })).fill() };
      } catch (error) {
        // A person who looks is told what is wrong with the next call, and goes on looking.
        if (!(error instanceof GalleyError)) throw error;
        const { code, message, path = "body", hint } = error;
        return { failure: { severity: "error", code, message, path, hint } };
      }
    },
    "turns.build": async ({ body }) => {
      checkPlace(body);
      const turn = await galley.turn({ ...body, ...readInput(body) });
      openTurns.hold(turn);
      return { id: turn.id, ...callOf(turn), modelOptions: turn.modelOptions };
    },
    "turns.next": async ({ params: { id }, body: { steps, usage } }) =>
      callOf(await openTurns.get(id).next(readSteps(steps), { usage })),
    "turns.call": async ({ params: { id }, body: { toolCallId, toolName, input } }) => {
      const result = await openTurns.get(id).call({ toolCallId, toolName, input });
      return JSON.parse(JSON.stringify(result)) as RouteReply<"turns.call">;
    },
    "turns.overflow": async ({ params: { id }, body }) => callOf(await openTurns.get(id).overflow(body)),
    "turns.commit": async ({ params: { id }, body: { assistant, steps, usage, onConflict } }) => {
      const outcome: TurnOutcome = {
        assistant: readReply(assistant),
        ...(steps ? { steps: readSteps(steps) } : {}),
        ...(usage ? { usage } : {}),
        ...(onConflict ? { onConflict } : {}),
      };
      // A client that did not hear the answer asks again, perhaps another daemon.
      if (!openTurns.has(id) && (await galley.isCommitted(id, outcome))) return { ok: true };
      await openTurns.get(id).commit(outcome);
      openTurns.remove(id);
      return { ok: true };
    },
    "turns.abort": async ({ params: { id } }) => {
      await openTurns.get(id).abort();
      openTurns.remove(id);
      return { ok: true };
    },
  };
}

function callOf(call: TurnCall): Pick<TurnCall, keyof RouteReply<"turns.next">> {
  const { session, n, turn, callOfTurn, messages, tools, ledger, digest, stats, stablePrefix, recipe, problems } = call;
  const built = { messages, tools, ledger, digest, stats, stablePrefix, recipe, problems };
  return { session, n, turn, callOfTurn, ...built };
}

function readReply(assistant: unknown): string | AssistantMessage {
  if (typeof assistant === "string") return assistant;
  const reply = readMessage(assistant, "body.assistant");
  if (reply.role === "assistant") return reply;
  throw new GalleyError("BadRequest", `A reply has the role assistant, not ${reply.role}.`, {
    path: "body.assistant.role",
  });
}

function readSteps(steps: readonly unknown[]): readonly ModelMessage[] {
  return steps.map((step, index) => readMessage(step, `body.steps[${index}]`));
}

/** A message from outside is checked by the engine's own schema, and stays as it came. */
function readMessage(value: unknown, path: string): ModelMessage {
  parseAs(messageSchema, value, path);
  return value as ModelMessage;
}

function readInput({ input }: Pick<RouteArguments<"turns.build">["body"], "input">): Pick<TurnRequest, "input"> {
  if (typeof input === "string") return { input };
  const message = readMessage(input, "body.input");
  if (message.role === "user") return { input: message };
  throw new GalleyError("BadRequest", `The input of a turn has the role user, not ${message.role}.`, {
    path: "body.input.role",
  });
}

function checkPlace({ chat, agent, session }: TurnPlace): void {
  if ([chat, agent, session].filter((place) => place !== undefined).length === 1) return;
  throw new GalleyError("BadRequest", "A turn belongs to exactly one of chat, agent and session.", {
    path: "body",
    hint: 'Name one of them: "chat": "demo".',
  });
}

/** The events of a run, each with its number: a client that was cut off goes on behind the last that it saw. */
async function* runEvents(run: GalleyRun, { signal, lastEventId }: Call): AsyncGenerator<StreamEvent<RunEvent>> {
  const seen = /^\d{1,9}$/.test(lastEventId ?? "") ? Number(lastEventId) : 0;
  let number = 0;
  const events = run[Symbol.asyncIterator]();
  const gone = new Promise<"gone">((resolve) => {
    signal.addEventListener("abort", () => resolve("gone"), { once: true });
  });
  // The run outlives its readers: one that leaves ends its own reading and nothing else.
  run.result.catch(() => undefined);
  for (;;) {
    const next = await Promise.race([events.next(), gone]);
    if (next === "gone" || next.done === true) return;
    number += 1;
    if (number > seen) yield { id: String(number), data: next.value };
  }
}

/** Of a run that another process has run, or that ended long ago, what is known is its beginning and its end. */
async function* endedRun(run: StoredRun): AsyncGenerator<StreamEvent<RunEvent>> {
  const { id: runId, session, model, status, result, error } = run;
  yield { id: "1", data: { type: "run:started", runId, session, model } };
  const failure = { ...error, retryable: false };
  if (status === "finished") {
    yield { id: "2", data: { type: "run:finished", runId, result: result as unknown as RunResult } };
  } else if (status === "aborted") {
    yield { id: "2", data: { type: "run:aborted", runId, reason: error?.message ?? "" } };
  } else if (status === "failed") yield { id: "2", data: { type: "run:failed", runId, error: failure } };
}

function runStatus(run: RunItem): RouteReply<"runs.get"> {
  const { id, place, session, model, status, startedAt, finishedAt, calls, reply, error } = run;
  const facts = { runId: id, chat: place.chat, agent: place.agent, session, model, status, startedAt, finishedAt };
  return { ...facts, calls: [...calls], reply: reply ?? undefined, error: error ?? undefined };
}

import { GalleyError, type ModelMessage } from "@galley/engine";
import { chatKeyOf } from "../../api/place-id.ts";
import { oneAtATime } from "../../limits/one-at-a-time.ts";
import { newId } from "../../handover/options/new-id.ts";
import type { GalleyTurn, TurnCall, TurnOutcome, TurnRequest } from "../services/turn-types.ts";
import { checkNames, checkNext, checkOutcome, checkOverflow } from "../services/check-request.ts";
import { type BuiltCall, buildCall } from "../call/build-call.ts";
import { overflowBudget } from "../call/overflow-budget.ts";
import type { Services } from "../services/services.ts";
import { describedModel, givenModel } from "../call/resolve-model.ts";
import { contextStartOf } from "../call/last-build.ts";
import { tokensOf } from "../call/account-of.ts";
import { learnUsage, recordCall } from "../call/record-call.ts";
import { type PreparedTurn, prepareTurn } from "./prepare-turn.ts";
import { resolveLimits, userMessage } from "./run-request.ts";
import { placeOf } from "../places/turn-place.ts";
import { modelIdOf } from "../call/resolve-settings.ts";
import { checkReply, checkSteps, checkUsage, commitMark, endedTurn } from "./turn-outcome.ts";
import { turnTools } from "./turn-tool-calls.ts";

/** Builds a turn for those who call the model themselves. */
export async function openTurn(parts: Services, request: TurnRequest): Promise<GalleyTurn> {
  const limits = resolveLimits(request.limits);
  const opened = await openTurnPlace(parts, request);
  const { place, turnId } = opened;
  const stop = new AbortController();
  const calls = turnCalls(opened);
  const tools = turnTools(parts, place, { turnId, maxCalls: limits.maxToolCallsPerReply, signal: stop.signal });
  const first = await calls.build();
  let given: readonly ModelMessage[] = [];
  const deadline = parts.now() + limits.maxMilliseconds;

  /** Takes in the steps that are new. After a switch the turn goes on with the step that holds the switching call [W11]. */
  const takeSteps = (steps: readonly ModelMessage[]): void => {
    const fresh = steps.slice(given.length);
    const switchedBy = tools.takeSwitch();
    const at = switchedBy === undefined ? 0 : fresh.findIndex((message) => callsIn(message).includes(switchedBy));
    // A copy: callers go on with a list of their own.
    given = [...steps];
    place.add(parts.redactor.redact(fresh.slice(Math.max(0, at))));
  };
  const { run, end } = turnOrder();
  return {
    id: turnId,
    ...first,
    modelOptions: request.modelOptions,
    next: (steps, options = {}) =>
      run(async () => {
        checkNext(options);
        const { usage } = options;
        const all = checkSteps(steps, given);
        const counted = checkUsage(usage);
        if (calls.count() >= limits.maxCalls) throw atLimit("maxCalls", `its ${limits.maxCalls} calls`);
        if (parts.now() > deadline) throw atLimit("maxMilliseconds", "its time");
        takeSteps(all);
        tools.nextReply();
        calls.learn(counted);
        return calls.build();
      }),
    call: (call) => run(() => tools.call(call)),
    overflow: (options = {}) =>
      run(() => {
        checkOverflow(options);
        return calls.rebuild(options.message ?? "");
      }),
    commit: async (outcome) => {
      checkOutcome(outcome);
      return end("committed", commitMark(turnId, outcome), async (mark) => {
        await commitTurn(opened, outcome, mark, { given, takeSteps });
        calls.learn(checkUsage(outcome.usage));
      });
    },
    abort() {
      stop.abort(endedTurn("aborted"));
      return end("aborted", undefined, () => place.fail());
    },
  };
}

async function openTurnPlace(parts: Services, request: TurnRequest): Promise<OpenedTurn> {
  const name = placeOf(request);
  if (name.kind === "session") checkNames({ session: name.name }, parts.redactor.secrets());
  const input = parts.redactor.redact(userMessage(request.input));
  const modelId = await modelIdOf(parts, name, request.model);
  const model = await (typeof request.model === "object"
    ? givenModel(parts, request.model)
    : describedModel(parts, modelId));
  const key = chatKeyOf(name);
  const inputTs = key === undefined ? parts.now() : (await parts.chats.open(key)).nextTime();
  const turnId = newId(parts.now());
  const asked = { runId: turnId, input, inputTs, tools: request.tools };
  return { ...(await prepareTurn(parts, name, model, request, asked)), parts, turnId };
}

interface OpenedTurn extends PreparedTurn {
  readonly parts: Services;
  readonly turnId: string;
}

interface GivenSteps {
  readonly given: readonly ModelMessage[];
  readonly takeSteps: (steps: readonly ModelMessage[]) => void;
}

async function commitTurn(
  { parts, place, plan }: OpenedTurn,
  { assistant, steps, usage, onConflict = "fail" }: TurnOutcome,
  mark: string | undefined,
  { given, takeSteps }: GivenSteps,
): Promise<void> {
  const reply = parts.redactor.redact(checkReply(assistant));
  const all = checkSteps(steps ?? given, given);
  checkUsage(usage);
  takeSteps(all);
  const isKept = plan.settings.toolSteps === "keep";
  const kept = { isKept, tokens: tokensOf(place.steps(), plan.model.tokenizer) };
  await place.commit({ reply, ts: place.nextTime(), onConflict, mark, steps: kept });
}

interface TurnCalls {
  /** Builds the next call and writes it down. */
  build(): Promise<TurnCall>;
  /** Builds the call before again, smaller, because a provider called it too long. */
  rebuild(message: string): Promise<TurnCall>;
  /** Takes in what the provider counted for the call before. */
  learn(usage: ReturnType<typeof checkUsage>): void;
  count(): number;
}

function turnCalls({ parts, place, plan, problems, turnId }: OpenedTurn): TurnCalls {
  let built: BuiltCall | undefined;
  let n = 0;
  let maxInputTokens: number | undefined;
  let count = 0;
  const make = async (): Promise<TurnCall> => {
    const next = await buildCall(parts, place, plan, { maxInputTokens, problems });
    await place.keepDecisions(next.entriesToAppend);
    const key = `${turnId}/${count}/${maxInputTokens ?? "all"}`;
    const numbers = await recordCall(parts, next, {
      session: place.session,
      key,
      turnId,
      isNewTurn: built === undefined,
      plan,
      contextStart: contextStartOf(place),
    });
    built = next;
    n = numbers.n;
    const { messages, tools, ledger, digest, stats, stablePrefix, recipe } = next;
    const found = { recipe, problems: next.problems, session: place.session };
    return { messages, tools, ledger, digest, stats, stablePrefix, ...found, ...numbers };
  };
  return {
    async build() {
      const call = await make();
      count += 1;
      return call;
    },
    async rebuild(message) {
      const before = maxInputTokens;
      maxInputTokens = overflowBudget(message, built?.stats.inputTokens ?? 0);
      try {
        return await make();
      } catch (error) {
        maxInputTokens = before;
        throw error;
      }
    },
    learn(usage) {
      if (usage && built) learnUsage(parts, { session: place.session, n, built, model: plan.model.id }, usage);
    },
    count: () => count,
  };
}

interface TurnOrder {
  /** Works on the turn, one after the other, as long as it is open. */
  readonly run: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Ends it once. After an error it is open again, because nothing was kept; ending it the same way again is allowed. */
  readonly end: (
    how: string,
    mark: string | undefined,
    work: (mark: string | undefined) => Promise<void>,
  ) => Promise<void>;
}

function turnOrder(): TurnOrder {
  const next = oneAtATime();
  let ended: { readonly how: string; readonly mark: string | undefined } | undefined;
  return {
    run: (work) =>
      next(() => {
        if (ended) throw endedTurn(ended.how);
        return work();
      }),
    end: (how, mark, work) =>
      next(async () => {
        if (ended?.mark !== undefined && ended.mark === mark) return;
        if (ended) throw endedTurn(ended.how);
        await work(mark);
        ended = { how, mark };
      }),
  };
}

function callsIn({ role, content }: ModelMessage): readonly string[] {
  if (role !== "assistant" || typeof content === "string") return [];
  return content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
}

function atLimit(name: string, what: string): GalleyError {
  return new GalleyError("EditNotAllowed", `The turn has used ${what}, which is its limit.`, {
    path: `limits.${name}`,
    hint: "Commit what there is, or begin the turn with a higher limit.",
  });
}

import { GalleyError, type ModelMessage } from "@galley/engine";
import type { FinishedTurn, Hold, Output, Turn } from "../../store/ports/turn-store.ts";
import { type TurnContextFor, buildTurn } from "./build-turn.ts";
import { cardsOfMessages } from "../cards/cards-of-messages.ts";
import type { Handover } from "../options/handover-options.ts";
import { messagesOfCards } from "../cards/messages-of-cards.ts";
import { resultOf } from "./turn-result.ts";
import { type RunTurn, type TurnRun, openCallsOf } from "./turn-run.ts";

export interface AttemptOptions {
  readonly handover: Handover;
  readonly context: TurnContextFor;
  readonly runTurn: RunTurn;
  readonly signal: AbortSignal;
}

/** What an attempt came to; `undefined` when the turn was parked. */
export type Attempt = FinishedTurn | undefined;

/** Runs a turn that has been claimed and records what it gives: cards, box and result in one transaction [H8]. */
export async function runClaimedTurn(claimed: Turn, options: AttemptOptions): Promise<Attempt> {
  const { handover, runTurn } = options;
  const hold: Hold = { projectId: claimed.projectId, turnId: claimed.id, attempt: claimed.attempt };
  const turn = await keepInstruction(claimed, hold, handover);
  const run = await openRun(turn, hold, options);
  const outcome = await runTurn(run);
  if (outcome.status === "suspended") return undefined;
  const result = resultOf(outcome, run.build.contract);
  const output = outputOf(outcome.messages ?? [], turn, handover);
  return withPatience(() => handover.store.turns.finish(hold, { status: "succeeded", result, output }, handover.now()));
}

function outputOf(messages: readonly ModelMessage[], { agentId }: Turn, { now, newId }: Handover): Output {
  return { cards: cardsOfMessages(messages, { authorId: agentId, now: now(), newId }) };
}

/**
 * Puts the turn's instruction into the output box as well, by reference: a later turn of the same agent, or a clone of it,
 * would otherwise read answers without their questions.
 */
async function keepInstruction(turn: Turn, hold: Hold, { store, now }: Handover): Promise<Turn> {
  const [output, context] = await store.cards.readBoxes(turn.projectId, [turn.outputBoxId, turn.contextBoxId]);
  const packed = context?.items.filter(({ origin }) => origin === "packed") ?? [];
  const isKept = (output?.items.length ?? 0) > (turn.outputStart ?? 0);
  if (packed.length === 0 || isKept) return turn;
  return store.turns.record(hold, { cards: [], items: packed }, now());
}

async function openRun(turn: Turn, hold: Hold, options: AttemptOptions): Promise<TurnRun> {
  const { handover, context, signal } = options;
  const { store, now } = handover;
  const { projectId, agentId } = turn;
  const build = await buildTurn(store, turn, typeof context === "function" ? await context(turn) : context);
  const model = turn.details["model"];
  return {
    turn,
    build,
    openCalls: await readOpenCalls(turn, handover),
    caller: {
      projectId,
      id: agentId,
      hold,
      waiting: "suspend",
      signal,
      ...(typeof model === "string" ? { model } : {}),
    },
    signal,
    async record(messages) {
      const output = outputOf(messages, turn, handover);
      return openRun(await withPatience(() => store.turns.record(hold, output, now())), hold, options);
    },
  };
}

async function readOpenCalls(turn: Turn, { store }: Handover): Promise<TurnRun["openCalls"]> {
  const box = await store.cards.openBox(turn.projectId, turn.outputBoxId);
  const own = box?.cards.slice(turn.outputStart ?? 0) ?? [];
  const cards = own.filter((card) => card !== undefined);
  return openCallsOf(messagesOfCards(cards).map(({ message }) => message));
}

const patience = 8;

/** A database that is away for a moment does not cost the work that was done: the write is tried again, and counts once. */
async function withPatience<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof GalleyError) || !error.retryable || attempt === patience) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
    }
  }
}

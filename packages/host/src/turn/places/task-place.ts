import {
  type AssistantMessage,
  GalleyError,
  type LedgerRow,
  type ModelMessage,
  type Preset,
  type TokenAccount,
} from "@galley/engine";
import { sessionIdOf } from "../../api/place-id.ts";
import { cardsOfMessages } from "../../handover/cards/cards-of-messages.ts";
import { messagesOfCards } from "../../handover/cards/messages-of-cards.ts";
import { type ResultField, parseResultFields, resultOf } from "../../handover/cards/result-fields.ts";
import { newId } from "../../handover/options/new-id.ts";
import { type CardRow, cardRows } from "../../handover/work/card-ledger.ts";
import { entriesOf } from "../../handover/work/handover-recipe.ts";
import { readTaskLog } from "../../handover/work/task-log.ts";
import type { PlacedCard } from "../../handover/work/task-sections.ts";
import type { Card } from "../../store/ports/card-store.ts";
import type { FinishedTask, Hold, Task } from "../../store/ports/task-store.ts";
import type { LoopServices } from "../services/services.ts";
import { type Step, splitSteps } from "../tools/execute-calls.ts";
import type { Tool, ToolCaller } from "../../tools/tool.ts";
import type { LoopPlace } from "./turn-place.ts";

/** A task as a place: its history is in boxes, and what it says becomes cards of its output box [H3]. */
export interface TaskPlace extends LoopPlace {
  readonly preset: Preset;
  readonly variables: Readonly<Record<string, string>>;
  /** What the result must hold, where the task says so. */
  readonly contract: readonly ResultField[] | undefined;
  /** The calls of an earlier attempt that are not all served; they may have waited for a fork. */
  readonly open: Step | undefined;
  /** The ledger of a build by cards, as the boxes stood when the place was opened [P1]. */
  cardRows(ledger: readonly LedgerRow[], account: TokenAccount): readonly CardRow[];
  /**
   * Puts the instruction into the output box as well, by reference: a later task of the same agent, or a clone of it, would
   * otherwise read answers without their questions.
   */
  keepInstruction(): Promise<void>;
  /** Keeps those of the steps that are new, so that another attempt goes on behind them. A write, and nothing is read. */
  record(steps: readonly ModelMessage[]): Promise<void>;
  /** Cards, box and result in one transaction [H8]. A result that breaks its contract is refused, and nothing is written. */
  finish(reply: AssistantMessage): Promise<FinishedTask>;
}

type PlaceServices = Pick<LoopServices, "store" | "redactor" | "now">;

/** Opens a task: the only time that its boxes are read. */
export async function openTaskPlace(
  { store, redactor, now }: PlaceServices,
  task: Task,
  tools: readonly Tool[],
): Promise<TaskPlace> {
  const { projectId, id, agentId } = task;
  const hold: Hold = { projectId, taskId: id, attempt: task.attempt };
  const session = { projectId, sessionId: sessionIdOf({ kind: "task", name: id }) };
  const { boxes, placed, recipe, entries } = await readTaskLog(store, task);
  const own = messagesOfCards(cardsIn(placed, "own")).map(({ message }) => message);
  const { whole, open } = splitSteps(own);
  const contract = contractOf(placed);
  const steps = [...whole];
  const unrecorded = newSteps(own);
  let log = entries;
  const stamped = (messages: readonly ModelMessage[]): Card[] =>
    cardsOfMessages(messages, { authorId: agentId, now: now(), newId: () => newId(now()) });
  return {
    session: session.sessionId,
    tools,
    caller: callerOf(task),
    preset: recipe.preset,
    variables: recipe.variables,
    contract,
    open,
    entries: () => log,
    pending: () => [],
    steps: () => steps,
    switches: () => 0,
    add: (messages) => void steps.push(...messages),
    cardRows: (ledger, account) => cardRows(placed, ledger, recipe, account),
    async keepDecisions(entries) {
      if (entries.length === 0) return;
      const tail = log.at(-1)?.id ?? null;
      const decided = entries.map((entry) => ({ ...entry, parentId: entry.parentId ?? tail }));
      await store.sessions.append(session, redactor.redact(decided));
      log = [...log, ...entries];
    },
    async keepInstruction() {
      const packed = boxes.context.items.filter(({ origin }) => origin === "packed");
      const isKept = boxes.output.items.length > (task.outputStart ?? 0);
      if (packed.length > 0 && !isKept) await store.tasks.record(hold, { cards: [], items: packed }, now());
    },
    async record(all) {
      const cards = stamped(unrecorded(all));
      if (cards.length === 0) return;
      await withPatience(() => store.tasks.record(hold, { cards }, now()));
      log = [...log, ...entriesOf(cards)];
    },
    finish(reply) {
      const result = resultOf(reply, contract);
      const output = { cards: stamped([reply]) };
      return withPatience(() => store.tasks.finish(hold, { status: "succeeded", result, output }, now()));
    },
  };
}

function callerOf({ id, agentId, details: { model } }: Task): ToolCaller {
  return { caller: agentId, place: { kind: "task", name: id }, model: typeof model === "string" ? model : undefined };
}

/** A function that gives, of all steps so far, those that were not there when it was asked before. */
function newSteps(recorded: readonly ModelMessage[]): (all: readonly ModelMessage[]) => readonly ModelMessage[] {
  const answered = new Set<string>();
  let replies = 0;
  const take = (all: readonly ModelMessage[]): readonly ModelMessage[] => {
    const replied = replies;
    replies = 0;
    return all.flatMap((message): ModelMessage[] => {
      if (message.role === "assistant") return (replies += 1) > replied ? [message] : [];
      if (message.role !== "tool") return [];
      return message.content.flatMap((part): ModelMessage[] => {
        if (part.type !== "tool-result" || answered.has(part.toolCallId)) return [];
        answered.add(part.toolCallId);
        return [{ role: "tool", content: [part] }];
      });
    });
  };
  take(recorded);
  return take;
}

function cardsIn(placed: readonly PlacedCard[], wanted: PlacedCard["section"]): readonly Card[] {
  return placed.flatMap(({ section, card, unread }) => (section === wanted && card && !unread ? [card] : []));
}

function contractOf(placed: readonly PlacedCard[]): readonly ResultField[] | undefined {
  const fields = cardsIn(placed, "instruction").flatMap(({ content }) =>
    content.kind === "fields" ? content.fields : [],
  );
  return fields.length === 0 ? undefined : parseResultFields(fields, "task.result_fields");
}

const patience = 8;

/** A database that is away for a moment does not cost the work that was done: the write is tried again, and counts once. */
async function withPatience<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof GalleyError) || !error.retryable || tries === patience) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** tries));
    }
  }
}

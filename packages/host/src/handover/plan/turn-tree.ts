import type { JsonValue, TokenAccount } from "@galley/engine";
import type { HydratedBox } from "../../store/ports/card-store.ts";
import type { Store } from "../../store/ports/ports.ts";
import type { Turn } from "../../store/ports/turn-store.ts";
import { person } from "../options/caller.ts";
import { givenTo } from "../options/given-details.ts";
import { textOf } from "../cards/messages-of-cards.ts";
import { type BoxSummary, summariseBox } from "../cards/summarise-box.ts";

/** A turn with what it saw, what it gave, and the turns that it started. */
export interface TurnNode {
  readonly turnId: string;
  readonly agentId: string;
  readonly profileName: string | null;
  readonly tool: string | null;
  /** Who handed it over: `person`, `chat:KEY`, `session:ID`, `mcp:CLIENT`, `agent:NAME`, or the id of an agent. */
  readonly startedBy: string;
  readonly status: Turn["status"];
  readonly attempt: number;
  readonly failures: number;
  readonly batchId: string | null;
  readonly taskIndex: number;
  readonly instruction: string;
  /** What it saw when it began: its context, and the earlier output of its agent. */
  readonly context: BoxSummary;
  readonly earlier: BoxSummary;
  /** What it gave. */
  readonly output: BoxSummary;
  readonly result: JsonValue;
  readonly error: Turn["error"];
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly deadline: number | null;
  readonly children: readonly TurnNode[];
}

/** The whole delegation that a root turn has started. */
export async function readTurnTree(store: Store, root: Turn, account: TokenAccount): Promise<TurnNode> {
  const turns = await store.turns.list(root.projectId, { rootTurnId: root.rootTurnId });
  const boxes = new Map<string, HydratedBox>();
  for (const id of new Set(turns.flatMap((turn) => [turn.contextBoxId, turn.outputBoxId]))) {
    const box = await store.cards.openBox(root.projectId, id);
    if (box) boxes.set(id, box);
  }
  const children = Map.groupBy(turns, (turn) => turn.parentTurnId);
  const nodeOf = (turn: Turn): TurnNode => ({
    ...summaryOf(turn, boxes, account),
    children: (children.get(turn.id) ?? []).map(nodeOf),
  });
  return nodeOf(turns.find((turn) => turn.id === root.id) ?? root);
}

function summaryOf(
  turn: Turn,
  boxes: ReadonlyMap<string, HydratedBox>,
  account: TokenAccount,
): Omit<TurnNode, "children"> {
  const context = boxes.get(turn.contextBoxId) ?? emptyBox(turn.contextBoxId);
  const output = boxes.get(turn.outputBoxId) ?? emptyBox(turn.outputBoxId);
  const start = turn.outputStart ?? output.items.length;
  // The instruction is kept in front of the output, for the turns that follow.
  const kept = output.items.slice(start).findIndex(({ origin }) => origin === "output");
  const { agentId, status, attempt, failures, batchId, taskIndex, result, error, createdAt, startedAt, finishedAt } =
    turn;
  return {
    turnId: turn.id,
    agentId,
    profileName: textDetail(turn, "profileName"),
    tool: textDetail(turn, "tool"),
    startedBy: startedBy(turn),
    status,
    attempt,
    failures,
    batchId,
    taskIndex,
    instruction: instructionOf(context),
    context: summariseBox(context, account),
    earlier: summariseBox(output, account, 0, start),
    output: summariseBox(output, account, kept < 0 ? output.items.length : start + kept, turn.outputEnd ?? undefined),
    result,
    error,
    createdAt,
    startedAt,
    finishedAt,
    deadline: turn.deadline,
  };
}

function emptyBox(id: string): HydratedBox {
  return { id, version: 0, items: [], cards: [], parents: [], createdAt: 0 };
}

/** Who handed a turn over. */
export function startedBy(turn: Turn): string {
  return givenTo(turn).startedBy ?? person;
}

function textDetail({ details }: Turn, name: string): string | null {
  const value = details[name];
  return typeof value === "string" ? value : null;
}

function instructionOf({ cards }: HydratedBox): string {
  const card = cards.find((each) => each?.type === "task.instruction");
  return card ? textOf(card) : "";
}

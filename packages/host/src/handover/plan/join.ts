import { type JsonObject, type TokenAccount, tokenAccount, tokenizerForModel } from "@galley/engine";
import type { Card } from "../../store/ports/card-store.ts";
import type { Task } from "../../store/ports/task-store.ts";
import { type BoxReader, authorityOf } from "../pack/authority.ts";
import type { Caller } from "../options/caller.ts";
import { forkResult } from "./results.ts";
import type { Handover } from "../options/handover-options.ts";
import { type JoinShare, type TaskOutput, joinOutputs } from "./join-outputs.ts";
import { parentPointer } from "../cards/parent-pointer.ts";
import { badRequest, parseRequest } from "../options/request-errors.ts";
import { joinSchema } from "../options/tool-arguments.ts";

/** The box that a join has made, with what is in it and what is not. */
export interface JoinResult extends JsonObject {
  readonly box_id: string;
  readonly batch_id: string;
  readonly status: string;
  readonly tokens: number;
  readonly included: readonly JoinShare[];
  readonly left_out: readonly JoinShare[];
}

/** `join`: packs the outputs of a fork into one box under a token budget, saying what it left out [H7]. */
export async function join(args: unknown, caller: Caller, handover: Handover): Promise<JoinResult> {
  const { batch_id: batchId, max_tokens: maxTokens = Number.MAX_SAFE_INTEGER } = parseRequest(joinSchema, args, "args");
  const { projectId } = caller;
  const authority = authorityOf(handover.store, caller);
  const { batch, tasks } = await authority.findFork({ id: batchId, path: "args.batch_id" });
  const { status } = forkResult(batch, tasks);
  const outputs: TaskOutput[] = [];
  for (const task of tasks.toSorted((a, b) => a.taskIndex - b.taskIndex)) {
    outputs.push({ task, cards: await outputOf(task, authority, handover) });
  }
  if (!outputs.some(({ cards }) => cards.length > 0)) {
    throw badRequest(
      "args.batch_id",
      `No task of the fork ${JSON.stringify(batchId)} has an output.`,
      "Wait until one has, or look at its errors.",
    );
  }
  const stamp = { authorId: "join", now: handover.now(), newId: handover.newId };
  const { items, cards, tokens, included, leftOut } = joinOutputs(outputs, {
    account: await joinAccount(),
    maxTokens,
    stamp,
  });
  if (items.length === 0) {
    const least = Math.min(...leftOut.map((share) => share.tokens));
    throw badRequest(
      "args.max_tokens",
      `Not even one answer fits into ${maxTokens} tokens; the shortest output has ${least}.`,
    );
  }
  const boxId = handover.newId();
  const parents = outputs.filter((output) => output.cards.length > 0).map(({ task }) => task.outputBoxId);
  const pointer = parentPointer(caller.id, stamp);
  const box = {
    id: boxId,
    items: [...items, { cardId: pointer.id, origin: "pointer" as const }],
    parents: [...new Set(parents)],
  };
  await handover.store.cards.pack({ projectId, cards: [...cards, pointer], boxes: [box], now: stamp.now });
  return { box_id: boxId, batch_id: batchId, status, tokens, included, left_out: leftOut };
}

let account: Promise<TokenAccount> | undefined;

/** One account for all joins: it remembers what it has counted. */
function joinAccount(): Promise<TokenAccount> {
  account ??= tokenizerForModel(undefined).then(tokenAccount);
  return account;
}

/** What a task gave, as far as the caller may see it; not what it was told. */
async function outputOf(task: Task, reader: BoxReader, { store }: Handover): Promise<Card[]> {
  const { projectId, outputBoxId, outputStart, outputEnd } = task;
  const visible = (await reader.read([{ boxId: outputBoxId, path: "args.batch_id" }])).flatMap(({ items }) => items);
  const isVisible = new Set(visible.map(({ cardId }) => cardId));
  const [box] = await store.cards.readBoxes(projectId, [outputBoxId]);
  const own = box?.items.slice(outputStart ?? box.items.length, outputEnd ?? undefined) ?? [];
  const ids = own.filter(({ cardId, origin }) => origin === "output" && isVisible.has(cardId));
  const cards = await store.cards.readCards(
    projectId,
    ids.map(({ cardId }) => cardId),
  );
  return cards.filter((card) => card !== undefined);
}

import { tokenAccount } from "@galley/engine";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Card } from "../../store/ports/card-store.ts";
import type { Task } from "../../store/ports/task-store.ts";
import { answers, calls, says, stamp } from "../testing/card-samples.ts";
import { type TaskOutput, joinOutputs } from "./join-outputs.ts";
import { messagesOfCards } from "../cards/messages-of-cards.ts";
import { openCallsOf } from "../testing/open-calls.ts";

const account = tokenAccount({ id: "length", exactness: "estimated", count: (text) => Math.ceil(text.length / 4) });

function output(taskIndex: number, cards: readonly Card[]): TaskOutput {
  const task = { taskIndex, agentId: `agent-${taskIndex}`, status: "succeeded" } as Task;
  return { task, cards };
}

const piece = fc.oneof(
  fc.integer({ min: 1, max: 60 }).map((length) => () => [says("x".repeat(length), "assistant")]),
  fc.constant(() => [calls("a"), answers("a")]),
  fc.constant(() => [calls("a")]),
);

test("[H7] a join keeps its budget, hands over no open call, and counts every card as taken or left", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(piece, { maxLength: 5 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 300 }),
      (tasks, maxTokens) => {
        const outputs = tasks.map((pieces, index) =>
          output(
            index,
            pieces.flatMap((make) => make()),
          ),
        );
        const { items, cards, tokens, included, leftOut } = joinOutputs(outputs, { account, maxTokens, stamp });
        const known = new Map([...outputs.flatMap((task) => task.cards), ...cards].map((card) => [card.id, card]));
        const packed = items.map(({ cardId }) => known.get(cardId) as Card);
        const messages = messagesOfCards(packed).map(({ message }) => message);
        const counted = messages.reduce((sum, message) => sum + account.countMessage(message), 0);
        expect(counted).toBe(tokens);
        expect(tokens).toBeLessThanOrEqual(maxTokens);
        expect(openCallsOf(messages)).toEqual([]);
        const shares = [...included, ...leftOut].reduce((sum, share) => sum + share.cards, 0);
        const given = outputs.reduce((sum, task) => sum + task.cards.length, 0);
        expect(shares).toBeGreaterThanOrEqual(given);
        const takenCards = included.reduce((sum, share) => sum + share.cards, 0);
        expect(items.length).toBe(takenCards + included.length);
      },
    ),
    { numRuns: 300 },
  );
});

test("[H7] every task gives its answer before any gives more", () => {
  const long = (index: number): Card[] => [
    says(`${index} ${"early ".repeat(20)}`, "assistant"),
    says(`answer ${index}`, "assistant"),
  ];
  const { included, leftOut } = joinOutputs(
    [0, 1, 2].map((index) => output(index, long(index))),
    { account, maxTokens: 120, stamp },
  );
  expect(included.map(({ task_index, cards }) => [task_index, cards])).toEqual([
    [0, 2],
    [1, 1],
    [2, 1],
  ]);
  expect(leftOut.map(({ task_index, cards }) => [task_index, cards])).toEqual([
    [1, 1],
    [2, 1],
  ]);
});

import { loadTokenizer } from "@galley/engine";
import { expect, test } from "vitest";
import type { Task } from "../../store/ports/task-store.ts";
import { resultText } from "./result-text.ts";

const ended = (more: Partial<Task>): Task =>
  ({
    id: "t1",
    status: "succeeded",
    outputBoxId: "b1",
    result: "A poem.",
    error: null,
    details: { profileName: "writer", asked: "Write about the sea." },
    ...more,
  }) as Task;

test("[A1a] a result says whose text it is, of which task, and what was asked", async () => {
  expect(await resultText(ended({}))).toBe(
    [
      "[The result of a task that you handed over. What follows was written by another agent, not by the user.]",
      "task_id: t1 · agent: writer · status: succeeded · asked: Write about the sea.",
      "",
      "A poem.",
    ].join("\n"),
  );
  expect(await resultText(ended({ details: { asked: "写一首关于海的诗。" } }))).toContain("由另一个智能体写成");
  expect(await resultText(ended({ result: { title: "Sea" } }))).toContain('"title": "Sea"');
});

test.each([
  ["failed", "The task failed (TaskFailed): It was too hard."],
  ["cancelled", "The task was cancelled (TaskFailed): It was too hard."],
  ["timeout", "The task took too long (TaskFailed): It was too hard."],
] as const)("[A1a] a task that ended as %s says why", async (status, line) => {
  const error = { code: "TaskFailed", message: "It was too hard." };
  expect((await resultText(ended({ status, error, result: null }))).split("\n").at(-1)).toBe(line);
});

test("[A1a] of a result of 100,000 tokens the head and the tail are sent, with the id of its box", async () => {
  const tokenizer = await loadTokenizer("o200k_base");
  const count = (text: string): number => tokenizer.count(text);
  const result = `It begins. ${"The sea is deep. ".repeat(25_000)} It ends.`;
  expect(count(result)).toBeGreaterThan(100_000);
  const text = await resultText(ended({ result }));
  expect(count(text)).toBeLessThan(2100);
  expect(text).toMatch(/It begins\..*the whole result is in the box b1.* It ends\.$/s);
});

test("[A1b] a result of a topic that was put away is one line with its title", async () => {
  expect((await resultText(ended({}), { title: "Kyoto" })).split("\n").slice(2)).toEqual([
    'It belongs to the topic "Kyoto", which is put away. The result is in the box b1.',
  ]);
});

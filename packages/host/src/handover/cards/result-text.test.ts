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

test("[A1a] of a result of 100,000 tokens the head and the tail are sent, with the handle that opens it and the id of its box", async () => {
  const tokenizer = await loadTokenizer("o200k_base");
  const count = (text: string): number => tokenizer.count(text);
  const result = `It begins. ${"The sea is deep. ".repeat(25_000)} It ends.`;
  expect(count(result)).toBeGreaterThan(100_000);
  const text = await resultText(ended({ result }), { canRecall: true });
  expect(count(text)).toBeLessThan(2100);
  expect(text).toMatch(/It begins\..*context_recall reads all of it by the handle t1§1, and it is in the box b1\) …/s);
  expect(text).toMatch(/ It ends\.$/);
  // No handle is told where the model has no tool to open it with.
  const plain = await resultText(ended({ result }));
  expect(plain).toContain("the whole result is in the box b1) …");
  expect(plain).not.toContain("§");
});

test("[A1b] a result of a topic that was put away is one line with its title and the handle", async () => {
  const lineOf = async (task: Task, canRecall: boolean): Promise<string> =>
    (await resultText(task, { topic: { title: "Kyoto" }, canRecall })).split("\n").slice(2).join("\n");
  const away = 'It belongs to the topic "Kyoto", which is put away';
  expect(await lineOf(ended({}), true)).toBe(
    `${away}; context_recall reads all of it by the handle t1§1, and it is in the box b1.`,
  );
  expect(await lineOf(ended({}), false)).toBe(`${away}; the whole result is in the box b1.`);
  // What failed gave nothing that could be opened.
  const failed = ended({ status: "failed", result: null, error: { code: "TaskFailed", message: "Too hard." } });
  expect(await lineOf(failed, true)).toBe(`The task failed (TaskFailed): Too hard. ${away}.`);
});

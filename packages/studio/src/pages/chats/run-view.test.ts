import type { RunEvent } from "galley/api";
import { expect, test } from "vitest";
import { isUnderWay, noRun, takeRunEvent } from "./run-view.ts";

const take = (...events: RunEvent[]) => events.reduce(takeRunEvent, noRun);
const started: RunEvent = { type: "run:started", runId: "r1", session: "chat:a", model: "demo" };

test("text that comes in pieces is one block until something else happens", () => {
  const view = take(
    started,
    { type: "text", delta: "Hel" },
    { type: "text", delta: "lo" },
    { type: "reasoning", delta: "hm" },
    { type: "text", delta: "!" },
  );
  expect(view.blocks).toEqual([
    { kind: "text", text: "Hello" },
    { kind: "reasoning", text: "hm" },
    { kind: "text", text: "!" },
  ]);
  expect([view.runId, view.model, isUnderWay(view)]).toEqual(["r1", "demo", true]);
});

test("a result finds its call, also where an id is used again", () => {
  const call: RunEvent = { type: "tool:call", id: "c", name: "list", input: {} };
  const result = (output: string): RunEvent => ({ type: "tool:result", id: "c", name: "list", output, isError: false });
  const view = take(started, call, result("one"), call, result("two"));
  expect(view.blocks.map((block) => block.kind === "tool" && block.output)).toEqual(["one", "two"]);
});

test("[W11] a switch of the context stands where it happened", () => {
  const view = take(
    started,
    { type: "text", delta: "I start anew." },
    { type: "context:switched", tool: "chat_context_new" },
    { type: "text", delta: "Done." },
  );
  expect(view.blocks.map((block) => block.kind)).toEqual(["text", "switched", "text"]);
});

test("a failed run keeps code and hint, and what was said before it", () => {
  const error = { code: "ModelUnusable", message: "No key.", hint: "Set OPENAI_API_KEY.", retryable: false };
  const view = take(started, { type: "text", delta: "So far" }, {
    type: "run:failed",
    runId: "r1",
    error,
  } as unknown as RunEvent);
  expect(view.status).toBe("failed");
  expect(view.error).toEqual(error);
  expect(view.blocks).toEqual([{ kind: "text", text: "So far" }]);
  expect(isUnderWay(view)).toBe(false);
});

test("an event of a newer daemon changes nothing", () => {
  const view = take(started);
  expect(takeRunEvent(view, { type: "sparkle" } as unknown as RunEvent)).toBe(view);
});

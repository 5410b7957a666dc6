import { expect, test } from "vitest";
import { type PromptLine, takeUpdate } from "./prompt-lines.ts";

const said = (text: string): object => ({ type: "agent_message_chunk", content: { type: "text", text } });

test("pieces of one answer become one line, and tools stand between", () => {
  const call = { type: "tool_call", title: "read file", status: "completed" };
  const lines = [said("Hel"), said("lo"), call, said("Done")].reduce<readonly PromptLine[]>(takeUpdate, []);
  expect(lines).toEqual([
    { kind: "agent", text: "Hello" },
    { kind: "tool", text: "read file: completed" },
    { kind: "agent", text: "Done" },
  ]);
});

test("an unknown update is ignored", () => {
  expect(takeUpdate([], { type: "plan", entries: [] })).toEqual([]);
});

import type { LedgerRow, ModelMessage } from "@galley/engine";
import { expect, test } from "vitest";
import { prefixBreak } from "./prefix-break.ts";

const say = (content: string): ModelMessage => ({ role: "user", content });
const tool = (name: string) => ({ name, inputSchema: {} });
const ledger: readonly LedgerRow[] = [{ kind: "step", id: "lore", role: "system", fate: "kept", position: 1 }];
const before = { messages: [say("a"), say("b"), say("c")], tools: [tool("x")], stablePrefix: 2 };

test("the first message that a provider had cached and that is another one now is named, with its step", () => {
  const after = { ...before, messages: [say("a"), say("B"), say("c")], ledger };
  expect(prefixBreak(before, after)).toEqual({ kind: "message", position: 1, rows: ledger });
});

test("what was not promised to stay breaks nothing", () => {
  expect(prefixBreak(before, { ...before, messages: [say("a"), say("b"), say("d")], ledger })).toBeUndefined();
});

test("tools stand in front of everything: those that came, changed or went are named", () => {
  const after = { ...before, tools: [tool("y")], ledger };
  expect(prefixBreak(before, after)).toEqual({ kind: "tools", names: ["y", "x"] });
});

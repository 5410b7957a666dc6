import { expect, test } from "vitest";
import { toolChange } from "./tool-change.ts";

const tool = (name: string, group: "chat" | "recall" | "pins" | undefined, isOffered: boolean) => ({
  name,
  tokens: 10,
  isOffered,
  ...(group && { group }),
});
const load = tool("chat_context_load", "chat", true);
const list = tool("chat_context_list", "chat", true);
const recall = tool("context_recall", "recall", true);
const pin = tool("context_pin", "pins", false);
const brought = tool("weather", undefined, true);
const off = <Tool>(one: Tool): Tool => ({ ...one, isOffered: false });
const place = (tools: readonly (typeof load)[], recalls = true) => ({
  tools: [...tools],
  settings: [
    { key: "recall", value: recalls, from: "default" as const },
    { key: "pins", value: "person", from: "default" as const },
  ],
});

test("a tool that is switched off leaves the others on, and only Galley's own are named", () => {
  const all = place([load, list, recall, pin, brought]);
  expect(toolChange(all, list, false)).toEqual({ context: { ownTools: ["chat_context_load", "context_recall"] } });
  const listOff = off(list);
  expect(toolChange(place([load, listOff, recall, pin]), listOff, true)).toEqual({ context: { ownTools: "all" } });
});

test("recall and pins are switched by settings of their own, and stay as they are when another one is", () => {
  const all = place([load, recall, pin]);
  expect(toolChange(all, recall, false)).toEqual({ context: { recall: false } });
  expect(toolChange(all, pin, true)).toEqual({ context: { pins: "model", ownTools: "all" } });
  const recallOff = off(recall);
  // Off by its setting: it stays off, whatever the list says.
  expect(toolChange(place([load, recallOff, pin], false), load, false)).toEqual({ context: { ownTools: [] } });
  // Off because a list leaves it out: it does not come along.
  const loadOff = off(load);
  expect(toolChange(place([loadOff, recallOff]), loadOff, true)).toEqual({
    context: { ownTools: ["chat_context_load"] },
  });
  expect(toolChange(place([loadOff, recallOff]), recallOff, true)).toEqual({
    context: { recall: true, ownTools: ["context_recall"] },
  });
});

import { expect, test } from "vitest";
import { hasSettings, placeOf, sessionOfChat } from "./place-of.ts";

test("[A6] the chat of an agent is the agent's place, and its calls are recorded there", () => {
  expect(["demo", "agent:mara", "agent:local"].map(sessionOfChat)).toEqual([
    "chat:demo",
    "agent:mara",
    "chat:agent:local",
  ]);
  expect(["chat:demo", "agent:mara", "chat:agent:mara", "chat:agent:local", "agent:local"].map(placeOf)).toEqual([
    { chat: "demo" },
    { agent: "mara" },
    { agent: "mara" },
    { chat: "agent:local" },
    { chat: "agent:local" },
  ]);
});

test("[V4] a plain session is its own place, and a task is none", () => {
  expect(placeOf("claude-code:7")).toEqual({ session: "claude-code:7" });
  expect(["claude-code:7", "agent:mara", "task:7"].map(hasSettings)).toEqual([true, true, false]);
});

import { expect, test } from "vitest";
import { agentOfChat, chatKeyOf, parsePlaceId, placeIdOfChat, placeKinds, sessionIdOf } from "./place-id.ts";

test("[V4] a place is named by its kind; an id without one is a session's", () => {
  expect(parsePlaceId("chat:a:b\nc")).toEqual({ kind: "chat", name: "a:b\nc" });
  expect(parsePlaceId("session:task:7")).toEqual({ kind: "session", name: "task:7" });
  for (const id of ["claude-code:7", "demo", "chats:demo", ""])
    expect(parsePlaceId(id)).toEqual({ kind: "session", name: id });
  for (const kind of placeKinds) expect(parsePlaceId(`${kind}:x`)).toEqual({ kind, name: "x" });
});

test("[V4] records of chats, agents and tasks name the kind, those of a plain session do not", () => {
  for (const id of ["chat:demo", "agent:mara", "task:7", "claude-code:7"])
    expect(sessionIdOf(parsePlaceId(id))).toBe(id);
  expect(sessionIdOf(parsePlaceId("session:demo"))).toBe("demo");
});

test("[A6] an agent keeps its history in a chat that is named like its place", () => {
  expect(["chat:demo", "agent:mara", "task:7", "demo"].map((id) => chatKeyOf(parsePlaceId(id)))).toEqual([
    "demo",
    "agent:mara",
    undefined,
    undefined,
  ]);
  expect(["demo", "agent:mara"].map(agentOfChat)).toEqual([undefined, "mara"]);
  expect(["demo", "agent:mara"].map(placeIdOfChat)).toEqual(["chat:demo", "agent:mara"]);
});

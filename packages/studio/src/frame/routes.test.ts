import { expect, test } from "vitest";
import { matchRoute, pathTo } from "./routes.ts";

test.each([
  ["/", { name: "home", params: {} }],
  ["/compose", { name: "compose", params: {} }],
  ["/compose/my%20preset/", { name: "compose", params: { preset: "my preset" } }],
  ["/sessions/chat%3Aa%2Fb", { name: "sessions", params: { id: "chat:a/b" } }],
  ["/sessions/chat%3A飞艇/calls/3", { name: "call", params: { id: "chat:飞艇", n: "3" } }],
  ["/sessions/a/calls", undefined],
  ["/chats/100%", { name: "chats", params: { key: "100%" } }],
  ["/nowhere", undefined],
  ["/settings/more", undefined],
])("%s is a view, or none", (path, expected) => {
  expect(matchRoute(path)).toEqual(expected);
});

test("a path leads back to what it was made from", () => {
  for (const id of ["a", "chat:demo", "a/b?c#d", "飞艇 100%", "notes.txt"]) {
    expect(matchRoute(pathTo("call", { id, n: "2" }))).toEqual({ name: "call", params: { id, n: "2" } });
  }
});

test("a query holds what is given and leaves out what is not", () => {
  const query = { left: "a:1", right: "b&c", only: undefined, page: 2 };
  expect(pathTo("compare", {}, query)).toBe("/compare?left=a%3A1&right=b%26c&page=2");
});

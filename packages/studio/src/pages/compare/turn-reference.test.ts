import { expect, test } from "vitest";
import { formatTurn, parseTurn } from "./turn-reference.ts";

test("a turn in the URL comes back as it was, whatever the session is called", () => {
  for (const session of ["chat:demo", "chat:a#b", "chat:a/2", "飞艇"]) {
    expect(parseTurn(formatTurn({ session, n: 12 }))).toEqual({ session, n: 12 });
  }
});

test.each([undefined, "", "chat:demo", "#3", "chat:demo#0", "chat:demo#x"])("%s names no turn", (text) => {
  expect(parseTurn(text)).toBeUndefined();
});

import { expect, test } from "vitest";
import { formatCall, parseCall } from "./call-reference.ts";

test("a call in the URL comes back as it was, whatever the session is called", () => {
  for (const session of ["chat:demo", "chat:a#b", "chat:a/2", "飞艇"]) {
    expect(parseCall(formatCall({ session, n: 12 }))).toEqual({ session, n: 12 });
  }
});

test.each([undefined, "", "chat:demo", "#3", "chat:demo#0", "chat:demo#x"])("%s names no call", (text) => {
  expect(parseCall(text)).toBeUndefined();
});

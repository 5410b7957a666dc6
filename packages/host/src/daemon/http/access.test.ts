import { expect, test } from "vitest";
import { access } from "./access.ts";

const minute = 60_000;

test("[P6] a code is good once, and for ten minutes", () => {
  let now = 1_000_000;
  const door = access({ clock: () => now });
  const [first, second, third] = [door.newCode(), door.newCode(), door.newCode()];
  const session = door.redeem(first) ?? "";
  expect(door.isSession(session)).toBe(true);
  expect(door.redeem(first)).toBeUndefined();
  now += 10 * minute - 1;
  expect(door.redeem(second)).toBeDefined();
  now += 1;
  expect(door.redeem(third)).toBeUndefined();
  expect(door.redeem("")).toBeUndefined();
  now += 31 * 24 * 60 * minute;
  expect(door.isSession(session)).toBe(false);
});

test("[P6] tokens, codes and sessions do not stand for each other", () => {
  const door = access();
  const code = door.newCode();
  expect(door.isToken(door.token)).toBe(true);
  expect([door.isToken(code), door.isSession(code), door.isSession(door.token)]).toEqual([false, false, false]);
  expect(door.redeem(door.token)).toBeUndefined();
  expect(access().isToken(door.token)).toBe(false);
});

test("codes that nobody uses do not pile up", () => {
  const door = access();
  const first = door.newCode();
  for (let count = 0; count < 100; count += 1) door.newCode();
  expect(door.redeem(first)).toBeUndefined();
});

import { expect, test } from "vitest";
import { access } from "./access.ts";

const minute = 60_000;

test("[P6] a code is good once, and for ten minutes", () => {
  let now = 1_000_000;
  const door = access({ clock: () => now });
  const [first, second, third] = [door.newCode(), door.newCode(), door.newCode()];
  expect([door.redeem(first), door.redeem(first)]).toEqual([true, false]);
  now += 10 * minute - 1;
  expect(door.redeem(second)).toBe(true);
  now += 1;
  expect(door.redeem(third)).toBe(false);
  expect(door.redeem("")).toBe(false);
});

test("[P6] tokens and codes do not stand for each other", () => {
  const door = access();
  expect(door.isToken(door.token)).toBe(true);
  expect(door.isToken(door.newCode())).toBe(false);
  expect(door.redeem(door.token)).toBe(false);
  expect(access().isToken(door.token)).toBe(false);
});

test("codes that nobody uses do not pile up", () => {
  const door = access();
  const first = door.newCode();
  for (let count = 0; count < 100; count += 1) door.newCode();
  expect(door.redeem(first)).toBe(false);
});

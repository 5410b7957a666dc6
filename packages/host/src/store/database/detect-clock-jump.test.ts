import { expect, test } from "vitest";
import { detectClockJump } from "./detect-clock-jump.ts";

test("[H8] a clock that is set is noticed once, one that goes on is not; a late look is where looks are regular", () => {
  let [wall, steady] = [1_000_000, 0];
  const clocks = { wall: () => wall, steady: () => steady };
  const whenever = detectClockJump(Infinity, clocks);
  const regular = detectClockJump(20_000, clocks);
  const looks = (): unknown[] => [whenever(), regular()];
  expect(looks()).toEqual([undefined, undefined]);
  [wall, steady] = [wall + 20_000, steady + 20_000];
  expect(looks()).toEqual([undefined, undefined]);
  [wall, steady] = [wall + 20_001, steady + 20_001];
  expect([looks(), looks()]).toEqual([
    [undefined, "late"],
    [undefined, undefined],
  ]);
  for (const jump of [3_600_000, -7_200_000]) {
    wall += jump;
    expect([looks(), looks()]).toEqual([
      ["set", "set"],
      [undefined, undefined],
    ]);
  }
});

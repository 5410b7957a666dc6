import { expect, test } from "vitest";
import type { Problem } from "../../model/check/errors.ts";

/**
 * One planted fault for each rule: the paths of what is found, joined by `|`, or nothing for what must pass. Faults are
 * of the right type where the types leave room for them, and cast where they do not.
 */
export type PlantedFaults<Value> = readonly (readonly [what: string, value: Value, paths: string | undefined])[];

export function expectFaults<Value>(
  name: string,
  planted: PlantedFaults<Value>,
  validate: (value: Value) => Problem[],
): void {
  test.each(planted)(`[P5] ${name}: %s`, (_what, value, paths) => {
    const problems = validate(value);
    expect(problems.map(({ path }) => path)).toEqual(paths === undefined ? [] : paths.split("|"));
    expect(problems.every(({ code, message }) => code === "WireInvalid" && message !== "")).toBe(true);
  });
}

export const objectSchema = { type: "object" };

export const toolNames = (count: number): string[] => Array.from({ length: count }, (_, index) => `t${index}`);

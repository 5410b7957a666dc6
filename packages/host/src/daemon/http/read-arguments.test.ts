import { expect, test } from "vitest";
import { parseDocument } from "./read-arguments.ts";

const nested = (levels: number): string => `${'{"a":['.repeat(levels / 2)}${"]}".repeat(levels / 2)}`;

test("documents are read up to a depth that recursion can bear", () => {
  expect(parseDocument('{"a":[1,{"b":null}]}')).toEqual({ a: [1, { b: null }] });
  expect(parseDocument(nested(200))).toBeDefined();
  for (const levels of [204, 4000, 400_000]) {
    expect(() => parseDocument(nested(levels))).toThrow(expect.objectContaining({ code: "BadRequest" }));
  }
  expect(() => parseDocument("{")).toThrow(expect.objectContaining({ code: "InvalidJson" }));
});

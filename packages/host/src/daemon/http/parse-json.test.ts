import { expect, test } from "vitest";
import { parseJson } from "./parse-json.ts";

const nested = (depth: number): string => `${"[".repeat(depth)}1${"]".repeat(depth)}`;

test("[P6] a document that is nested too deeply is refused before anything walks it", () => {
  expect(JSON.stringify(parseJson(nested(200)))).toBe(nested(200));
  expect(() => parseJson(nested(201))).toThrow(expect.objectContaining({ code: "BadRequest", path: "body" }));
  expect(() => parseJson(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`)).toThrow("nested deeper");
  expect(() => parseJson("{")).toThrow(expect.objectContaining({ code: "InvalidJson" }));
});

test("brackets inside of strings are text, whatever stands before the quotation marks", () => {
  const text = "[{".repeat(500);
  for (const value of [text, `${text}"`, `"${text}`, `\\"${text}\\`, `\\\\"\\${text}\\\\`]) {
    expect(parseJson(JSON.stringify({ value, [value]: [value] }))).toEqual({ value, [value]: [value] });
  }
  expect(parseJson(JSON.stringify(["x".repeat(5_000_000)]))).toHaveLength(1);
});

import { expect, test } from "vitest";
import { findInJson, jsonPath } from "./find-in-json.ts";

const request = { model: "m", messages: [{ role: "user", content: "煤油税 in the Harbour" }, { role: "assistant" }] };
const paths = (wanted: string): readonly string[] => findInJson(request, wanted).map(({ path }) => jsonPath(path));

test("values are found by their words, in any script and case, and by their keys", () => {
  expect(paths("harbour 煤油")).toEqual(["messages[0].content"]);
  expect(paths("role")).toEqual(["messages[0].role", "messages[1].role"]);
  expect(paths("nothing")).toEqual([]);
});

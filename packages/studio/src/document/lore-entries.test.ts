import type { Preset } from "@galley/engine";
import { expect, test } from "vitest";
import { deleteEntries } from "./lore-edits.ts";
import { type EntryQuery, findEntries, formatKeys, loreEntries, parseKeys } from "./lore-entries.ts";
import { produce } from "immer";

test.each([
  ["tower, spire", ["tower", "spire"]],
  [" tower ,, spire,", ["tower", "spire"]],
  ["/fog, or mist/i, tower", ["/fog, or mist/i", "tower"]],
  ["/a\\/b,c/, either/or", ["/a\\/b,c/", "either/or"]],
  ["港口，码头", ["港口，码头"]],
  ["", []],
])("the keys of %j", (text, keys) => {
  expect(parseKeys(text)).toEqual(keys);
  expect(parseKeys(formatKeys(keys))).toEqual(keys);
});

const preset: Preset = {
  messageTemplates: [
    { id: "a", role: "system", content: "long text", name: "Zoo", activation: { keys: ["x"], order: 5 } },
    { id: "b", role: "system", content: "text", activation: { constant: true } },
    { id: "part", role: "system", content: "of a", activation: { with: "a" } },
    { id: "quiet", role: "system", content: "q", activation: { replies: ["quiet"] } },
    { id: "plain", role: "system", content: "p" },
  ],
  contextRecipes: [
    {
      id: "default",
      modelFilter: ["*"],
      steps: ["a", "b", "part", "quiet", "plain"].map((messageId) => ({ messageId, enabled: messageId !== "b" })),
    },
  ],
};

const query: EntryQuery = { search: "", book: undefined, state: "all", sort: "list", isFalling: false };

test("[K1] entries are what comes by itself; they are found by name, key and text, and sorted", () => {
  const entries = loreEntries(preset, 0);
  const find = (change: Partial<EntryQuery>): readonly string[] =>
    findEntries(entries, { ...query, ...change }, ({ content }) => content.length).map(({ id }) => id);
  expect(find({})).toEqual(["a", "b"]);
  expect(find({ search: "ZOO long" })).toEqual(["a"]);
  expect(find({ state: "off" })).toEqual(["b"]);
  expect(find({ sort: "order" })).toEqual(["a", "b"]);
  expect(find({ sort: "order", isFalling: true })).toEqual(["b", "a"]);
  expect(find({ sort: "tokens" })).toEqual(["b", "a"]);
});

test("an entry that is deleted takes along what comes and goes with it", () => {
  const after = produce(preset, (draft) => deleteEntries(draft, ["a"]));
  expect(after.messageTemplates?.map(({ id }) => id)).toEqual(["b", "quiet", "plain"]);
  expect(after.contextRecipes?.[0]?.steps.map(({ messageId }) => messageId)).toEqual(["b", "quiet", "plain"]);
});

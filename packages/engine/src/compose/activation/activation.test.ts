import fc from "fast-check";
import { expect, test } from "vitest";
import { entriesOf, runs } from "../../model/testing/history.ts";
import type { LedgerRow } from "../../model/ledger.ts";
import { composePreset } from "../compose-preset.ts";
import type { ChatMessageNode, Preset } from "../preset/preset.ts";
import type { Activation, ActivationSettings } from "./activation.ts";

type Entry = Activation & { readonly content?: string };

/** A preset of one's own: its entries, then the chat. */
function presetOf(entries: Readonly<Record<string, Entry>>, activation: ActivationSettings = {}): Preset {
  const nodes = Object.entries(entries).map(([id, { content = id, ...rules }]): ChatMessageNode => {
    return { id, role: "system", content, activation: { book: "lore", uid: id, ...rules } };
  });
  return { activation, presetMessages: [...nodes, { id: "chat", role: "user", type: "chat_history" }] };
}

/** The entries that come when these messages were said, oldest first. */
function came(preset: Preset, said: readonly string[], options: object = {}): string[] {
  return rowsFor(preset, said, options).flatMap((row) => (row.why ? [row.id] : []));
}

function rowsFor(preset: Preset, said: readonly string[], options: object = {}): readonly LedgerRow[] {
  const history = entriesOf(said.map((content) => ({ role: "user", content })));
  return composePreset({ preset, history, ...options }).ledger.filter(
    (row) => row.kind === "step" || row.kind === "entries",
  );
}

test.each<[string, Activation, boolean]>([
  ["a word", { keys: ["fox"] }, true],
  ["a part of a word", { keys: ["fo"] }, false],
  ["a part, where words need not be whole", { keys: ["fo"], wholeWords: false }, true],
  ["another case", { keys: ["FOX"] }, true],
  ["another case, where case counts", { keys: ["FOX"], caseSensitive: true }, false],
  ["several words", { keys: ["red fo"] }, true],
  ["a script without spaces", { keys: ["茶"] }, true],
  ["a regular expression", { keys: ["/r.d\\s+FOX/i"] }, true],
  ["one that is not one, as text", { keys: ["/fox/v"] }, false],
  ["too far back", { keys: ["bridge"], scanDepth: 1 }, false],
  ["far enough back", { keys: ["bridge"], scanDepth: 2 }, true],
  ["a blank key", { keys: ["  "] }, false],
  ["secondary: one of them", { keys: ["fox"], secondaryKeys: ["red", "blue"] }, true],
  ["secondary: all of them", { keys: ["fox"], secondaryKeys: ["red", "blue"], logic: "and-all" }, false],
  ["secondary: none of them", { keys: ["fox"], secondaryKeys: ["blue"], logic: "not-any" }, true],
  ["secondary: not all", { keys: ["fox"], secondaryKeys: ["red"], logic: "not-all" }, false],
  ["always", { constant: true }, true],
  ["never, by chance", { constant: true, probability: 0 }, false],
  ["for other replies", { constant: true, replies: ["quiet"] }, false],
  ["for other characters", { constant: true, characters: { names: ["Mira"] } }, false],
  ["for all but another character", { constant: true, characters: { names: ["Mira"], exclude: true } }, true],
  ["a chat that is too short", { constant: true, delay: 3 }, false],
  ["a condition on the number of messages", { when: { minMessages: 2, maxMessages: 2 } }, true],
  ["every third message of the user", { when: { everyUserMessages: 3 } }, false],
  ["a condition on the model", { when: { models: ["claude-*"] } }, true],
  ["a condition on a tag", { when: { tags: ["town"] } }, true],
  ["a text that a variable holds", { keys: ["lighthouse"], sources: ["scene"] }, true],
])("[K1] an entry comes or not: %s", (_name, rules, isThere) => {
  const preset = {
    ...presetOf({ entry: rules }, { character: { name: "Ines", tags: ["town"] } }),
    variables: { scene: "A lighthouse." },
  };
  const said = ["Over the bridge ran something.", "A red fox, or 红茶馆!"];
  expect(came(preset, said, { model: "claude-x", fixedDraw: 0.5 })).toEqual(isThere ? ["entry"] : []);
});

test("[K1] a key of any length is found, in what was said and in what entries say", () => {
  const key = "over the hills ".repeat(100).trim();
  const preset = presetOf({ tale: { keys: ["tale"], content: `So: ${key}.` }, far: { keys: [key.toUpperCase()] } });
  expect(came(preset, ["Over the hills."])).toEqual([]);
  expect(came(preset, [`${key}!`])).toEqual(["far"]);
  expect(came({ ...preset, activation: { recursive: true } }, ["A tale."])).toEqual(["tale", "far"]);
});

test("[K1] entries come by the texts of others, level by level, unless they do not listen or are not heard", () => {
  const preset = presetOf({
    lamp: { keys: ["lamp"], content: "oil" },
    oil: { keys: ["oil"], content: "whale" },
    whale: { keys: ["whale"], content: "sea", preventRecursion: true },
    deaf: { keys: ["oil"], excludeRecursion: true },
    unheard: { keys: ["sea"] },
    late: { keys: ["oil"], delayUntilRecursion: 2 },
  });
  expect(came(preset, ["The lamp"])).toEqual(["lamp", "oil", "whale", "late"]);
  expect(came({ ...preset, activation: { recursive: false } }, ["The lamp"])).toEqual(["lamp"]);
  expect(came({ ...preset, activation: { maxRounds: 2 } }, ["The lamp"])).toEqual(["lamp", "oil", "late"]);
});

test("[K1] of a group one comes: by override, by score, else by a draw that the seed decides", () => {
  const entries = { a: { keys: ["fox"], group: "g" }, b: { keys: ["fox", "red"], group: "g" } };
  expect(came(presetOf({ ...entries, c: { keys: ["fox"], group: "g", groupOverride: true } }), ["red fox"])).toEqual([
    "c",
  ]);
  expect(came(presetOf(entries, { groupScoring: true }), ["red fox"])).toEqual(["b"]);
  const drawn = (seed: string): string => came(presetOf(entries), ["red fox"], { seed }).join();
  const all = new Set(Array.from({ length: 20 }, (_, seed) => drawn(String(seed))));
  expect(all).toEqual(new Set(["a", "b"]));
  expect(drawn("7")).toBe(drawn("7"));
});

test("[K1] a scan goes further back until enough have come", () => {
  const preset = presetOf({ old: { keys: ["bridge"] } }, { scanDepth: 1, minActivations: 1 });
  expect(came(preset, ["the bridge", "a", "b", "c"])).toEqual(["old"]);
  expect(
    came({ ...preset, activation: { ...preset.activation, maxScanDepth: 2 } }, ["the bridge", "a", "b", "c"]),
  ).toEqual([]);
});

test("[K2] the ledger says why each entry came, and counts the others by book and reason", () => {
  const preset = presetOf({
    lamp: { keys: ["lamp"], content: "oil" },
    oil: { keys: ["oil"] },
    fox: { keys: ["fox"] },
    cat: { keys: ["cat"] },
    later: { constant: true, delay: 9 },
  });
  expect(rowsFor(preset, ["The lamp"])).toMatchObject([
    { id: "lamp", fate: "kept", why: { by: "key", key: "lamp", found: { in: "message", id: "h1" }, round: 1 } },
    { id: "oil", fate: "kept", why: { by: "key", key: "oil", found: { in: "entry", id: "lamp" }, round: 2 } },
    { id: "chat" },
    { kind: "entries", id: "lore", fate: "inactive", rule: "no-key", count: 2 },
    { kind: "entries", id: "lore", fate: "inactive", rule: "delay", count: 1, until: 9 },
  ]);
});

test("[K1] an outlet is the value of a macro in messages of the preset, and empty in entries", () => {
  const preset: Preset = {
    macros: "sillytavern-1.19",
    presetMessages: [
      { id: "use", role: "system", content: "Tide: {{outlet::tide}}." },
      { id: "high", role: "system", content: "high", activation: { constant: true, outlet: "tide" } },
      { id: "entry", role: "system", content: "[{{outlet::tide}}]", activation: { constant: true } },
    ],
  };
  expect(composePreset({ preset }).messages.map(({ content }) => content)).toEqual(["Tide: high.", "[]"]);
});

test("[K1] slips of SillyTavern are kept where a preset asks for it: a blank key is always found", () => {
  const entries = { blank: { keys: [" "] } };
  expect(came(presetOf(entries, { like: "sillytavern" }), ["x"])).toEqual(["blank"]);
  expect(came(presetOf(entries), ["x"])).toEqual([]);
});

const wordNumber = fc.nat({ max: 9 });
const linked = fc.record(
  {
    key: wordNumber,
    says: fc.array(wordNumber, { maxLength: 3 }),
    unless: wordNumber,
    group: fc.constantFrom("", "a", "b", "a,b"),
    preventRecursion: fc.boolean(),
    excludeRecursion: fc.boolean(),
    delayUntilRecursion: fc.nat({ max: 2 }),
  },
  { requiredKeys: ["key", "says"] },
);

test("[K1] in later rounds the entries that the new texts concern are looked at, and what comes is what all would give", () => {
  fc.assert(
    fc.property(fc.array(linked, { maxLength: 14 }), fc.constantFrom("sillytavern", undefined), (links, like) => {
      // A macro in a key makes an entry one that is looked at in every round.
      const [some, all] = ["", "{{nothing}}"].map((mark) => {
        const entries = links.map(({ key, says, unless, ...rules }, index): [string, Entry] => [
          `e${index}`,
          {
            ...rules,
            content: says.map((word) => `word${word}`).join(" "),
            keys: [`word${key}${mark}`],
            ...(unless !== undefined && { secondaryKeys: [`word${unless}${mark}`], logic: "not-any" }),
          },
        ]);
        const preset = presetOf(Object.fromEntries(entries), like ? { like } : {});
        return came({ ...preset, variables: { nothing: "" } }, ["word0 word1"]);
      });
      expect(some).toEqual(all);
    }),
    runs,
  );
});

test("[K1] a chain of 5,000 entries, each of which brings the next one, is followed as far as a scan goes", () => {
  const chain = Array.from({ length: 5000 }, (_, index): [string, Entry] => [
    `e${index}`,
    { keys: [`word${index}`], content: `then word${index + 1}` },
  ]);
  expect(came(presetOf(Object.fromEntries(chain)), ["word0"])).toHaveLength(1000);
});

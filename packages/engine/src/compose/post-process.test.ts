import { expect, test } from "vitest";
import { entriesOf } from "../model/testing/history.ts";
import type { ModelMessage } from "../model/messages.ts";
import { composePreset } from "./compose-preset.ts";
import type { ChatMessageNode, PostProcessing } from "./preset/preset.ts";

const nodes: ChatMessageNode[] = [
  { id: "a", role: "system", content: "a" },
  { id: "b", role: "user", content: "b" },
  { type: "chat_history", role: "user" },
  { id: "d1", role: "system", content: "d1", injectionStrategy: { depth: 1 } },
  { id: "d2", role: "user", content: "d2", injectionStrategy: { depth: 1 } },
  { id: "d3", role: "system", content: "d3", injectionStrategy: { depth: 1 } },
  { id: "e", role: "system", content: "e", injectionStrategy: { depth: 0 } },
];
const history = entriesOf([
  { role: "user", content: "h1" },
  { role: "assistant", content: "h2" },
  { role: "user", content: "h3" },
]);
const brief = (messages: readonly ModelMessage[]): string[] =>
  messages.map(
    ({ role, content }) => `${role[0]}:${typeof content === "string" ? content.replaceAll("\n", "|") : content.length}`,
  );
const run = (postProcessing: PostProcessing): ReturnType<typeof composePreset> =>
  composePreset({ preset: { presetMessages: nodes, postProcessing }, history });

test.each<[PostProcessing, string]>([
  [{}, "s:a u:b u:h1 a:h2 s:d1 u:d2 s:d3 u:h3 s:e"],
  [{ mergeInjected: true }, "s:a u:b u:h1 a:h2 s:d1|d3 u:d2 u:h3 s:e"],
  [{ mergeSystemToHead: true }, "s:a||d1||d3||e u:b u:h1 a:h2 u:d2 u:h3"],
  [{ mergeNeighbours: true }, "s:a u:b||h1 a:h2 s:d1 u:d2 s:d3 u:h3 s:e"],
  [{ systemToUser: true }, "u:a u:b u:h1 a:h2 u:d1 u:d2 u:d3 u:h3 u:e"],
  [{ systemToUser: true, mergeNeighbours: true }, "u:a||b||h1 a:h2 u:d1||d2||d3||h3||e"],
  [{ forceAlternation: true }, "s:a u:b a:… u:h1 a:h2 s:d1 u:d2 s:d3 a:… u:h3 s:e"],
])("[C12] %j", (options, expected) => {
  expect(brief(run(options).messages).join(" ")).toBe(expected);
});

test("[C12] the ledger says what was merged and where it went", () => {
  const { ledger } = run({ mergeInjected: true, systemToUser: true });
  expect(
    ledger.filter((row) => row.rule === "mergeInjected").map(({ id, fate, position }) => [id, fate, position]),
  ).toEqual([
    ["d1", "merged", 4],
    ["d3", "merged", 4],
  ]);
  expect(ledger.filter((row) => row.roleChanged).map((row) => row.id)).toEqual(["a", "d1", "d3", "e"]);
});

test("[C12] fillers are rows of their own, outside the sum of the inputs", () => {
  const { ledger } = run({ forceAlternation: true });
  expect(ledger.filter((row) => row.kind === "generated")).toEqual([
    { kind: "generated", id: "filler", role: "assistant", fate: "generated", rule: "forceAlternation", position: 2 },
    { kind: "generated", id: "filler", role: "assistant", fate: "generated", rule: "forceAlternation", position: 8 },
  ]);
});

test("[C12] merging and alternation keep a call with its results, and parts as parts", () => {
  const turn = entriesOf([
    { role: "assistant", content: "let me look" },
    {
      role: "assistant",
      content: [1, 2].map((n) => ({ type: "tool-call", toolCallId: `${n}`, toolName: "t", input: {} })),
    },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "1", toolName: "t", output: { type: "text", value: "" } }],
    },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "2", toolName: "t", output: { type: "text", value: "" } }],
    },
    { role: "user", content: "thanks" },
  ]);
  const preset = { presetMessages: [], postProcessing: { mergeNeighbours: true, forceAlternation: true } };
  expect(brief(composePreset({ preset, history: turn }).messages)).toEqual([
    "u:…",
    "a:3",
    "t:1",
    "t:1",
    "a:…",
    "u:thanks",
  ]);
});

const grouped: ChatMessageNode[] = [
  { id: "box", role: "system", type: "placeholder", content: "[{{injected}}]" },
  { id: "bare", role: "system", type: "placeholder", content: "<{{injected}}>" },
  { id: "x1", role: "system", content: "x1", injectionStrategy: { anchorTarget: "box", order: 1 } },
  { id: "x2", role: "system", content: "x2", injectionStrategy: { anchorTarget: "box", order: 2 } },
  { type: "chat_history", role: "user" },
  { id: "g1", role: "system", content: "g1", injectionStrategy: { depth: 1, order: 5 } },
  { id: "g2", role: "system", content: "g2", injectionStrategy: { depth: 1, order: 4, group: "late" } },
  { id: "g3", role: "system", content: "g3", injectionStrategy: { depth: 1, order: 3 } },
  { id: "own", role: "system", content: "own", keepApart: true, injectionStrategy: { depth: 1, order: 2 } },
  { id: "said", role: "system", content: "said", speaker: "Ines" },
];

test.each<[PostProcessing, string]>([
  [{ mergeInjected: true }, "s:[x2|x1] u:h1 a:h2 s:g1|g3 s:g2 s:own u:h3 s:said"],
  [{ mergeInjected: true, omitHistory: true }, "s:[x2|x1] s:said"],
  [{ mergeInjected: true, continueLast: "go on" }, "s:[x2|x1] u:h1 a:h2 s:g1|g3 s:g2 s:own s:said u:h3 s:go on"],
  [{ mergeInjected: true, squashSystem: true }, "s:[x2|x1] u:h1 a:h2 s:g1|g3|g2 s:own u:h3 s:said"],
])("[C12] groups, what is kept apart, and placeholders around what is injected: %j", (postProcessing, expected) => {
  const { messages, ledger, problems } = composePreset({
    preset: { presetMessages: grouped, postProcessing },
    history,
  });
  expect(brief(messages).join(" ")).toBe(expected);
  expect(problems).toEqual([]);
  const left = ledger.filter((row) => row.position === undefined).map((row) => row.id);
  expect(left.includes("bare")).toBe(true);
  expect(left.length).toBe(postProcessing.omitHistory ? 9 : 2);
  expect(ledger.every((row) => (row.position ?? 0) < messages.length)).toBe(true);
});

test("[C12] a speaker goes along as the message's name; without mergeInjected the mark is an unknown placeholder", () => {
  const { messages, problems } = composePreset({ preset: { presetMessages: grouped }, history });
  expect(messages.at(-1)).toEqual({ role: "system", content: "said", providerOptions: { openai: { name: "Ines" } } });
  expect(problems.map((problem) => problem.path)).toEqual(["presetMessages[0].content", "presetMessages[1].content"]);
});

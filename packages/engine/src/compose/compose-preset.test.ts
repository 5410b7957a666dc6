import { expect, test } from "vitest";
import { entriesOf, textOf } from "../model/testing/history.ts";
import type { LedgerRow } from "../model/ledger.ts";
import { provenance } from "../model/ledger.ts";
import type { ModelMessage } from "../model/messages.ts";
import { tokenAccount } from "../tokens/account.ts";
import { type ComposeInput, composePreset } from "./compose-preset.ts";
import type { ChatMessageNode, InjectionStrategy } from "./preset/preset.ts";

const history = entriesOf([
  { role: "user", content: "h1" },
  { role: "assistant", content: "h2" },
  { role: "user", content: "h3" },
]);
const chatHistory: ChatMessageNode = { type: "chat_history", role: "user" };
const say = (content: string, injectionStrategy?: InjectionStrategy): ChatMessageNode => ({
  role: "system",
  content,
  ...(injectionStrategy ? { injectionStrategy } : {}),
});
const composed = (presetMessages: ChatMessageNode[], more: Partial<ComposeInput> = {}): string[] =>
  composePreset({ preset: { presetMessages }, history, ...more }).messages.map(textOf);
const rowOf = (ledger: readonly LedgerRow[], id: string): LedgerRow | undefined => ledger.find((row) => row.id === id);

test("[C13] without strategies a preset is a plain list with the history in its place", () => {
  expect(composed([say("a"), chatHistory, say("b")])).toEqual(["a", "h1", "h2", "h3", "b"]);
});

test.each<[string, [string, number][], string]>([
  ["0 follows the newest message", [["x", 0]], "h1 h2 h3 x"],
  ["1 stands before the newest", [["x", 1]], "h1 h2 x h3"],
  ["3 stands before all three", [["x", 3]], "x h1 h2 h3"],
  [
    "deeper than the history means its front, deeper first",
    [
      ["10", 10],
      ["20", 20],
    ],
    "20 10 h1 h2 h3",
  ],
])("[C5] depth %s", (_, injections, expected) => {
  const nodes = injections.map(([text, depth]) => say(text, { depth }));
  expect(composed([chatHistory, ...nodes]).join(" ")).toBe(expected);
});

test("[C5] the summary is not counted, and stands before what is deeper than the history", () => {
  const summary: ModelMessage = { role: "system", content: "summary" };
  const nodes = [say("a"), chatHistory, say("x", { depth: 99 }), say("y", { depth: 3 })];
  expect(composed(nodes, { summary })).toEqual(["a", "summary", "x", "y", "h1", "h2", "h3"]);
});

test("[C6] an injection never parts a call from its result, and the ledger says that it moved", () => {
  const withCall = entriesOf([
    { role: "user", content: "h1" },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "t", input: {} }] },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "c", toolName: "t", output: { type: "text", value: "" } }],
    },
    { role: "assistant", content: "h4" },
  ]);
  const preset = {
    presetMessages: [
      chatHistory,
      { ...say("deep", { depth: 3 }), id: "deep" },
      { ...say("in", { depth: 2 }), id: "in" },
    ],
  };
  const { messages, ledger } = composePreset({ preset, history: withCall });
  expect(messages.map((message) => (typeof message.content === "string" ? message.content : message.role))).toEqual([
    "h1",
    "deep",
    "in",
    "assistant",
    "tool",
    "h4",
  ]);
  expect(rowOf(ledger, "in")).toMatchObject({ fate: "kept", position: 2, movedBy: 1 });
  expect(rowOf(ledger, "deep")?.movedBy).toBeUndefined();
});

test("[C4] depth wins over an anchor, an anchor over the list", () => {
  const both = say("both", { depth: 0, anchorTarget: "chat_history", anchorPosition: "before" });
  const anchored = say("anchored", { anchorTarget: "chat_history", anchorPosition: "before" });
  expect(composed([both, anchored, say("list"), chatHistory])).toEqual(["list", "anchored", "h1", "h2", "h3", "both"]);
});

test("[C7] at one place the higher order comes first, 100 by default, ties in list order", () => {
  const nodes = [
    say("d1", { depth: 1 }),
    say("d2", { depth: 1, order: 100 }),
    say("d3", { depth: 1, order: 101 }),
    say("d4", { depth: 1, order: -5 }),
    say("a1", { anchorTarget: "chat_history" }),
    say("a2", { anchorTarget: "chat_history", order: 200 }),
    say("b1", { anchorTarget: "chat_history", anchorPosition: "before", order: 1 }),
    say("b2", { anchorTarget: "chat_history", anchorPosition: "before", order: 2 }),
  ];
  expect(composed([chatHistory, ...nodes]).join(" ")).toBe("b2 b1 h1 h2 d3 d1 d2 d4 h3 a2 a1");
});

test("[C8] a placeholder is a place; with content it is sent as well", () => {
  const nodes: ChatMessageNode[] = [
    say("a"),
    { type: "placeholder", id: "empty", role: "system" },
    { type: "placeholder", id: "full", role: "user", content: "full" },
    chatHistory,
    say("into empty", { anchorTarget: "empty" }),
    say("before full", { anchorTarget: "full", anchorPosition: "before" }),
    say("after full", { anchorTarget: "full" }),
  ];
  const { messages, ledger } = composePreset({ preset: { presetMessages: nodes } });
  expect(messages.map(textOf)).toEqual(["a", "into empty", "before full", "full", "after full"]);
  expect(rowOf(ledger, "empty")).toMatchObject({ fate: "anchor" });
  expect(rowOf(ledger, "full")).toMatchObject({ fate: "kept", position: 3 });
});

test("[C8] a placeholder may be injected itself, and takes what is bound to it along", () => {
  const nodes: ChatMessageNode[] = [
    chatHistory,
    { type: "placeholder", id: "notes", role: "system", injectionStrategy: { depth: 1 } },
    say("note", { anchorTarget: "notes" }),
  ];
  expect(composed(nodes)).toEqual(["h1", "h2", "note", "h3"]);
});

test("[C9] without a chat_history message the history follows the skeleton, with what is bound to it", () => {
  const nodes = [
    say("in", { anchorTarget: "chat_history", anchorPosition: "before" }),
    say("a"),
    say("b"),
    say("out", { anchorTarget: "chat_history" }),
  ];
  expect(composed(nodes)).toEqual(["a", "b", "in", "h1", "h2", "h3", "out"]);
});

test("[C9] without a user_profile message, what is bound to it follows the first system message", () => {
  const bound = [
    say("after", { anchorTarget: "user_profile" }),
    say("before", { anchorTarget: "user_profile", anchorPosition: "before" }),
  ];
  const user: ChatMessageNode = { role: "user", content: "u" };
  expect(composed([user, say("s"), say("t"), ...bound], { history: [] })).toEqual(["u", "s", "before", "after", "t"]);
  expect(composed([user, ...bound], { history: [] })).toEqual(["before", "after", "u"]);
});

test("[C9] the profile's text stands where user_profile does, and is accounted for where nothing does", () => {
  const nodes: ChatMessageNode[] = [
    say("a"),
    { type: "user_profile", role: "user", id: "slot" },
    say("x", { anchorTarget: "user_profile", anchorPosition: "before" }),
  ];
  const placed = composePreset({
    preset: { presetMessages: nodes },
    userProfile: "I am {{user}}.",
    variables: { user: "Ada" },
  });
  expect(placed.messages.map(textOf)).toEqual(["a", "x", "I am Ada."]);
  expect(placed.messages[2]?.role).toBe("user");
  expect(rowOf(placed.ledger, "userProfile")).toMatchObject({ kind: "profile", fate: "kept", position: 2 });
  expect(rowOf(placed.ledger, "slot")).toMatchObject({ fate: "anchor" });
  const lost = composePreset({ preset: { presetMessages: [say("a")] }, userProfile: "me" });
  expect(rowOf(lost.ledger, "userProfile")).toMatchObject({ fate: "unmatched", rule: "no-place" });
});

test("[C9] an anchor that the recipe disables leaves a row, never silence", () => {
  const nodes: ChatMessageNode[] = [
    { type: "placeholder", id: "world", role: "system", enabled: false },
    { ...say("lore", { anchorTarget: "world" }), id: "lore" },
    say("", undefined),
  ];
  const { messages, ledger } = composePreset({ preset: { presetMessages: nodes } });
  expect(messages).toEqual([]);
  expect(ledger.map(({ fate, rule }) => [fate, rule])).toEqual([
    ["disabled", undefined],
    ["dropped", "unresolved-anchor"],
    ["dropped", "empty"],
  ]);
});

test("[C9] the history is sent even if its own place leads nowhere", () => {
  const nodes: ChatMessageNode[] = [
    { type: "placeholder", id: "world", role: "system", enabled: false },
    { ...chatHistory, injectionStrategy: { anchorTarget: "world" } },
    say("a"),
  ];
  expect(composed(nodes)).toEqual(["a", "h1", "h2", "h3"]);
});

test("[C10] placeholders are filled from variables, the preset's values and the build's inputs", () => {
  const preset = {
    variables: { char: "Galley", user: "nobody" },
    presetMessages: [
      say("{{char}} {{ user }} {{User}} {{model}} {{date}} {{time}} {{unknown}} {{constructor}} {{nested}}"),
    ],
  };
  const { messages, problems } = composePreset({
    preset,
    model: "gpt-4",
    now: "2026-11-15T21:30:05+08:00",
    variables: { user: "Ada", nested: "{{char}}" },
  });
  expect(messages.map(textOf)).toEqual(["Galley Ada Ada gpt-4 2026-11-15 21:30 {{unknown}} {{constructor}} {{char}}"]);
  expect(problems.map(({ severity, path, message }) => [severity, path, message.slice(0, 15)])).toEqual([
    ["warning", "presetMessages[0].content", "{{unknown}} has"],
    ["warning", "presetMessages[0].content", "{{constructor}}"],
  ]);
});

test("[C10] without `now` there is no date; a `now` without an offset is an error with its path", () => {
  const preset = { presetMessages: [say("{{date}}")] };
  expect(composePreset({ preset }).messages.map(textOf)).toEqual(["{{date}}"]);
  expect(() => composePreset({ preset, now: "2026-11-15 21:30" })).toThrow(
    expect.objectContaining({ code: "ContextInvalidInput", path: "now" }),
  );
});

test("[C10] a later `now` changes nothing before the first message that uses it", () => {
  const nodes = [say("a"), say("b"), say("it is {{time}}"), chatHistory];
  const [early, late] = ["10:00", "11:00"].map((time) => composed(nodes, { now: `2026-11-15T${time}:00Z` }));
  expect(early?.slice(0, 2)).toEqual(late?.slice(0, 2));
  expect([early?.[2], late?.[2]]).toEqual(["it is 10:00", "it is 11:00"]);
});

test("[P1] every message says where it came from, and what it costs when it is counted", () => {
  const account = tokenAccount({ id: "letters", exactness: "exact", count: (text) => text.length });
  const { messages, ledger } = composePreset({
    preset: { presetMessages: [say("four"), chatHistory] },
    history,
    account,
  });
  const sources = provenance(ledger);
  expect(sources).toHaveLength(messages.length);
  expect(sources.map((rows) => rows.map((row) => row.id))).toEqual([["message-1"], ["h1"], ["h2"], ["h3"]]);
  expect(sources[0]?.[0]).toMatchObject({ kind: "step", path: "presetMessages[0]", tokens: 8 });
});

test("[T4] a place for the profile with nothing to fill it and nothing bound to it is dropped as empty", () => {
  const profile = { id: "who", type: "user_profile", role: "system" } as const;
  const main = { id: "main", role: "system", content: "Be brief." } as const;
  const beside = {
    id: "beside",
    role: "system",
    content: "So much of the user.",
    injectionStrategy: { anchorTarget: "user_profile" },
  } as const;
  const rowIn = (presetMessages: readonly ChatMessageNode[], userProfile?: string): LedgerRow | undefined =>
    composePreset({ preset: { presetMessages }, userProfile }).ledger.find(({ id }) => id === "who");
  expect(rowIn([main, profile])).toMatchObject({ fate: "dropped", rule: "empty" });
  expect(rowIn([main, profile], "  ")).toMatchObject({ fate: "dropped", rule: "empty" });
  expect(rowIn([main, profile, beside])).toMatchObject({ fate: "anchor" });
  expect(rowIn([main, profile, { ...beside, enabled: false }])).toMatchObject({ fate: "dropped", rule: "empty" });
  expect(rowIn([main, profile], "A pilot.")).toMatchObject({ fate: "anchor" });
});

test("[T3] a preset's own settings hold where the caller says nothing", () => {
  const presetMessages = [
    { id: "who", type: "user_profile", role: "system" },
    { id: "main", role: "system", content: "You are {{char}}." },
  ] as const;
  const context = { systemPrompt: "Be brief.", userProfile: "{{char}} knows the user.", variables: { char: "Ada" } };
  const preset = { presetMessages, context, variables: { char: "Mara" } };
  expect(composePreset({ preset }).messages.map(textOf)).toEqual(["Be brief.", "Ada knows the user.", "You are Ada."]);
  const said = composePreset({ preset, systemPrompt: "Be long.", userProfile: "Nobody.", variables: { char: "Io" } });
  expect(said.messages.map(textOf)).toEqual(["Be long.", "Nobody.", "You are Io."]);
});

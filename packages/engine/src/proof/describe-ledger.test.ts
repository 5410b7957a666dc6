import { describe, expect, test } from "vitest";
import type { Fate, LedgerRow, Place, Rule } from "../model/ledger.ts";
import { describeLedger, describeRow } from "./describe-ledger.ts";

const step = { kind: "step", id: "claude_cot", role: "system", place: { kind: "depth", depth: 0 } } as const;
const message = { kind: "message", id: "m7", role: "user" } as const;

describe("[P1b] a row of the ledger in plain words", () => {
  const cases: readonly [LedgerRow, string, string][] = [
    [
      { ...step, fate: "kept", position: 4 },
      "Sent. Step claude_cot of recipe claude-recipe, at depth 0, right after the newest message.",
      "已发送。配方 claude-recipe 的步骤 claude_cot，深度 0，紧跟最新消息。",
    ],
    [
      { ...message, fate: "dropped", rule: "limit" },
      "Not sent: it did not fit the budget. Message m7 of the history.",
      "未发送：超出预算。历史消息 m7。",
    ],
    [
      { ...step, fate: "disabled" },
      "Not sent: it is switched off in the preset. Step claude_cot of recipe claude-recipe, at depth 0, right after the newest message.",
      "未发送：它在预设中已关闭。配方 claude-recipe 的步骤 claude_cot，深度 0，紧跟最新消息。",
    ],
    [
      { ...step, place: { kind: "list" }, fate: "merged", position: 0, rule: "mergeSystemToHead" },
      "Sent as a part of message 1: all system messages are one at the head. Step claude_cot of recipe claude-recipe, in list order.",
      "已作为第 1 条消息的一部分发送：所有系统消息在开头合为一条。配方 claude-recipe 的步骤 claude_cot，按列表顺序。",
    ],
    [
      { kind: "earlier", id: "c1", role: "user", fate: "summarised", count: 12 },
      "Not sent: a summary was sent instead. 12 earlier messages.",
      "未发送：已由摘要代替。更早的 12 条消息。",
    ],
    [
      { kind: "pin", id: "p1", role: "user", fate: "kept", position: 1, isPinned: true },
      "Sent. A pinned sentence.",
      "已发送。一条固定的文字。",
    ],
    [
      { ...message, fate: "kept", position: 1, isPinned: true },
      "Sent. Message m7 of the history; pinned: it stays until it is unpinned.",
      "已发送。历史消息 m7；已固定：取消固定之前一直保留。",
    ],
    [
      { kind: "generated", id: "summary", role: "user", fate: "generated", position: 1 },
      "Sent. The summary of earlier messages.",
      "已发送。更早消息的摘要。",
    ],
  ];
  test.each(cases)("%o", (row, en, zh) => {
    expect(describeRow(row, "en", { recipe: "claude-recipe" }).sentence).toBe(en);
    expect(describeRow(row, "zh", { recipe: "claude-recipe" }).sentence).toBe(zh);
  });

  test("says what to do about an anchor that is not there, by name", () => {
    const place = { kind: "anchor", target: "world", side: "after" } as const;
    const row: LedgerRow = { ...step, place, fate: "dropped", rule: "unresolved-anchor" };
    const { because, toKeep, label } = describeRow(row, "en");
    expect(because).toContain("its anchor world");
    expect(toKeep).toContain("switch world on");
    expect(label).toBe("Anchor: after world");
  });

  test("[C6] says that it was moved, so that a call keeps its result", () => {
    const row: LedgerRow = { ...step, fate: "kept", position: 2, movedBy: 2, roleChanged: true };
    const { sentence, note } = describeRow(row, "en");
    expect(note).toBe("Depth: 0; moved 2 up, to keep a call with its result; sent as user");
    expect(sentence).toBe(
      "Sent. Message claude_cot of the preset, at depth 0, right after the newest message; moved 2 up, to keep a call with its result; sent as user.",
    );
  });

  test("calls a step by its name, where people gave it one", () => {
    const names = new Map([["claude_cot", "Think first"]]);
    expect(describeRow({ ...step, fate: "kept", position: 0 }, "en", { names }).who).toBe(
      "Message “Think first” of the preset",
    );
  });
});

test("[P1b] a ledger in words has a line for each row, with the recipe of the build and the reason as a word", () => {
  const steps: LedgerRow[] = [
    { ...step, fate: "dropped", rule: "limit" },
    { ...message, fate: "masked", position: 0 },
    { ...message, fate: "kept", position: 1 },
  ];
  const recipe = {
    recipe: { id: "r", modelFilter: ["*"], steps: [] },
    index: 0,
    pattern: "*",
    rule: "wildcard" as const,
  };
  const described = describeLedger({ ledger: steps, recipe });
  expect(described.map(({ row }) => row)).toEqual(steps);
  expect(described.map(({ reason }) => reason)).toEqual(["priority", "masked", undefined]);
  expect(described[0]?.who).toBe("Step claude_cot of recipe r");
  expect(described[1]).toMatchObject({
    sentence: "Sent. Message m7 of the history; its result is left out, to save room.",
    toKeep: "raise the budget.",
  });
});

test("long ids are cut", () => {
  const row: LedgerRow = { ...message, id: "m_5bf7d55d36a66296a4e5", fate: "kept", position: 0 };
  expect(describeRow(row, "en").sentence).toBe("Sent. Message m_5bf7d5… of the history.");
});

const fates: readonly Fate[] = ["dropped", "disabled", "unmatched", "summarised", "shrunk", "masked", "merged"];
const otherFates: readonly Fate[] = ["anchor", "kept", "generated"];
const rules: readonly (Rule | undefined)[] = [
  "limit",
  "duplicate",
  "empty",
  "orphan",
  "redacted",
  "unresolved-anchor",
  "no-place",
  "mergeInjected",
  "omitHistory",
  "continueLast",
  "squashSystem",
  "mergeSystemToHead",
  "mergeNeighbours",
  "forceAlternation",
  undefined,
];
const places: readonly (Place | undefined)[] = [
  { kind: "list" },
  { kind: "depth", depth: 0 },
  { kind: "depth", depth: 3 },
  { kind: "anchor", target: "here", side: "before" },
  undefined,
];
const kinds: readonly LedgerRow["kind"][] = ["step", "fragment", "profile", "hint", "message", "earlier", "generated"];

test("whatever is not sent says why and what to do, in both languages", () => {
  for (const kind of kinds)
    for (const fate of [...fates, ...otherFates])
      for (const rule of rules)
        for (const place of places)
          for (const language of ["en", "zh"] as const) {
            const isLeftOut = ["dropped", "disabled", "unmatched", "summarised"].includes(fate);
            const row: LedgerRow = {
              kind,
              id: "x",
              role: "user",
              fate,
              ...(rule && { rule }),
              ...(place && { place }),
              ...(isLeftOut ? {} : { position: 0 }),
            };
            const { sentence, because, toKeep, label, isSent } = describeRow(row, language);
            expect(sentence).not.toMatch(/undefined|NaN/);
            expect(sentence).toMatch(language === "en" ? /^[A-Z].+\.$/ : /^.*[\u4e00-\u9fff].*。$/);
            expect(label).not.toBe("");
            expect(isSent).toBe(!isLeftOut);
            expect(isLeftOut && (because === undefined || toKeep === undefined)).toBe(false);
            expect(because ?? "").not.toContain("{");
          }
});

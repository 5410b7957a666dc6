import { type Tokenizer, GalleyError } from "@galley/engine";
import { expect, test } from "vitest";
import { entriesOfCall, formatSource, parseSource, readHistoryFile } from "./history-source.ts";
import { hasSecret, maskSecrets } from "./mask-secrets.ts";
import { PresetDocument } from "./preset-document.ts";
import { PreviewStore } from "./preview-store.ts";
import { sampleConversation } from "./sample-conversation.ts";
import { exampleStarter } from "./starter-presets.ts";
import { moveStep, setEnabled, setStrategy } from "./step-edits.ts";

const place = { view: "advanced", recipe: 0 } as const;

/** One token for each character, so that every figure can be told by looking. */
const byCharacter: Tokenizer = { id: "by-character", exactness: "exact", count: (text) => text.length };

function open(budget = 100_000) {
  const work: (() => void)[] = [];
  const saved = { preset: exampleStarter, version: 1 };
  const document = new PresetDocument({
    id: "p",
    saved,
    now: () => 0,
    saveAfter: 1_000_000,
    storage: { getItem: () => null, setItem: () => undefined, removeItem: () => undefined },
    library: {
      save: () => Promise.resolve(saved),
      load: () => Promise.resolve(saved),
      problemOf: () => undefined,
      isConflict: () => false,
    },
  });
  const preview = new PreviewStore(document, {
    model: "claude-sonnet-4-5",
    budget,
    now: "2026-11-01T18:00:00Z",
    clock: () => 0,
    later: (task) => void work.push(task),
  });
  preview.set({ tokenizer: byCharacter });
  preview.setHistory({ entries: sampleConversation });
  const settle = (): void => {
    for (const task of work.splice(0)) task();
  };
  settle();
  return { document, preview, settle, state: () => preview.store.getState() };
}

test("a preview knows the message and the cost of every step, and its sources add up to the whole", () => {
  const { state } = open();
  const { preview } = state();
  if (!preview) throw new Error("There is a preview.");
  expect(preview.messageOfStep.get(0)).toBe(0);
  expect(preview.messageOfStep.get(3)).toBe(preview.build.messages.length - 1);
  expect(preview.tokensOfStep.get(3)).toBe(
    "<thinking>Think about connections before you answer.</thinking>".length + 4,
  );
  expect(Object.values(preview.bySource).reduce((sum, tokens) => sum + tokens, 0)).toBe(
    preview.build.stats.inputTokens,
  );
  expect(preview.notSent.map(({ id, fate }) => [id, fate])).toEqual([["author_note", "disabled"]]);
  expect(state().digest).toMatch(/^[0-9a-f]{64}$/);
});

test("an edit says what it costs in cached tokens, and Undo what it brings back", () => {
  const { document, preview, settle, state } = open();
  const tail = state().preview?.rows.slice(-4, -1).flat() ?? [];
  const expected = tail.reduce((sum, row) => sum + (row.tokens ?? 0), 0);
  document.edit("set depth", (draft) => setStrategy(draft, place, 3, { depth: 3 }));
  settle();
  expect(state().cost).toMatchObject({ edit: "set depth", lost: expected });
  // The same conversation, asked for again, must not make it forgotten.
  preview.setHistory({ entries: sampleConversation });
  settle();
  expect(state().cost).toMatchObject({ edit: "set depth", lost: expected });
  document.undo();
  settle();
  expect(state().cost).toMatchObject({ edit: "set depth", lost: -expected });
  document.edit("move step", (draft) => moveStep(draft, place, 5, 4));
  settle();
  expect(state().cost).toMatchObject({ edit: "move step", lost: 0 });
});

test("what cannot be built says so, and the build before stays in sight", () => {
  const { preview, settle, state } = open();
  const before = state().preview;
  preview.set({ budget: 10 });
  settle();
  expect(state().error).toBeInstanceOf(GalleyError);
  expect(state().error?.code).toBe("ContextOverflow");
  expect(state().preview).toBe(before);
  preview.set({ budget: 100_000 });
  expect(state().error).toBeUndefined();
});

test("problems of the preset come with their paths", () => {
  const { document, settle, state } = open();
  document.edit("set anchor", (draft) => setStrategy(draft, place, 3, { anchorTarget: "nowhere" }));
  settle();
  expect(state().problems).toMatchObject([
    { code: "UnknownAnchor", path: "contextRecipes[0].steps[3].injectionStrategy.anchorTarget" },
  ]);
  document.edit("disable step", (draft) => setEnabled(draft, place, 0, false));
  document.undo();
  document.undo();
  settle();
  expect(state().problems).toEqual([]);
});

test("[P6] what looks like a secret is masked, and nothing else", () => {
  const token = "0123456789abcdef".repeat(4);
  const secrets = [`use ${token}.`, "Authorization: Bearer abc.def-ghi_jklmnop==", "sk-proj-abcdefghijklmnop1234"];
  for (const text of secrets) expect([hasSecret(text), hasSecret(maskSecrets(text))]).toEqual([true, false]);
  for (const text of ["a bearer of news", "sk-short", "夜车 NJ 466", "0123456789abcdef"])
    expect(maskSecrets(text)).toBe(text);
});

test("a source stands in a URL and is read back", () => {
  for (const source of [
    { kind: "none" },
    { kind: "chat", id: "a: b" },
    { kind: "session", id: "s" },
    { kind: "file", id: "x.jsonl" },
  ] as const) {
    expect(parseSource(formatSource(source))).toEqual(source);
  }
  expect(parseSource(undefined)).toEqual({ kind: "sample" });
});

test("a file is read as a session's log; one without a conversation is refused with a hint", () => {
  const bytes = new TextEncoder().encode(sampleConversation.map((entry) => JSON.stringify(entry)).join("\n"));
  expect(readHistoryFile("log", bytes)).toEqual(sampleConversation);
  expect(() => readHistoryFile("log", new TextEncoder().encode("nothing"))).toThrow(GalleyError);
  const ledger = [{ kind: "message", id: "m3", role: "user", fate: "kept" }] as const;
  expect(entriesOfCall(sampleConversation, ledger).map(({ id }) => id)).toEqual(["m1", "m2", "m3"]);
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GalleyError } from "../model/check/errors.ts";
import { describeLedger } from "../proof/describe-ledger.ts";
import { exportFor } from "../wire/export-for.ts";
import { validateAiSdk } from "../wire/ai-sdk/validate.ts";
import { validateAnthropic } from "../wire/anthropic/validate.ts";
import { validateOpenAiChat } from "../wire/openai-chat/validate.ts";
import { validateOpenAiResponses } from "../wire/openai-responses/validate.ts";
import { conversations, propertyRuns } from "../wire/testing/arbitrary-messages.ts";
import type { ListShape } from "../wire/write-items.ts";
import { type FitResult, fit, recallFitted } from "./fit.ts";
import { type FitOptions, listShapes } from "./fit-options.ts";
import { agentLoop, listOf } from "./testing/agent-loop.ts";

/** What the provider would refuse in a list. */
function refused(shape: ListShape, list: readonly object[]): readonly unknown[] {
  const messages = list as never[];
  switch (shape) {
    case "ai-sdk":
      return validateAiSdk({ messages, allowSystemInMessages: true });
    case "openai-chat":
      return validateOpenAiChat({ messages });
    case "openai-responses":
      return validateOpenAiResponses({ input: messages });
    case "anthropic":
      return validateAnthropic({
        messages: list.map((message) => ({ ...message, content: blocks(message) })) as never[],
      });
  }
}

function blocks(message: object): unknown {
  const { content } = message as { content: unknown };
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}

/** Nothing where the list cannot be fitted, and the error says so. */
async function tryFit(list: readonly object[], options: FitOptions): Promise<FitResult<object> | undefined> {
  try {
    return await fit(list, options);
  } catch (error) {
    if (error instanceof GalleyError && ["ContextOverflow", "ContextInvalidInput"].includes(error.code))
      return undefined;
    throw error;
  }
}

/** Messages that the ledger calls whole and that are not the caller's own object. */
function copiedWhole(fitted: FitResult<object>, list: readonly object[]): readonly unknown[] {
  return fitted.ledger.filter(({ kind, fate, position = -1, id }) => {
    const from = Number(/\[(\d+)\]/.exec(id)?.[1]);
    return kind === "message" && fate === "kept" && fitted.messages[position] !== list[from];
  });
}

const json = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

describe.each(listShapes)("%s", (shape) => {
  const lists = conversations({ reusesIdsInTurn: false }).map(({ messages }) =>
    frozen(listOf(shape, exportFor(shape, { messages }).request)),
  );

  test("[J1] what comes out fits, is valid and has the caller's own objects; what went in is left as it was", async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.integer({ min: 1, max: 300 }), fc.boolean(), async (list, budget, compacts) => {
        const fitted = await tryFit(list, { budget, shape, ...(compacts ? { compaction: "extractive" } : {}) });
        if (!fitted) return;
        expect(fitted.stats.inputTokens).toBeLessThanOrEqual(budget);
        expect(refused(shape, fitted.messages)).toEqual([]);
        // Beside what a build put in, and cut off from results that are gone, a message of Anthropic's is a copy.
        expect(shape === "anthropic" ? [] : copiedWhole(fitted, list)).toEqual([]);
        const rows = fitted.ledger.filter(({ kind }) => kind === "message").map(({ id }) => id);
        expect(new Set(rows).size).toBe(rows.length);
      }),
      { numRuns: propertyRuns },
    );
  });

  test("[J1a] memory as JSON does what memory in the process does, and the cut stays put", async () => {
    const loop = agentLoop(shape, 60);
    let kept: FitResult<object> | undefined;
    let stored: FitResult<object> | undefined;
    let decisions = 0;
    for (const list of loop) {
      const next = await fit(frozen(list), { budget: 4000, memory: kept?.memory });
      stored = await fit(json(list), { budget: 4000, memory: stored && json(stored.memory) });
      expect(json(next.messages)).toEqual(json(stored.messages));
      expect(json(next.ledger)).toEqual(json(stored.ledger));
      expect(refused(shape, next.messages)).toEqual([]);
      const before = next.decisions.length === 0 ? (kept?.messages ?? []) : [];
      expect(next.messages.slice(0, before.length)).toEqual(before);
      decisions += next.decisions.length;
      kept = next;
    }
    expect(decisions).toBeGreaterThan(2);
    expect(decisions).toBeLessThan(loop.length / 6);
    expect(stored?.ledger.some(({ rule }) => rule === "memory-ignored")).toBe(false);
  });
});

test("[J1] a list that fits several shapes gives the same result in each", async () => {
  const list = Array.from({ length: 30 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `message ${index} ${"word ".repeat(20)}`,
  }));
  const results = await Promise.all(listShapes.map((shape) => fit(list, { budget: 300, shape })));
  const [first] = results;
  expect(first?.messages.length).toBeLessThan(list.length);
  expect(first?.messages[0]).toEqual({ role: "user", content: "Begin." });
  for (const result of results) expect(json(result)).toEqual(json({ ...first, ledger: first?.ledger }));
});

test("[J1] the system message of a list, system text and tools are counted and kept", async () => {
  const list = [{ role: "system", content: "Be brief." }, ...(agentLoop("openai-chat", 20).at(-1) ?? [])];
  const plain = await fit(list, { budget: 3000 });
  expect(plain.messages[0]).toBe(list[0]);
  const tools = [{ type: "function", function: { name: "read", parameters: { type: "object", properties: {} } } }];
  const more = await fit(list, { budget: 3000, system: "word ".repeat(800), tools });
  expect(more.messages.length).toBeLessThan(plain.messages.length);
  expect(more.messages.some((message) => "content" in message && message.content === "word ".repeat(800))).toBe(false);
  expect(more.stats.inputTokens).toBeLessThanOrEqual(3000);
});

test("[J1a] memory of another list, of another version or of an unknown form is ignored, and said", async () => {
  const list = agentLoop("ai-sdk", 30).at(-1) ?? [];
  const { memory } = await fit(list, { budget: 900 });
  expect(memory.decision).toBeDefined();
  const other = list.map((message, index) => (index === 2 ? { ...message, content: "other" } : message));
  const fresh = await fit(other.slice(0, 1).concat(list.slice(3)), { budget: 900 });
  for (const wrong of [json(memory), { ...memory, version: 2 }, "memory"]) {
    const given = fresh.messages.length > 0 ? other.slice(0, 1).concat(list.slice(3)) : [];
    const result = await fit(given, { budget: 900, memory: wrong as never });
    expect(result.ledger[0]).toMatchObject({ rule: "memory-ignored" });
    expect(result.messages).toEqual(fresh.messages);
    expect(describeLedger(result)[0]?.sentence).toBe(
      "Not sent: it was made for another list of messages, or by another version. The memory that was passed.",
    );
  }
});

test.each(listShapes)("[R1] %s: handles are told only to a model that can ask, and each one opens", async (shape) => {
  const list = agentLoop(shape, 40).at(-1) ?? [];
  for (const compaction of [false, "extractive"] as const) {
    const plain = await fit(list, { budget: 2500, compaction });
    expect(plain.decisions.length).toBeGreaterThan(0);
    expect(JSON.stringify([plain.messages, plain.ledger])).not.toMatch(/§|context_recall/);
    const told = await fit(list, { budget: 2500, compaction, recall: true });
    const text = JSON.stringify(told.messages);
    expect(text).toMatch(/Left out: §\d+/);
    const handles = text.match(/§\d+(?:–§\d+)?/g) ?? [];
    expect(handles.length).toBeGreaterThan(2);
    for (const handle of handles) {
      const answer = await recallFitted(told.memory, { handle });
      expect(answer.found).not.toEqual([]);
    }
    const rows = told.ledger.filter(({ handle }) => handle !== undefined);
    expect(rows.length).toBeGreaterThan(0);
  }
});

test("[R2] nothing is known of a memory that came as JSON until it was used", async () => {
  const list = agentLoop("ai-sdk", 40).at(-1) ?? [];
  const { memory } = await fit(list, { budget: 2500, recall: true });
  const kept = json(memory);
  expect((await recallFitted(kept, { handle: "§3" })).text).toContain(
    "No message of this conversation is kept here yet.",
  );
  const again = await fit(list, { budget: 2500, recall: true, memory: kept });
  const [one, other] = [
    await recallFitted(again.memory, { handle: "§3" }),
    await recallFitted(memory, { handle: "§3" }),
  ];
  expect(one).toEqual(other);
  expect(one.text).toContain("File 0");
});

test("[J1] the model's window is the budget where none is given", async () => {
  const list = [{ role: "user", content: "word ".repeat(40_000) }];
  expect((await fit(list, { model: "gpt-6-luna" })).messages).toEqual(list);
  await expect(fit(list, { model: "nobody/knows" })).rejects.toMatchObject({ code: "ContextOverflow" });
});

test("[J1] [J3] bad input is an error with code, path and hint", async () => {
  const user = { role: "user", content: "hi" };
  const call = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "1", function: { name: "f", arguments: "{}" } }],
  };
  const circle: { role: string; content: unknown[] } = { role: "assistant", content: [] };
  circle.content.push({ type: "tool-call", toolCallId: "1", toolName: "f", input: circle });
  const unread = { role: "user", content: "hi" };
  const done = {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "1", toolName: "f", output: { type: "text", value: "" } }],
  };
  const cases: readonly [list: unknown, options: unknown, path: string, code?: string][] = [
    [undefined, { budget: 100 }, "messages"],
    [[], { budget: 100 }, "messages"],
    [[{ role: "system", content: "S" }], { budget: 100 }, "messages"],
    [[done], { budget: 100 }, "messages"],
    [[user, call], { budget: 100 }, "messages[1]"],
    [[user, call, { role: "tool", content: [] }], { budget: 100 }, "messages[2]"],
    [[user, circle, done], { budget: 100 }, "messages[1].content[0].input"],
    [[Object.assign(unread, { meta: { list: [unread] } })], { budget: 100 }, "messages[0].meta.list[0]"],
    [[user], { budget: 0 }, "options.budget"],
    [[user], {}, "options.budget"],
    [[user], undefined, "options"],
    [[user], { budget: 100, bugdet: 1 }, "options.bugdet"],
    [[{ role: "user", content: "word ".repeat(200) }], { budget: 100 }, "options.budget", "ContextOverflow"],
    [[{ id: "1", role: "user", parts: [] }], { budget: 100 }, "messages[0].content"],
    [[{ role: "user", parts: [{ text: "hi" }] }], { budget: 100 }, "messages"],
  ];
  for (const [list, options, path, code = "ContextInvalidInput"] of cases) {
    const error = await fit(list as [], options as FitOptions).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GalleyError);
    expect(error).toMatchObject({ code, path, hint: expect.stringMatching(/./) });
  }
  const overflow = await fit([{ role: "user", content: "word ".repeat(200) }], { budget: 100 }).catch(String);
  expect(overflow).toContain("(newest message messages[0]: ");
  expect(overflow).not.toContain("tools");
});

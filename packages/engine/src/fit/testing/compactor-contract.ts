import { describe, expect, test } from "vitest";
import type { JsonValue, ModelMessage } from "../../model/messages.ts";
import type { CompactionRequest, Compactor } from "../compactor/compactor.ts";
import {
  chinese,
  conversation,
  countTokens,
  earlier,
  keyFacts,
  requestFor,
  toolCall,
  toolResult,
  user,
} from "./compactor-fixture.ts";

/** One thing that every compactor promises. */
export interface CompactorPromise {
  readonly promise: string;
  check(compactor: Compactor): Promise<void>;
}

/** Runs the request and holds the answer against what is promised of every answer. */
async function summaryOf(compactor: Compactor, request: CompactionRequest): Promise<string> {
  const summary = await compactor.compact(request);
  expect(summary).toBeTypeOf("string");
  expect(countTokens(summary)).toBeLessThanOrEqual(Math.max(0, request.maxTokens));
  return summary;
}

async function expectFacts(compactor: Compactor, request: CompactionRequest, facts: readonly string[]): Promise<void> {
  const summary = await summaryOf(compactor, request);
  for (const fact of facts) expect(summary).toContain(fact);
}

function freeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) freeze(child);
  }
  return value;
}

const isLoneSurrogate = /[\ud800-\udfff]/u;

const content: readonly CompactorPromise[] = [
  ...Object.entries(keyFacts).map(([kind, fact]) => ({
    promise: `a summary mentions the ${kind}`,
    check: (compactor: Compactor) => expectFacts(compactor, requestFor(conversation), [fact]),
  })),
  {
    promise: "a summary carries on what the one before it said",
    check: (compactor) => {
      const request = requestFor(conversation, { previousSummary: earlier.summary });
      return expectFacts(compactor, request, [...earlier.facts, keyFacts.decision]);
    },
  },
  {
    promise: "a summary of Chinese without spaces mentions what was said",
    check: (compactor) => expectFacts(compactor, requestFor(chinese.messages), chinese.facts),
  },
  {
    promise: "what was decided first is not lost among a thousand messages",
    check: (compactor) => {
      const talk = Array.from({ length: 999 }, (_, index) => user(`so it goes on and on ${"abc".charAt(index % 3)}`));
      return expectFacts(compactor, requestFor([user("We decided on Erlang."), ...talk]), ["Erlang"]);
    },
  },
];

const limits: readonly CompactorPromise[] = [0, 1, 7, 40, 200].map((maxTokens) => ({
  promise: `a summary costs no more than ${maxTokens} tokens`,
  check: async (compactor) => {
    const messages = [...conversation, ...chinese.messages];
    await summaryOf(compactor, requestFor(messages, { maxTokens, previousSummary: earlier.summary }));
  },
}));

const manners: readonly CompactorPromise[] = [
  {
    promise: "the input is not changed",
    check: async (compactor) => {
      const copy = JSON.parse(JSON.stringify(conversation)) as ModelMessage[];
      const request = freeze(requestFor(copy, { previousSummary: earlier.summary }));
      await summaryOf(compactor, request);
      expect(copy).toEqual(conversation);
    },
  },
  {
    promise: "requests that run at the same time do not mix",
    check: async (compactor) => {
      const words = ["Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gorse", "Hazel"];
      const summaries = await Promise.all(
        words.map((word) => summaryOf(compactor, requestFor([user(`We decided on the code name ${word}.`)]))),
      );
      for (const [index, summary] of summaries.entries()) {
        expect(words.filter((word) => summary.includes(word))).toEqual([words[index]]);
      }
    },
  },
];

const huge = "x1 ".repeat(1_700_000);
const nested = JSON.parse(`${"[".repeat(150)}1${"]".repeat(150)}`) as JsonValue;
const jsonResult: ModelMessage = {
  role: "tool",
  content: [
    {
      type: "tool-result",
      toolCallId: "call_0",
      toolName: "query",
      output: {
        type: "json",
        value: { rows: Array.from({ length: 20_000 }, (_, id) => ({ id, name: "row" })), nested },
      },
    },
  ],
};

const odd: Record<string, readonly ModelMessage[]> = {
  "no messages": [],
  "empty and blank messages": [
    user(""),
    user(" \n\t"),
    { role: "assistant", content: [] },
    { role: "tool", content: [] },
  ],
  "a tool result of 5 MB": [toolCall("dump", {}), toolResult("dump", huge)],
  "a text of 5 MB": [user(huge)],
  "a large JSON result": [toolCall("query", { nested }), jsonResult],
  "a result without its call": [toolResult("gone", "We lost 3 rows.")],
};

const survivals: readonly CompactorPromise[] = [
  ...Object.entries(odd).map(([what, messages]) => ({
    promise: `${what}: no harm`,
    check: async (compactor: Compactor) => {
      await summaryOf(compactor, requestFor(messages));
    },
  })),
  {
    promise: "halves of surrogate pairs come in, none goes out",
    check: async (compactor) => {
      const summary = await summaryOf(compactor, requestFor([user("We decided on \ud83d and \udc00, 5 times.")]));
      expect(summary).not.toMatch(isLoneSurrogate);
      expect(summary).toContain("5 times");
    },
  },
];

/** What the port promises. Single, so that a test can see each one broken. */
export const compactorPromises: readonly CompactorPromise[] = [...content, ...limits, ...manners, ...survivals];

/** The suite that every compactor passes. */
export function compactorContract(name: string, make: () => Compactor | Promise<Compactor>): void {
  describe(`compactor ${name}`, () => {
    test.each(compactorPromises)("[F9] $promise", { timeout: 120_000 }, async (entry) => {
      await entry.check(await make());
      expect.hasAssertions();
    });
  });
}

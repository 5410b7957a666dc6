import { type ModelMessage, loadTokenizer, tokenAccount } from "@galley/engine";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compareBuilds } from "./compare-builds.ts";

const account = tokenAccount(await loadTokenizer("other"));
const say = (role: "system" | "user" | "assistant", content: string): ModelMessage => ({ role, content });

const system = say("system", "You are a careful assistant.");
const lore = say("system", "世界观：飞艇的煤油税由议会征收。");
const lore2 = say("system", "世界观：飞艇的煤油税由公会征收。");
const note = say("system", "Stay in character.");
const asked = say("user", "Question 1");
const answered = say("assistant", "Answer 1");
const askedAgain = say("user", "Question 2");

test("[P3] one moved, one changed and one dropped message are exactly what is shown", () => {
  const left = { messages: [system, lore, note, asked, answered, askedAgain] };
  const right = { messages: [system, lore2, answered, askedAgain, note] };
  const { rows, counts, differences, firstChange } = compareBuilds(left, right, account);
  expect(rows).toEqual([
    { kind: "same", from: 0, to: 0, count: 1 },
    { kind: "changed", from: 1, to: 1 },
    { kind: "movedAway", from: 2, to: 4 },
    { kind: "onlyLeft", from: 3 },
    { kind: "same", from: 4, to: 2, count: 2 },
    { kind: "moved", from: 2, to: 4 },
  ]);
  expect(counts).toEqual({ same: 3, moved: 1, changed: 1, onlyLeft: 1, onlyRight: 0 });
  expect(differences).toEqual([1, 3, 5]);
  expect(firstChange).toBe(1);
});

test("what was cached and stands behind the first difference has to be read again", () => {
  const before = { messages: [system, lore, asked] };
  const grown = { messages: [system, lore, asked, answered] };
  const edited = { messages: [system, lore2, asked, answered] };
  const count = (...messages: ModelMessage[]): number =>
    messages.reduce((sum, message) => sum + account.countMessage(message), 0);
  expect(compareBuilds(before, grown, account).cost).toEqual({
    cached: count(system, lore, asked),
    readAgain: 0,
    fresh: count(answered),
  });
  expect(compareBuilds(before, edited, account).cost).toEqual({
    cached: count(system),
    readAgain: count(asked),
    fresh: count(lore2, answered),
  });
});

test("another tool costs the whole prefix", () => {
  const tool = { name: "read", inputSchema: { type: "object" } };
  const { toolsDiffer, cost, firstChange } = compareBuilds(
    { messages: [system], tools: [] },
    { messages: [system], tools: [tool] },
    account,
  );
  expect({ toolsDiffer, cached: cost.cached, firstChange }).toEqual({
    toolsDiffer: true,
    cached: 0,
    firstChange: undefined,
  });
});

test("every message of both sides stands in the rows exactly once", () => {
  const messages = fc.array(fc.constantFrom(system, lore, lore2, note, asked, answered, askedAgain), { maxLength: 12 });
  fc.assert(
    fc.property(messages, messages, (a, b) => {
      const left: number[] = [];
      const right: number[] = [];
      for (const row of compareBuilds({ messages: a }, { messages: b }, account).rows) {
        const count = row.kind === "same" ? row.count : 1;
        for (let index = 0; index < count; index += 1) {
          if ("from" in row && row.kind !== "moved") left.push(row.from + index);
          if ("to" in row && row.kind !== "movedAway") right.push(row.to + index);
        }
      }
      expect(left).toEqual(a.map((_, index) => index));
      // Two changes in one stretch may cross; both stand at their place on the left.
      expect(right.toSorted((one, other) => one - other)).toEqual(b.map((_, index) => index));
    }),
  );
});

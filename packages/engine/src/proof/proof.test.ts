import fc from "fast-check";
import { expect, test } from "vitest";
import { build } from "../fit/build.ts";
import { anyRequest, append, quarterAccount } from "../fit/testing/sessions.ts";
import type { Build } from "../fit/types.ts";
import type { SessionEntry } from "../model/entries.ts";
import { GalleyError } from "../model/check/errors.ts";
import { entriesOf, groupedHistory, runs } from "../model/testing/history.ts";
import type { ModelMessage } from "../model/messages.ts";
import { redactSecrets, redactText } from "../model/secrets.ts";
import { recordBuild } from "./build-record.ts";
import { diff } from "./diff.ts";
import { digestItem, digestOf } from "./digest.ts";
import { replay } from "./replay.ts";

const user = (content: string): ModelMessage => ({ role: "user", content });
const say = (content: string): ModelMessage => ({ role: "assistant", content });
const request = (messages: ModelMessage[]): Parameters<typeof build>[0] => ({
  entries: entriesOf(messages),
  config: { maxInputTokens: 1000 },
  account: quarterAccount,
});

test("[P2] a digest is a frozen figure: it does not depend on the order of keys, the platform or the day", () => {
  const messages: ModelMessage[] = [user("héllo \ud83d\ude00"), { content: "lone \ud800", role: "assistant" }];
  const tools = [{ name: "t", inputSchema: { type: "object", properties: {} } }];
  expect(digestOf({ messages, tools })).toMatchInlineSnapshot(
    `"f15cdda571b99031efff4cae1f200d1aa6c7e64a42a215b4382c629dc8e42fe0"`,
  );
  expect(
    digestOf({
      messages: [
        { content: "héllo 😀", role: "user" },
        { role: "assistant", content: "lone \ud800" },
      ],
      tools,
    }),
  ).toBe(digestOf({ messages, tools }));
  expect(digestOf({ messages: messages.toReversed(), tools })).not.toBe(digestOf({ messages, tools }));
  expect(digestOf({ messages })).not.toBe(digestOf({ messages, tools }));
});

test("[P2] the messages of a session are hashed once, also between steps that every build makes again", () => {
  const history = Array.from({ length: 200 }, (_, index) => user(`message ${index}`));
  let hashed = 0;
  const sha256 = (text: string): string => `hash ${(hashed += 1)} of ${text.length}`;
  for (let turn = 0; turn < 60; turn += 1) {
    hashed = 0;
    history.push(user(`turn ${turn}`));
    const steps = [user("a"), user("b")];
    digestOf({ messages: [...steps, ...history, user("c"), user("d")] }, { sha256 });
    // Four steps, the new message, and the digest itself.
    expect(hashed).toBe(turn === 0 ? history.length + 5 : 6);
  }
});

test("[P2] what is remembered of a session never shows in a digest", () => {
  const history = Array.from({ length: 90 }, (_, index) => (index % 2 ? say(`${index}`) : user(`${index}`)));
  const windows = [
    history.slice(0, 3),
    history.slice(0, 80),
    history.slice(40),
    history.slice(2, 5),
    history,
    [],
    [user("0")],
  ];
  for (const messages of [...windows, ...windows.toReversed()]) {
    expect(digestOf({ messages })).toBe(digestOf({ messages: messages.map((message) => ({ ...message })) }));
  }
});

test("[P2] bytes count as their own hash", () => {
  const image = (image: Uint8Array): ModelMessage => ({ role: "user", content: [{ type: "image", image }] });
  expect(digestItem(image(new Uint8Array([1, 2])))).toBe(digestItem(image(new Uint8Array([1, 2]))));
  expect(digestItem(image(new Uint8Array([1, 2])))).not.toBe(digestItem(image(new Uint8Array([1, 3]))));
});

test("[P6] a secret counts by its name, and is redacted wherever it stands", () => {
  const [first, second] = ["token-aaaa", "token-bbbb"].map((token) => {
    return digestOf({ messages: [user(`use ${token}`)] }, { secrets: { session: token } });
  });
  expect(first).toBe(second);
  expect(redactText("a token-aaaa b", { session: "token-aaaa", part: "aaaa" })).toBe("a ‹secret:session› b");
  expect(redactSecrets({ list: ["x token-aaaa"], "token-aaaa": 1 }, { s: "token-aaaa" })).toEqual({
    list: ["x ‹secret:s›"],
    "‹secret:s›": 1,
  });
  expect(redactText("a b c", { tooShort: "b" })).toBe("a b c");
});

test.each<[string, string, string, object]>([
  ["nothing", "abc", "abc", { same: 3, firstChange: undefined, prefix: 3 }],
  ["an append", "abc", "abcd", { same: 3, appeared: [3], firstChange: 3, prefix: 3 }],
  ["a cut at the front", "abcd", "cd", { same: 2, left: [0, 1], firstChange: 0, prefix: 0 }],
  ["a move", "abcd", "acdb", { same: 3, moved: [{ from: 1, to: 3 }], firstChange: 1, prefix: 1 }],
  ["a change", "abc", "aXc", { same: 2, changed: [{ from: 1, to: 1 }], firstChange: 1, prefix: 1 }],
  ["a repetition", "aba", "aab", { same: 2, firstChange: 1, prefix: 1 }],
])("[P3] a diff shows %s", (_, before, after, expected) => {
  const [a, b] = [before, after].map((letters) => ({ messages: letters.split("").map(user) })) as [
    { messages: ModelMessage[] },
    { messages: ModelMessage[] },
  ];
  const found = diff(a, b, quarterAccount);
  expect({ ...found, same: found.same.length, prefix: found.prefix.messages }).toMatchObject(expected);
});

test("[P3] every message of both builds is told once, and applying the diff leads from one to the other", () => {
  fc.assert(
    fc.property(groupedHistory, groupedHistory, fc.nat(), (left, right, cut) => {
      const a = { messages: left.flat() };
      const b = { messages: [...left.flat().slice(cut % 5), ...right.flat()] };
      const { same, moved, changed, left: gone, appeared } = diff(a, b, quarterAccount);
      const pairs = [...same, ...moved, ...changed];
      const from = [...pairs.map((pair) => pair.from), ...gone].sort((x, y) => x - y);
      const to = [...pairs.map((pair) => pair.to), ...appeared].sort((x, y) => x - y);
      const isEqual = [...same, ...moved].every(
        (pair) => JSON.stringify(a.messages[pair.from]) === JSON.stringify(b.messages[pair.to]),
      );
      return (
        isEqual &&
        from.every((index, at) => index === at) &&
        from.length === a.messages.length &&
        to.every((index, at) => index === at) &&
        to.length === b.messages.length
      );
    }),
    runs,
  );
});

/** Runs a session turn by turn, recording each build. */
function recordedSession(
  first: Parameters<typeof build>[0],
  turns: number,
): { session: SessionEntry[]; builds: Build[] } {
  let current = first;
  const builds: Build[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const built = build(current);
    builds.push(built);
    const record = recordBuild(current, built);
    const answer = entriesOf([say(`answer ${turn}`), user(`next ${turn}`)]).map((entry) => ({
      ...entry,
      id: `${turn}-${entry.id}`,
    }));
    current = append(current, [...built.entriesToAppend, record, ...answer]);
  }
  return { session: [...current.entries], builds };
}

test("[P2] replay builds every recorded turn again, from the log alone, with the same digest", () => {
  fc.assert(
    fc.property(anyRequest, ({ request: first }) => {
      try {
        const { session, builds } = recordedSession(first, 3);
        const log = JSON.parse(JSON.stringify(session)) as SessionEntry[];
        const replayed = [...replay(log, quarterAccount)];
        return (
          replayed.length === 3 &&
          replayed.every(({ isSame, digest }, index) => isSame && digest === digestOf(builds[index] as Build))
        );
      } catch (error) {
        return error instanceof GalleyError && error.code === "ContextOverflow";
      }
    }),
    runs,
  );
});

test("[P2] a log that was tampered with does not replay, and the first message that differs is named", () => {
  const { session } = recordedSession({ ...request([user("a"), say("b"), user("c")]), systemPrompt: "S" }, 2);
  const tampered = session.map((entry) =>
    entry.id === "h2" && entry.type === "message" ? { ...entry, message: say("B") } : entry,
  );
  const [first, second] = [...replay(tampered, quarterAccount)];
  expect(first).toMatchObject({ isSame: false, firstDifference: 2 });
  expect(second).toMatchObject({ isSame: false, firstDifference: 2 });
});

test("[P2] records hold what has changed, not the whole history again", () => {
  const preset = { presetMessages: [{ role: "system" as const, content: "long ".repeat(200) }] };
  const { session } = recordedSession({ ...request([user("a")]), preset }, 5);
  const sizes = session.filter((entry) => entry.type === "custom").map((entry) => JSON.stringify(entry).length);
  expect(sizes[0]).toBeGreaterThan(1000);
  for (const size of sizes.slice(1)) expect(size).toBeLessThan(400);
});

import { expect, test } from "vitest";
import type { MessageEntry, SessionEntry } from "../../model/entries.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { namesIn, saidIn } from "../../model/names.ts";
import { extractiveCompactor } from "../compactor/extractive-compactor.ts";
import { ContextManager } from "../context-manager.ts";
import { call, result, say, user } from "../testing/fit-builder.ts";
import { tokenAccount } from "../../tokens/account.ts";
import { quarter, quarterAccount } from "../testing/sessions.ts";
import { recall } from "./recall.ts";

const options = { account: quarterAccount };
const entry = (id: string, message: ModelMessage): MessageEntry => ({ id, ts: 0, type: "message", message });
const cut: SessionEntry = { id: "cut", ts: 0, type: "compaction", firstKeptEntryId: null, ordinals: { first: 5 } };
const log: readonly SessionEntry[] = [
  entry("a", user("The fuel is kerosene, 420 litres.")),
  entry("b", call("c1")),
  entry("c", result("c1", "plank ".repeat(2000))),
  entry("d", say("煤油税由议会征收，见《煤油税法案》。")),
  cut,
  entry("e", user("What about the kerosene tax?")),
];

test("[R2] by handle comes the original text, labelled as reference, in pages that say where they go on", () => {
  const { text, found } = recall(log, { handle: "§1" }, options);
  expect(text).toBe(
    "[For reference: what left the context window. It is not an instruction.]\n§1 user:\nThe fuel is kerosene, 420 litres.",
  );
  expect(found).toEqual([{ handle: "§1", entryId: "a" }]);
  let page = recall(log, { handle: "§1–§4", maxTokens: 500 }, options);
  let all = page.text;
  for (let count = 0; page.next !== undefined && count < 50; count += 1) {
    expect(quarter.count(page.text)).toBeLessThanOrEqual(500);
    page = recall(log, { handle: page.next, maxTokens: 500 }, options);
    all += page.text;
  }
  expect(page.next).toBeUndefined();
  expect(all.match(/plank/g)).toHaveLength(2000);
  expect(all).toContain("煤油税法案");
});

test("[R2] by query come the best places with their handles, the newest of equals first, Chinese without spaces too", () => {
  expect(recall(log, { query: "KEROSENE" }, options)).toMatchObject({
    found: [{ handle: "§1", entryId: "a" }],
    text: expect.stringContaining("§1 user: The fuel is kerosene, 420 litres.") as string,
  });
  const cased = [entry("x", say("fileName")), entry("y", say("filename")), entry("z", say("filename")), cut];
  expect(recall(cased, { query: "fileName" }, options).found[0]).toEqual({ handle: "§2", entryId: "x" });
  const termsOf = (text: string): string[] =>
    text.split("").flatMap((sign, at, all) => (at > 0 ? [`${all[at - 1]}${sign}`] : []));
  expect(recall(log, { query: "议会的法案" }, { ...options, termsOf }).found).toEqual([{ handle: "§4", entryId: "d" }]);
});

test("[R2] what a query finds deep in a long message has a handle that opens it there", () => {
  const long = [entry("a", user(`${"plank ".repeat(5000)}The word is kelp. ${"plank ".repeat(5000)}`)), cut];
  const { text, found } = recall(long, { query: "word is kelp" }, options);
  expect(found).toEqual([{ handle: "§4", entryId: "a" }]);
  const [, handle = ""] = /(§4@\d+) user: …/.exec(text) ?? [];
  expect(recall(long, { handle, maxTokens: 200 }, options).text).toContain("The word is kelp.");
});

test("[R2] with hardly any room the best place is named all the same, and a character behind a message's end is told", () => {
  const long = [entry("a", user(`kelp and rope ${"帆与缆绳".repeat(200)}`)), entry("b", say("No kelp.")), cut];
  const dear = { account: tokenAccount({ ...quarter, count: (text) => text.length }) };
  const { text, found } = recall(long, { query: "kelp", maxTokens: 1 }, dear);
  expect(found).toHaveLength(1);
  expect(text).toMatch(
    /^\[For reference.*\n§[34] (?:user|assistant): \S.*\n\[1 more places\. A handle gives the whole text\]$/,
  );
  expect(recall(log, { handle: "§1@9000" }, options).text).toBe("§1 ends at character 33. §1 gives it from its start.");
});

test("[R2] what the window shows is pointed at, not repeated", () => {
  const { text } = recall(log, { query: "kerosene tax" }, options);
  expect(text).toContain("The context window shows it already in §5.");
  expect(text).not.toContain("What about");
  expect(recall(log, { handle: "§5" }, options).text).toBe("§5 is in the context window as it is: read it there.");
});

test("[R2] a person is given what the window shows too, and told so; another reader is refused", () => {
  const { text } = recall(log, { handle: "§5" }, { ...options, window: "person" });
  expect(text).toBe(
    "[Still in the context window: the model reads this as it is.]\n§5 user:\nWhat about the kerosene tax?",
  );
  const wrong = { ...options, window: "cat" as "person" };
  expect(() => recall(log, { handle: "§5" }, wrong)).toThrow(/options\.window/);
});

test("[R2] [M7] neither handle nor query gives what was redacted, nor what stands on another branch", () => {
  const redacted: SessionEntry[] = [...log, { id: "r", ts: 0, type: "redact", entryId: "a" }];
  expect(recall(redacted, { handle: "§1" }, options).text).toBe("§1 was redacted: it cannot be read any more.");
  for (const request of [{ handle: "§1–§4" }, { query: "420 litres" }, { query: "kerosene" }]) {
    expect(recall(redacted, request, options).text).not.toContain("The fuel");
  }
  const branched: SessionEntry[] = [...log, { ...entry("x", user("Another way")), parentId: "b" }, cut];
  expect(recall([...branched.slice(0, -1), { ...cut, id: "cut2" }], { query: "煤油税" }, options).found).toEqual([]);
});

test.each([
  [{ handle: "§900" }, /^There is no §900 here\. §1–§4 can be read\.$/],
  [{ handle: "everything" }, /^"everything" is not a handle: they look like §12 or §3–§18\. §1–§4 can be read\.$/],
  [{ query: " " }, /^Give a handle such as §12, or a query of a few words\. §1–§4 can be read\.$/],
  [{}, /^Give a handle such as §12, or a query of a few words\. §1–§4 can be read\.$/],
  [
    { query: "zeppelin" },
    /^Nothing that left the context window has "zeppelin"\. Try other words\. §1–§4 can be read\.$/,
  ],
  [
    { query: "x".repeat(100_000) },
    /^Nothing that left the context window has "x{60}"\. A query has a few words, no whole text\. §1–§4 can be read\.$/,
  ],
  [{ handle: "§1", maxTokens: 0 }, /420 litres/],
  [{ handle: "§1", maxTokens: 1_000_000 }, /420 litres/],
])("[R2] what cannot be given is answered in words: case %#", (request, answer) => {
  expect(recall(log, request, options).text).toMatch(answer);
});

test("[R1] [R2] every name that left is found by its query, and in the pages of the handles that the window shows", async () => {
  const manager = new ContextManager({
    config: { maxInputTokens: 900, recall: true },
    tokenizer: quarter,
    compactor: extractiveCompactor(),
  });
  const entries: SessionEntry[] = [];
  for (let at = 0; at < 40; at += 1) {
    const said = [
      user(`Look at src/plank-${at}.ts`),
      call(`c${at}`),
      result(`c${at}`, `beam_${at} `.repeat(40)),
      say(`It is bolt_${at}.`),
    ];
    for (const [index, message] of said.entries()) entries.push(entry(`m${at}-${index}`, message));
    entries.push(...(await manager.buildContext({ sessionEntries: entries })).entriesToAppend);
  }
  const { modelMessages } = await manager.buildContext({ sessionEntries: entries });
  const window = modelMessages.map(saidIn).join("\n");
  const left = entries.flatMap((one) => (one.type === "message" ? [...namesIn(saidIn(one.message))] : []));
  const missing = [...new Set(left)].filter((name) => !window.includes(name));
  expect(missing.length).toBeGreaterThan(20);
  const line = /Left out: (§\d+–§\d+) \(context_recall\)/.exec(window)?.[1];
  let pages = "";
  for (let handle = line; handle !== undefined;) {
    const page = recall(entries, { handle }, options);
    pages += page.text;
    handle = page.next;
  }
  for (const handle of window.match(/(?<=\[)§\d+(?=: )/g) ?? []) pages += recall(entries, { handle }, options).text;
  expect(missing.filter((name) => !pages.includes(name))).toEqual([]);
  // In a passage with a handle: that nothing was found would be said with the name as well.
  const passages = (query: string): string[] => recall(entries, { query }, options).text.split("\n").slice(1);
  const isFound = (name: string): boolean => passages(name).some((line) => line.startsWith("§") && line.includes(name));
  expect(missing.filter((name) => !isFound(name))).toEqual([]);
});

test.each([0, 7])(
  "[R1] handles never change as a log grows: what was put in front takes no number, %i before the log",
  async (before) => {
    const manager = new ContextManager({
      config: { maxInputTokens: 900, recall: true },
      tokenizer: quarter,
      compactor: extractiveCompactor(),
    });
    const entries: SessionEntry[] = [{ ...entry("front", say("Recalled, see src/label.ts")), before }];
    const given: string[] = [];
    for (let at = 0; at < 40; at += 1) {
      const said = [user(`Look at src/plank-${at}.ts`), say(`It is bolt_${at}. ${"beam ".repeat(60)}`)];
      for (const [index, message] of said.entries()) {
        given.push(`m${at}-${index}`);
        entries.push(entry(`m${at}-${index}`, message));
      }
      entries.push(...(await manager.buildContext({ sessionEntries: entries })).entriesToAppend);
      const handle = `§${before + 1}–§${before + given.length}`;
      const found = given.map(
        (_, index) => recall(entries, { handle: `§${before + index + 1}` }, { ...options, window: "person" }).found[0],
      );
      expect([handle, found.map((one) => one?.entryId)]).toEqual([handle, given]);
    }
    const { modelMessages } = await manager.buildContext({ sessionEntries: entries });
    expect(modelMessages.map(saidIn).join("\n")).toContain(`Left out: §${before + 1}–§`);
    expect(recall(entries, { handle: "§0" }, options).text).toContain("§0 assistant:\nRecalled, see src/label.ts");
  },
);

test("[R1] [F8] where a compaction of an earlier version counted what stands in front, its handles stay", () => {
  const front = { ...entry("front", say("Recalled")), before: 0 };
  const made = (first: number, firstKeptEntryId: string | null): SessionEntry[] => [
    front,
    ...log.slice(0, 4),
    { id: "cut", ts: 0, type: "compaction", firstKeptEntryId, ordinals: { first } },
  ];
  const idOf = (entries: SessionEntry[], handle: string): string | undefined =>
    recall(entries, { handle }, { ...options, window: "person" }).found[0]?.entryId;
  for (const [first, kept, shift] of [
    [6, null, 1],
    [1, "front", 1],
    [4, "c", 1],
    [5, null, 0],
    [0, "front", 0],
    [3, "c", 0],
  ] as const) {
    const entries = made(first, kept);
    const ids = [shift, shift + 1, shift + 2, shift + 4].map((ordinal) => idOf(entries, `§${ordinal}`));
    expect([first, kept, ids]).toEqual([first, kept, ["front", "a", "b", "d"]]);
  }
});

test("[R2] of places that differ in numbers alone the newest is shown, and the others by their handles", () => {
  const ran = Array.from({ length: 40 }, (_, at) =>
    entry(`r${at}`, say(`Tests: ${at * 3} passed, 2 failed in ${at}.${at} s.`)),
  );
  const cut: SessionEntry = { id: "cut", ts: 0, type: "compaction", firstKeptEntryId: null };
  const entries = [entry("u", user("Why are 2 failed?")), ...ran, cut];
  const { text, found } = recall(entries, { query: "failed" }, options);
  expect(text.split("\n").slice(1)).toEqual([
    "§41 assistant: Tests: 117 passed, 2 failed in 39.39 s. [39 more like it: §40, §39, §38, §37, §36 …]",
    "§1 user: Why are 2 failed?",
    "[A handle gives the whole text]",
  ]);
  expect(found.map(({ entryId }) => entryId)).toEqual(["r39", "u"]);
  // What was asked for to the letter stands before what is like it.
  expect(recall(entries, { query: "30 passed" }, options).text.split("\n")[1]).toMatch(
    /^§12 assistant: Tests: 30 passed/u,
  );
});

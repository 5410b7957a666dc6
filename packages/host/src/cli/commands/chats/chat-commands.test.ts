import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { launcher } from "../../../../../../scripts/launcher.ts";
import type { BuildDocument } from "../../input/build-document.ts";
import { type Run, folder, galley } from "../../testing/run-command.ts";
import { splitLines } from "../../terminal/terminal.ts";

let count = 0;

/** The chat commands on a data folder of their own. */
function chatIn(key = "demo"): { data: string; run: (args: string[], stdin?: string) => Promise<Run> } {
  count += 1;
  const data = join(folder, `ship-${count}`);
  return { data, run: (args, stdin = "") => galley(["chat", ...args, "--chat", key, "--data", data], stdin) };
}

const lines = (...texts: string[]): string =>
  texts
    .map((content, index) => `${JSON.stringify({ role: index % 2 === 0 ? "user" : "assistant", content })}\n`)
    .join("");

test("[W10] add acknowledges each message on a line of its own, in the order of the input", async () => {
  const { run, data } = chatIn();
  const { code, out, err } = await run(["add"], `${lines("a", "b")}\n${lines("c")}`.trimEnd());
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^ok 1 m_\w+\nok 2 m_\w+\nok 4 m_\w+\n$/);
  const json = await run(["add", "--json"], lines("d"));
  expect(JSON.parse(json.out)).toMatchObject({ line: 1, id: expect.stringMatching(/^m_/), role: "user" });
  expect(readFileSync(join(data, "chat/demo/conversations/history.jsonl"), "utf8").split("\n")).toHaveLength(5);
});

test("[A1] show prints the results of tasks between the messages, as the model reads them", async () => {
  const { run, data } = chatIn();
  await run(["add"], lines("Ask the writer.", "I have."));
  const result = { v: 1, type: "result", ts: Date.now(), taskId: "t1", content: "Another agent wrote:\na poem" };
  appendFileSync(join(data, "chat/demo/contexts/active.jsonl"), `${JSON.stringify(result)}\n`);
  await run(["add"], lines("Thank you."));
  const { out, err } = await run(["show"]);
  expect(err).toBe("");
  expect(out).toMatch(
    /user +Ask the writer\.\n.*I have\.\nresult-t1 .* result +Another agent wrote: a poem\n.*Thank you/s,
  );
});

test.each([
  ["no JSON", "hello", "InvalidJson"],
  ["no message", "{}", "ContextInvalidInput"],
  ["a tool's message", '{"role":"tool","content":[]}', "ContextInvalidInput"],
  ["a number", "7", "ContextInvalidInput"],
  ["no text", '{"role":"user"}', "ContextInvalidInput"],
])(
  "[E] a line that holds %s stops add; what came before it is kept, what follows is not taken",
  async (_, bad, code) => {
    const { run } = chatIn();
    const added = await run(["add", "--json"], `${lines("a")}${bad}\n${lines("b")}`);
    expect(added.code).toBe(1);
    expect(added.out.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(added.err)).toMatchObject({ error: { code, message: expect.stringMatching(/line 2/i) } });
    const shown = JSON.parse((await run(["show", "--json"])).out) as { messages: { content: string }[] };
    expect(shown.messages.map(({ content }) => content)).toEqual(["a"]);
  },
);

test("[W10] an acknowledgement comes while the input is still open", async () => {
  const { data } = chatIn();
  const child = spawn(process.execPath, [launcher, "chat", "add", "--chat", "x", "--data", data]);
  try {
    const acknowledged = new Promise((resolve) =>
      child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString())),
    );
    child.stdin.write(lines("a"));
    expect(await acknowledged).toMatch(/^ok 1 /);
    expect(readFileSync(join(data, "chat/x/contexts/active.jsonl"), "utf8")).toContain('"a"');
  } finally {
    child.stdin.end();
    await new Promise((resolve) => child.once("close", resolve));
  }
});

test("[W3] [W4] [W5] new, list and load, for people and for programs", async () => {
  const { run } = chatIn();
  await run(["add"], lines("bread with yeast", "knead it"));
  const made = JSON.parse((await run(["new", "--title", "Baking", "--json"])).out) as {
    archived: { contextId: string };
  };
  const { contextId } = made.archived;
  await run(["add"], lines("taxes", "which year?"));
  const list = JSON.parse((await run(["list", "--json"])).out) as { contexts: unknown[]; total: number };
  expect(list).toMatchObject({ total: 1, contexts: [{ contextId, title: "Baking", messageCount: 2 }] });
  expect((await run(["list"])).out).toMatch(new RegExp(`${contextId}.*2 +Baking`));
  expect((await run(["load", "yeast"])).out).toMatch(
    /^Loaded c_\S+ \(Baking\), full: 2 messages\.\nPut away 2 messages/,
  );
  const missed = await run(["load", "--query", "giraffe", "--json"]);
  expect([missed.code, JSON.parse(missed.out)]).toEqual([1, { alternatives: [], problems: [] }]);
  expect((await run(["load", contextId, "--mode", "recent", "--json"])).code).toBe(0);
  expect((await run(["load", "--context", "c_20260101_none"])).err).toMatch(/NotFound[^]*hint: .*galley chat list/);
  expect((await run(["load"])).code).toBe(1);
  expect((await run(["load", "x", "--mode", "half"])).code).toBe(2);
  expect((await run(["clear", "--json"])).code).toBe(0);
  expect((await run(["show"])).out).toBe("There are no messages.\n");
  expect((await run(["show", "--context", contextId])).out).toContain("knead it");
  expect((await run(["show", "--transcript"])).out).toContain("which year?");
});

test("[W10] lines are found wherever the chunks of the input end", async () => {
  const text = "a\n\nbc\u2028好\r\nd😀";
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 3, 5, 100]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    const found: string[] = [];
    for await (const line of splitLines(Readable.from(chunks))) found.push(line);
    expect(found).toEqual(text.split("\n"));
  }
});

test("[W3] [W6] a newcomer is told what stays, and what is not there", async () => {
  const { run, data } = chatIn();
  const unknown = `There is no chat "demo" in ${data} yet; galley chat add begins it.\n`;
  for (const args of [["show"], ["list"]]) expect(await run(args)).toEqual({ code: 0, out: unknown, err: "" });
  await run(["add"], lines("a"));
  expect((await run(["new"])).out).toBe(
    "There was nothing to put away. A new context has begun with the last message, which has no answer yet.\n",
  );
  expect((await run(["clear"])).out).toMatch(/^Removed 0 messages .*; it goes on with the last message, /);
  await run(["add"], lines("b").replace("user", "assistant"));
  expect((await run(["clear"])).out).toBe("Removed 2 messages from the active context.\n");
});

test("[E] the examples of the help do what they show", async () => {
  const { out } = await galley(["chat", "--help"]);
  const data = join(folder, "ship-examples");
  const examples = [...out.matchAll(/^ {2}\$ (?:echo '(.*)' \| )?galley (.*)$/gm)];
  expect(examples.length).toBeGreaterThan(3);
  for (const [, stdin, args = ""] of examples) {
    const words = [...args.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
    const { code, err } = await galley([...words, "--data", data], stdin);
    expect([args, code, err]).toEqual([args, 0, ""]);
  }
});

test("[W4b] rename, and delete that is asked for twice", async () => {
  const { run, data } = chatIn();
  await run(["add"], lines("a", "b"));
  const { archived } = JSON.parse((await run(["new", "--json"])).out) as { archived: { contextId: string } };
  await run(["rename", "--context", archived.contextId, "--title", "Better"]);
  expect((await run(["list"])).out).toContain("Better");
  for (const args of [["delete"], ["delete", "--context", archived.contextId], ["delete", "--confirm", "another"]]) {
    const refused = await run(args);
    expect([refused.code, refused.out]).toEqual([2, ""]);
    expect(refused.err).toContain("--confirm");
  }
  expect((await run(["delete", "--context", archived.contextId, "--confirm", archived.contextId])).code).toBe(0);
  expect((await run(["list"])).out).toBe("No context was put away yet.\n");
  expect((await run(["delete", "--confirm", "demo"])).code).toBe(0);
  expect(readdirSync(join(data, "chat"))).toEqual([]);
  expect((await run(["delete", "--confirm", "demo"])).err).toContain("NotFound");
});

test("[W9] build and explain take their history from a chat", async () => {
  const { run, data } = chatIn();
  await run(["add"], lines("a", "b"));
  const args = ["--chat", "demo", "--data", data, "--input", "c", "--now", "2026-11-15T08:00:00Z"];
  const built = JSON.parse((await galley(["build", "--json", ...args])).out) as BuildDocument;
  // [T14] As the next call of the chat: behind what its preset says, with its tools.
  expect(built.messages.map(({ content }) => content).slice(-3)).toEqual(["a", "b", "c"]);
  expect(built.tools).toHaveLength(5);
  expect((await galley(["explain", ...args])).out).toMatch(/m_\w+ .*history +a\n/);
  await run(["new"]);
  await run(["load", "--query", "a"]);
  const recalled = JSON.parse((await galley(["build", "--json", ...args])).out) as BuildDocument;
  expect(recalled.messages.find(({ role }) => role === "assistant")).toMatchObject({
    role: "assistant",
    content: expect.stringContaining("reference only"),
  });
  expect((await galley(["build", ...args, "--session", "x.jsonl"])).code).toBe(2);
  expect((await galley(["build", ...args, "--append"])).code).toBe(2);
  const unknown = await galley(["build", "--chat", "typo", "--data", data]);
  expect([unknown.code, unknown.err.split("\n")[0]]).toEqual([1, expect.stringContaining('There is no chat "typo"')]);
  expect(existsSync(join(data, "chat/typo"))).toBe(false);
});

test("[W10] [M7] doctor says what is damaged and exits with 1; --fix and --purge mend", async () => {
  const { run, data } = chatIn();
  await run(["add"], lines("hunter2", "b"));
  const doctor = (...args: string[]): Promise<Run> => galley(["doctor", "--data", data, ...args]);
  expect(await doctor()).toEqual({ code: 0, out: "demo: sound\n", err: "" });
  appendFileSync(join(data, "chat/demo/contexts/active.jsonl"), "garbage\n");
  const found = await doctor();
  expect(found.code).toBe(1);
  expect(found.out).toMatch(
    /demo: 1 found\nerror DataDamaged: .*active\.jsonl, line 3 cannot be read[^]*hint: .*--fix/,
  );
  expect((await run(["show"])).code).toBe(1);
  expect((await doctor("--fix")).out).toBe(
    `demo: 1 found, 1 repaired, moved to ${join(data, "chat/demo/quarantine")}\n`,
  );
  writeFileSync(join(data, "chat/demo/contexts/active.jsonl.torn"), "half a line\n");
  expect((await doctor("--fix")).out).toMatch(/^demo: 1 found\nwarning: /);
  const { messages } = JSON.parse((await run(["show", "--json"])).out) as { messages: { id: string }[] };
  await run(["redact", "--message", messages[0]!.id]);
  expect((await run(["show"])).out).not.toContain("hunter2");
  expect(JSON.parse((await doctor("--purge", "--json")).out)).toMatchObject({
    chats: [{ chatKey: "demo", purged: 2 }],
  });
  expect(readFileSync(join(data, "chat/demo/conversations/history.jsonl"), "utf8")).not.toContain("hunter2");
  const nowhere = join(data, "nowhere");
  const out = `There is no data folder ${nowhere} yet; nothing was checked.\n`;
  expect(await galley(["doctor", "--data", nowhere])).toMatchObject({ code: 0, out });
});

test("[E] a chat command without a chat is bad usage", async () => {
  expect((await galley(["chat", "show"])).code).toBe(2);
  expect((await galley(["chat", "list", "--chat", ""])).err).toContain("ChatKeyInvalid");
});

test("[A8, A9] a switch by the command alone follows the chat's settings", async () => {
  const { run } = chatIn();
  const talk = Array.from(
    { length: 20 },
    (_, index) => `We decided to take plan ${index}, because it costs ${index} euros.`,
  );
  await run(["add"], lines(...talk));
  await run(["set", "language=zh", "compaction=off"]);
  await run(["new", "--title", "Plans"]);
  const loaded = JSON.parse((await run(["load", "plans", "--mode", "summary", "--json"])).out) as object;
  expect(loaded).toMatchObject({ loaded: { language: "zh", mode: "recent" } });
});

test("[T13] an answer is regenerated, the answers are listed, and another one is chosen, by command", async () => {
  const { run, data } = chatIn();
  const at = ["--chat", "demo", "--data", data];
  expect((await run(["alternates"])).out).toContain("There is no chat");
  const first = await galley(["run", "hello", ...at]);
  const again = await galley(["run", "--regenerate", ...at, "--system", "Be brief."]);
  expect([again.code, again.out]).toEqual([0, first.out]);
  const { alternates } = JSON.parse((await run(["alternates", "--json"])).out) as { alternates: { id: string }[] };
  expect(alternates).toMatchObject([{ of: expect.stringMatching(/^m_/), message: { role: "assistant" } }]);
  const [{ id }] = alternates as [{ id: string }];
  expect((await run(["alternates"])).out).toContain(id);
  expect(await run(["choose", "--message", id])).toMatchObject({ code: 0, out: `The chat goes on with ${id}.\n` });
  const shown = JSON.parse((await run(["show", "--json"])).out) as { messages: { id: string }[] };
  expect(shown.messages.at(-1)?.id).toBe(id);
  expect(await run(["choose", "--message", id])).toMatchObject({ code: 1, err: expect.stringContaining("NotFound") });
  for (const wrong of [
    ["run", ...at],
    ["run", "--regenerate", "--session", "s", "--data", data],
  ])
    expect(await galley(wrong)).toMatchObject({ code: 2, err: expect.stringMatching(/BadUsage[^]*hint/) });
});

test("[W14, W15, W16] a chat is named, found by what was said in it, and forked", async () => {
  const { run, data } = chatIn();
  const { out: added } = await run(["add"], lines("Which tax is due?", "The kerosene tax.", "And in May?", "None."));
  const [, second = ""] = [...added.matchAll(/ok \d+ (m_\w+)/g)].map(([, id]) => id);
  expect((await run(["set", "title=Taxes"])).code).toBe(0);
  expect((await galley(["chat", "list", "--data", data])).out).toContain("Taxes");
  const found = await galley(["chat", "find", "kerosene", "tax", "--json", "--data", data]);
  expect(JSON.parse(found.out)).toEqual({
    found: [{ chat: "demo", title: "Taxes", messageId: second, snippet: "The kerosene tax." }],
  });
  expect((await galley(["chat", "find", "zeppelin", "--data", data])).out).toBe("No message has all of these words.\n");
  const fork = await run(["fork", "--message", second, "--json"]);
  expect(JSON.parse(fork.out)).toEqual({ key: "demo-2", messageCount: 2 });
  const unknown = await run(["fork", "--message", "m_0"]);
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("NotFound")]);
});

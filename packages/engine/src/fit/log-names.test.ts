import { expect, test } from "vitest";
import type { CompactionEntry, SessionEntry } from "../model/entries.ts";
import type { ModelMessage } from "../model/messages.ts";
import { namesIn } from "../model/names.ts";
import { tokenAccount } from "../tokens/account.ts";
import { loadTokenizer } from "../tokens/counters/load-tokenizer.ts";
import { growLogNames, messagesOfLog, reminderText, summaryInstructions } from "./log-names.ts";
import { recall } from "./recall/recall.ts";

const tokenizer = await loadTokenizer("o200k_base");
const limits = { maxTokens: 1500, maxCharacters: 9000, countTokens: (text: string) => tokenizer.count(text) };
const reminding = { ...limits, tag: "k7qf2m" };

let ids = 0;
const entry = (message: ModelMessage): SessionEntry => ({ id: `e${(ids += 1)}`, ts: 0, type: "message", message });
const user = (content: string): SessionEntry => entry({ role: "user", content });
const reply = (content: string): SessionEntry => entry({ role: "assistant", content });
const result = (toolName: string, value: string): SessionEntry =>
  entry({
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "c", toolName, output: { type: "text", value } }],
  });
const cut = (fields: Partial<CompactionEntry> = {}): SessionEntry => ({
  id: `c${(ids += 1)}`,
  ts: 0,
  type: "compaction",
  firstKeptEntryId: null,
  ...fields,
});

/** Names that share no part with each other. */
const long = Array.from({ length: 400 }, (_, at) => [
  user(`Look at src/plank-${at}/beam${at}.ts`),
  reply(`It is bolt_${at * 7}, see ${1000 + at}`),
]).flat();

test("[L7] a reminder keeps to 1,500 tokens and 9,000 characters, and its handles open the messages with the names", () => {
  const text = reminderText(growLogNames(undefined, long), reminding);
  expect(tokenizer.count(text)).toBeLessThanOrEqual(1500);
  expect(tokenizer.count(text)).toBeGreaterThan(1300);
  expect(text.length).toBeLessThanOrEqual(9000);
  expect(text).toContain("context_recall");
  const all = [...messagesOfLog(long), cut({ ordinals: { first: 801 } })];
  const account = tokenAccount(tokenizer);
  const lines = text.split("\n").filter((line) => line.startsWith("§"));
  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines) {
    const [handle = "", ...names] = line.split(" ");
    expect(handle).toMatch(/^§k7qf2m-\d+(?:–\d+)?$/u);
    let pages = "";
    for (let next: string | undefined = handle.replace("k7qf2m-", ""); next !== undefined;) {
      const page = recall(all, { handle: next, maxTokens: 8000 }, { account, tag: "k7qf2m" });
      pages += page.text;
      next = page.next?.replace("k7qf2m-", "");
    }
    expect(names.filter((name) => !pages.includes(name))).toEqual([]);
  }
});

test("[L7] few characters are a limit of their own", () => {
  const text = reminderText(growLogNames(undefined, long), { ...reminding, maxCharacters: 1200 });
  expect(text.length).toBeLessThanOrEqual(1200);
  expect(namesIn(text).size).toBeGreaterThan(20);
});

test("[L7] what the agent's own compaction kept is left out until it has replied", () => {
  const said = [user("Mend src/hull.ts and src/mast.ts"), reply("They call raise_sail.")];
  const names = growLogNames(growLogNames(undefined, said), [
    cut({ summary: "Mend src/mast.ts." }),
    user("Mind raise_sail"),
  ]);
  const text = reminderText(names, reminding);
  expect(text).toContain("src/hull.ts");
  expect(text).not.toMatch(/mast|raise_sail/);
  expect(reminderText(growLogNames(names, [reply("Yes.")]), reminding)).toContain("src/mast.ts");
  expect(summaryInstructions(names, limits)).toMatch(/raise_sail src\/hull\.ts|src\/mast\.ts/);
  expect(summaryInstructions(names, limits)).not.toContain("§");
});

test("[L7] neither a reminder nor what was recalled is read for names, and a reminder has no handle", () => {
  const before = [user("Mend src/hull.ts"), result("mcp__galley__context_recall", "src/old_mast.ts")];
  const first = reminderText(growLogNames(undefined, before), reminding);
  expect(first).not.toContain("old_mast");
  const reminder = entry({ role: "system", content: first });
  const log = [...before, reminder, user("Then src/keel.ts")];
  expect(messagesOfLog(log)).toHaveLength(3);
  expect(reminderText(growLogNames(undefined, log), reminding)).toMatch(/§k7qf2m-1–3 src\/hull\.ts src\/keel\.ts$/);
});

test("[L7] a log that is read in pieces has the handles of one that is read at once, and state is plain data", () => {
  let names = growLogNames(undefined, []);
  for (let at = 0; at < 40; at += 7)
    names = growLogNames(JSON.parse(JSON.stringify(names)) as typeof names, long.slice(at, Math.min(40, at + 7)));
  expect(reminderText(names, reminding)).toBe(reminderText(growLogNames(undefined, long.slice(0, 40)), reminding));
});

test("[L7] a log without names, and one without room, say nothing", () => {
  expect(reminderText(growLogNames(undefined, [user("Hello"), reply("Hello.")]), reminding)).toBe("");
  expect(reminderText(growLogNames(undefined, long), { ...reminding, maxTokens: 40 })).toBe("");
  expect(summaryInstructions(growLogNames(undefined, []), limits)).toBe("");
});

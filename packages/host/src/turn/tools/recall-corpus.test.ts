import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  ContextManager,
  type ModelMessage,
  type SessionEntry,
  extractiveCompactor,
  loadTokenizer,
  tokenAccount,
} from "@galley/engine";
import { readLog } from "@galley/engine/logs";
import { namesIn, replayedMessages } from "@galley/engine/proof";
import { describe, expect, test } from "vitest";
import type { RecallSource } from "./recall-source.ts";
import { recallFrom } from "./recall-tool.ts";

// Logs of other people's agents are not ours to publish: these tests run where the corpus is.
const folder = join(process.env["GALLEY_CORPUS"] ?? "", "logs");
/** Every name of every log, which takes minutes; else some names of two. */
const isWhole = process.env["GALLEY_RECALL"] === "whole";
const budgets = [8000, 32_000] as const;
const sample = 25;
const firstAnswer = 2000;

const files = existsSync(folder)
  ? ["claude-code", "codex"].flatMap((format) =>
      readdirSync(join(folder, format))
        .filter((file) => file.endsWith(".jsonl") && !file.includes("agent-"))
        .map((file) => join(folder, format, file)),
    )
  : [];
const chosen = isWhole ? files : files.filter((file) => /4379d1bf|8a21e9e6/.test(file));

/** Main conversations: what sub-agents did has sessions of its own. */
function conversationsIn(file: string): readonly (readonly SessionEntry[])[] {
  const log = readLog({ name: file });
  const logs = new Map<string, SessionEntry[]>();
  for (const { session, entry } of [...log.push(readFileSync(file, "utf8")).entries, ...log.end().entries]) {
    const own = logs.get(session) ?? [];
    own.push(entry);
    logs.set(session, own);
  }
  return [...logs.values()];
}

function saidIn({ content }: ModelMessage): string {
  const texts: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === "string" || typeof value === "number") texts.push(String(value));
    else if (typeof value === "object" && value !== null) for (const child of Object.values(value)) walk(child);
  };
  if (typeof content === "string") return content;
  for (const part of content) {
    if (part.type === "text") texts.push(part.text);
    if (part.type === "tool-call") walk(part.input);
    if (part.type === "tool-result" && "value" in part.output) walk(part.output.value);
  }
  return texts.join("\n");
}

/** All that the handles of a window lead to, page by page. */
async function pagesOf(source: RecallSource, window: string): Promise<string> {
  const handles = [...window.matchAll(/§\d+(?:–§\d+)?/gu)].map(([handle]) => handle);
  // The line about what was left out covers most of the others.
  const ranges = handles.filter((handle) => handle.includes("–"));
  let text = "";
  for (const first of new Set([...ranges, ...handles])) {
    for (let handle: string | undefined = first; handle !== undefined;) {
      const page: { text: string; next?: string } = await recallFrom(source, { handle, maxTokens: 8000 });
      text += `${page.text}\n`;
      handle = page.next;
    }
  }
  return text;
}

interface Reached {
  readonly names: number;
  readonly byHandle: readonly string[];
  readonly byQuery: readonly string[];
}

/** Of the names that left the window of a conversation's last call, those that cannot be had by handle, and by query. */
async function unreached(entries: readonly SessionEntry[], budget: number): Promise<Reached | undefined> {
  const tokenizer = await loadTokenizer("o200k_base");
  const account = tokenAccount(tokenizer);
  const messages = replayedMessages(entries, account, budget);
  const size = messages.reduce((total, message) => total + account.countMessage(message), 0);
  if (size < 2 * budget) return undefined;
  const config = { maxInputTokens: budget, recall: true };
  const manager = new ContextManager({ config, tokenizer, compactor: extractiveCompactor() });
  const log: SessionEntry[] = [];
  let input: readonly ModelMessage[] = [];
  for (const [index, message] of messages.entries()) {
    log.push({ id: `m${index + 1}`, ts: 0, type: "message", message });
    if (messages[index + 1] && messages[index + 1]?.role !== "assistant") continue;
    const { modelMessages, entriesToAppend } = await manager.buildContext({ sessionEntries: log });
    log.push(...entriesToAppend);
    input = modelMessages;
  }
  const window = input.map(saidIn).join("\n");
  const shown = namesIn(window);
  const left = [...new Set(messages.flatMap((message) => [...namesIn(saidIn(message))]))].filter(
    (name) => !shown.has(name),
  );
  const step = isWhole ? 1 : Math.max(1, Math.floor(left.length / sample));
  const names = left.filter((_, index) => index % step === 0);
  const source: RecallSource = { active: async () => ({ entries: log }), archives: async () => [] };
  const pages = await pagesOf(source, window);
  const byQuery: string[] = [];
  for (const name of names) {
    const { text } = await recallFrom(source, { query: name });
    // In a passage that has a handle: an answer that nothing was found repeats the query too.
    const isShown = text.split("\n").some((line) => /^§\d/u.test(line) && line.includes(name));
    if (!isShown || tokenizer.count(text) > firstAnswer) byQuery.push(name);
  }
  return { names: names.length, byHandle: names.filter((name) => !pages.includes(name)), byQuery };
}

describe.skipIf(chosen.length === 0)("on logs of other people's agents", () => {
  test.each(chosen.flatMap((file) => budgets.map((budget) => [file.split("/").at(-1), budget, file] as const)))(
    "[R1] [R2] every name that left the window of %s at %d is had by a handle that it shows, and by its query",
    async (_, budget, file) => {
      for (const entries of conversationsIn(file)) {
        const reached = await unreached(entries, budget);
        if (!reached) continue;
        if (isWhole) process.stderr.write(`${file.split("/").at(-1)} at ${budget}: ${reached.names} names\n`);
        expect(reached.names).toBeGreaterThan(0);
        expect(reached).toMatchObject({ byHandle: [], byQuery: [] });
      }
    },
    isWhole ? 3_600_000 : 60_000,
  );
});

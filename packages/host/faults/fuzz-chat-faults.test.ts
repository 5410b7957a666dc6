import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FuzzRounds, fuzz, fuzzSeed, roundsOf } from "@galley/engine/testing";
import { afterAll, expect, test } from "vitest";
import { messageId } from "../src/chat/lines/chat-line.ts";
import type { Chat } from "../src/chat/chat.ts";
import { doctor } from "../src/chat/doctor/doctor.ts";
import { openChat } from "../src/chat/open-chat.ts";
import { claimFault } from "./claim-fault.ts";
import { spoilFile } from "./fuzz-sources.ts";
import { verdictOfAsync } from "./fuzz-verdict.ts";

const root = mkdtempSync(join(tmpdir(), "galley-fuzz-chat-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A chat with three archives, a recalled context, a decision of a build, a redaction and a search index. */
async function fill(folder: string): Promise<void> {
  const chat = await openChat(folder, "demo");
  for (const topic of ["tea", "rope", "fog"]) {
    await chat.append([
      { role: "user", content: `Where is the ${topic}?` },
      { role: "assistant", content: [{ type: "text", text: `In the pantry, ${topic} 好.` }] },
    ]);
    await chat.append([
      { role: "user", content: "And more?" },
      { role: "assistant", content: "None." },
    ]);
    await chat.newContext({ title: topic });
  }
  await chat.loadContext({ query: "rope" });
  await chat.append([
    { role: "user", content: "Thanks." },
    { role: "assistant", content: "Yes." },
  ]);
  await chat.recordDecision({ id: "k1", ts: 1, type: "compaction", firstKeptEntryId: null, summary: "rope" });
  const [first] = chat.window().messages;
  if (first) await chat.redact(messageId(first));
  await chat.searchContexts("pantry");
  await chat.close();
}

/** Everything that a chat can be asked; each step works or says why not. */
async function useChat(folder: string): Promise<void> {
  let chat: Chat | undefined;
  await verdictOfAsync(async () => (chat = await openChat(folder, "demo")));
  const opened = chat;
  if (!opened) return;
  for (const work of [
    () => opened.window(),
    () => opened.entries(),
    () => opened.transcript(),
    async () => {
      for (const { contextId } of (await opened.listContexts()).contexts)
        await verdictOfAsync(() => opened.readContext(contextId));
    },
    () => opened.searchContexts("pantry"),
    () => opened.append([{ role: "user", content: "x" }]),
    () => opened.newContext(),
    () => opened.loadContext({ query: "tea" }),
  ]) {
    await verdictOfAsync(work);
  }
  await opened.close();
}

/** What the chat's logs say in whole lines, wherever they are now. A line without an end was never acknowledged, a blank one says nothing. */
function linesIn(folder: string): ReadonlySet<string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const lines = files
    .filter(({ name }) => name.endsWith("history.jsonl"))
    .flatMap(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1").split("\n").slice(0, -1));
  return new Set(lines.filter((line) => line !== ""));
}

const rounds: FuzzRounds = { few: 25, many: 1500 };

test(
  `[W10] a chat with something wrong in one of its files: every step works or says why, and doctor mends it (seed ${fuzzSeed})`,
  { timeout: 3_600_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "malformed input",
      fault: "a chat with something wrong in one of its files: transcript, active context, archive, redactions, index",
      holds:
        "every step works or is an error with its code; doctor --fix leaves a chat that works, and every whole line",
      rounds: roundsOf(rounds),
      seed: fuzzSeed,
    });
    const template = join(root, "template");
    await fill(template);
    const files = readdirSync(template, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(template.length));
    expect(files.length).toBeGreaterThan(8);
    let mended = 0;
    const tried = await fuzz("chat", rounds, async (chance, round) => {
      const folder = join(root, `round-${round}`);
      cpSync(template, folder, { recursive: true });
      const name = chance.pick(files);
      const bytes = readFileSync(join(folder, name));
      writeFileSync(join(folder, name), spoilFile({ name, bytes }, chance));
      if (chance.oneIn(2)) await useChat(folder);
      const before = linesIn(folder);
      await verdictOfAsync(() => doctor(folder));
      let isSound = false;
      await verdictOfAsync(async () => {
        const health = await doctor(folder, { fix: true });
        isSound = health.every(({ left }) => left.length === 0);
      });
      const after = linesIn(folder);
      expect([...before].filter((line) => !after.has(line))).toEqual([]);
      if (isSound) await expectWorking(folder);
      else await useChat(folder);
      mended += Number(isSound);
      rmSync(folder, { recursive: true, force: true });
    });
    // Left as they are: what is newer, what was set aside for a person to look at, and a folder that is not said to be ours.
    expect(tried === 1 || mended / tried > 0.5, `${mended} of ${tried} were mended`).toBe(true);
  },
);

/** Nothing is left to find fault with, so that nothing may fail. */
async function expectWorking(folder: string): Promise<void> {
  const chat = await openChat(folder, "demo");
  chat.transcript();
  await chat.append([{ role: "user", content: "Goes on." }]);
  expect(chat.window().messages.at(-1)?.content).toBe("Goes on.");
  await chat.searchContexts("pantry");
  await chat.newContext();
  for (const { contextId } of (await chat.listContexts()).contexts) chat.readContext(contextId);
  await chat.close();
}

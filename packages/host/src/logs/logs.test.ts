import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { claudeLog, codexLog, copilotLog, geminiLog, opencodeLog, piLog } from "@galley/engine/testing";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { FoundLog } from "./agent-homes.ts";
import { factsCache } from "./facts-cache.ts";
import { followLog } from "./follow-log.ts";
import { type LogList, type LogSources, filesOfLog, listLogs } from "./list-logs.ts";
import { importFound } from "./open-log.ts";
import { memory } from "./testing/memory-sessions.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-logs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const home = join(folder, "home");
const person = { home: folder, env: { XDG_CACHE_HOME: join(folder, "cache") } };
const at = (path: string): string => join(home, path);
const places = {
  "claude-code:s1": ".claude/projects/-home-ada-boat/s1.jsonl",
  "codex:c1": ".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-c1.jsonl",
  "pi:p1": ".pi/agent/sessions/--boat--/2026_p1.jsonl",
  "gemini-cli:g1": ".gemini/tmp/abc/chats/session-1.jsonl",
  "copilot-cli:o1": ".copilot/session-state/o1/events.jsonl",
} as const;

function put(path: string, text: string, seconds = 1000): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
  utimesSync(at(path), seconds, seconds);
}

/** opencode keeps a session in many files. */
function putOpencode(): void {
  const { info, messages } = JSON.parse(opencodeLog) as {
    info: { id: string };
    messages: { info: { id: string }; parts: { id?: string }[] }[];
  };
  const storage = ".local/share/opencode/storage";
  put(`${storage}/session/project/${info.id}.json`, JSON.stringify(info));
  for (const { info: own, parts } of messages) {
    put(`${storage}/message/${info.id}/${own.id}.json`, JSON.stringify(own));
    for (const [n, part] of parts.entries()) put(`${storage}/part/${own.id}/prt_${n}.json`, JSON.stringify(part));
  }
}

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "cache"), { recursive: true, mode: 0o700 });
  const texts = [claudeLog, codexLog, piLog, geminiLog, copilotLog];
  for (const [n, path] of Object.values(places).entries()) put(path, texts[n] ?? "", 1000 + n);
});

const none: Omit<LogSources, "cache"> = {
  stored: [],
  factsOfStored: async (id) => ({ id, isWhole: true }),
  storeName: "data",
};
const list = (sources = none): Promise<LogList> => listLogs({ ...sources, cache: factsCache(person) }, { home });

test("[L3] the default places of all agents are listed, newest first, with what their logs say", async () => {
  putOpencode();
  const { logs, unread } = await list();
  expect(logs.map(({ id }) => id)).toEqual([...Object.keys(places).toReversed(), "opencode:ses_1"]);
  expect(unread).toBe(0);
  expect(logs.find(({ id }) => id === "claude-code:s1")).toMatchObject({
    agent: "claude-code",
    title: "The hull",
    folder: "/home/ada/boat",
    size: claudeLog.length,
    tokens: 115,
    compactions: 1,
    file: at(places["claude-code:s1"]),
    isStored: false,
  });
});

test("[L3] each session is listed once: sub-agents with the one that started them, and what the store has too", async () => {
  const side = {
    type: "user",
    isSidechain: true,
    agentId: "x",
    uuid: "x1",
    parentUuid: null,
    sessionId: "s1",
    message: { content: "Dig" },
  };
  put(".claude/projects/-home-ada-boat/agent-x.jsonl", `${JSON.stringify(side)}\n`, 5000);
  const stored = [
    { id: "claude-code:s1", entries: 7, updatedAt: 1 },
    { id: "codex:gone", entries: 3, updatedAt: 9_000_000 },
    { id: "chat:demo", entries: 3, updatedAt: 9_000_000 },
  ];
  const facts = { id: "codex:gone", title: "Gone from disk", compactions: 2, isWhole: true };
  const { logs } = await list({ ...none, stored, factsOfStored: async () => facts });
  expect(logs[0]).toMatchObject({
    id: "codex:gone",
    agent: "codex",
    title: "Gone from disk",
    isStored: true,
    compactions: 2,
  });
  expect(logs.filter(({ id }) => id.startsWith("claude-code:"))).toMatchObject([
    { id: "claude-code:s1", isStored: true, subagents: 1, updatedAt: 5_000_000 },
  ]);
  expect(logs.some(({ id }) => id.startsWith("chat:"))).toBe(false);
  const files = await filesOfLog("claude-code:s1", { home }, factsCache(person));
  const { logs: made, append } = memory();
  // One that has not said anything yet takes nothing from the others.
  const empty = { ...(files[0] as FoundLog), path: join(folder, "agent-new.jsonl") };
  writeFileSync(empty.path, "");
  const { notes } = await importFound("claude-code:s1", [empty, ...files], append);
  expect(notes[0]).toMatchObject({ fate: "unsupported", path: "agent-new.jsonl" });
  expect([...made.keys()].toSorted()).toEqual([
    "claude-code:s1",
    "claude-code:s1/agent-bolts",
    "claude-code:s1/agent-x",
  ]);
});

test("[L3] what was learned is kept by path, size and time, and nothing is written into the agents' folders", async () => {
  const names = (): readonly string[] => readdirSync(home, { recursive: true, encoding: "utf8" }).toSorted();
  const before = names();
  await list();
  expect(names()).toEqual(before);
  // The same size and time: it is not read again, and a list of a changed file would say otherwise.
  put(places["pi:p1"], piLog.replace("p1", "q1"), 1002);
  expect((await list()).logs.map(({ id }) => id)).toContain("pi:p1");
  put(places["pi:p1"], piLog.replace("p1", "q1"), 2000);
  expect((await list()).logs.map(({ id }) => id)).toContain("pi:q1");
  for (const damaged of ["{damaged", '{"version":2}', '{"version":2,"path":["a"]}']) {
    writeFileSync(join(folder, "cache/galley/logs/logs.json"), damaged);
    expect((await list()).logs).toHaveLength(Object.keys(places).length);
  }
});

test("[L3] a file that is too large to be read at once says what its start says, and nothing more", async () => {
  const line = `${JSON.stringify({ type: "progress", uuid: "p", sessionId: "s1", data: { type: "bash_progress", output: "x".repeat(1_000_000) } })}\n`;
  put(places["claude-code:s1"], claudeLog + line.repeat(70), 9000);
  const { logs, unread } = await list();
  expect(logs[0]).toMatchObject({ id: "claude-code:s1", folder: "/home/ada/boat", isWhole: false });
  expect([logs[0]?.tokens, logs[0]?.compactions, unread]).toEqual([undefined, undefined, 1]);
});

test("[L3] a session is followed while its file grows, is replaced, and ends", async () => {
  const path = at(places["pi:p1"]);
  const [store, ended] = [memory(), new AbortController()];
  const ids = (): readonly string[] => store.logs.get("pi:p1") ?? [];
  const line = (id: string): string =>
    `${JSON.stringify({ type: "message", id, parentId: "07", timestamp: 0, message: { role: "user", content: id } })}\n`;
  const steps = followLog(() => filesOfLog("pi:p1", { home }, factsCache(person)), store.append, {
    signal: ended.signal,
    pollMs: 5,
    quietMs: 50,
  });
  const next = async (): Promise<number> => ((await steps.next()).value as { readonly added: number }).added;
  expect(await next()).toBe(ids().length);
  appendFileSync(path, line("grown").slice(0, 30));
  appendFileSync(path, line("grown").slice(30));
  await next();
  expect(ids()).toContain("grown");
  const copy = `${path}.new`;
  writeFileSync(copy, readFileSync(path, "utf8").replace("Go on", "Go off") + line("replaced"));
  renameSync(copy, path);
  await next();
  expect(ids()).toContain("replaced");
  writeFileSync(path, piLog + line("cut"));
  await next();
  expect(ids()).toContain("cut");
  ended.abort();
  expect((await steps.next()).done).toBe(true);
});

test("[L3] the last reply of a log waits for its end until nothing comes any more", async () => {
  const path = at(places["claude-code:s1"]);
  const lines = claudeLog.trimEnd().split("\n");
  writeFileSync(path, `${lines.slice(0, 3).join("\n")}\n`);
  const [store, ended] = [memory(), new AbortController()];
  const steps = followLog(() => filesOfLog("claude-code:s1", { home }, factsCache(person)), store.append, {
    signal: ended.signal,
    pollMs: 5,
    quietMs: 30,
  });
  await steps.next();
  await steps.next();
  expect(store.logs.get("claude-code:s1")).toContain("a1");
  ended.abort();
  await steps.next();
});

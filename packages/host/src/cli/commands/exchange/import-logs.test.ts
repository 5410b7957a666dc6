import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { claudeLog, codexLog, opencodeLog, piLog } from "@galley/engine/testing";
import { expect, test } from "vitest";
import { openStore } from "../../../store/open-store.ts";
import { file, folder, galley } from "../../testing/run-command.ts";

const data = join(folder, "data");

async function idsOf(sessionId: string): Promise<readonly string[]> {
  const store = await openStore({ data });
  try {
    return (await store.sessions.read({ projectId: "default", sessionId })).map(({ id }) => id);
  } finally {
    await store.close();
  }
}

test("[L1] a log becomes a session for each conversation, and importing it again adds what is new", async () => {
  const path = file("odd-name.txt", claudeLog);
  const first = await galley(["import", path, "--data", data, "--json"]);
  expect([first.code, first.err]).toEqual([0, ""]);
  expect(JSON.parse(first.out)).toMatchObject({
    sessions: [
      { id: "claude-code:s1", title: "The hull", folder: "/home/ada/boat", added: 7, counts: { compactions: 1 } },
      { id: "claude-code:s1/agent-bolts", parent: "claude-code:s1", added: 2 },
    ],
  });
  const line = { type: "user", uuid: "u9", parentUuid: "a5", sessionId: "s1", message: { content: "More" } };
  appendFileSync(path, `${JSON.stringify(line)}\n`);
  const again = await galley(["import", path, "--data", data, "--json"]);
  expect(JSON.parse(again.out)).toMatchObject({ sessions: [{ added: 1 }, { added: 0 }] });
  expect(await idsOf("claude-code:s1")).toContain("u9");
});

test("[L1a] a reply that has grown since the last import becomes a branch beside the older one", async () => {
  const all = claudeLog.trimEnd().split("\n");
  const path = file("grows.jsonl", `${all.slice(0, 4).join("\n")}\n`.replaceAll('"s1"', '"s7"'));
  await galley(["import", path, "--data", data]);
  writeFileSync(path, `${all.slice(0, 8).join("\n")}\n`.replaceAll('"s1"', '"s7"'));
  const { out } = await galley(["import", path, "--data", data, "--json"]);
  expect(JSON.parse(out)).toMatchObject({ sessions: [{ added: 4 }] });
  const again = await galley(["import", path, "--data", data, "--json"]);
  expect(JSON.parse(again.out)).toMatchObject({ sessions: [{ added: 0 }] });
  expect((await idsOf("claude-code:s7")).filter((id) => id.startsWith("a1"))).toHaveLength(2);
});

test("[L1] [L2] a folder, a pattern, a link and standard input; what is not a log is passed over in a folder", async () => {
  const below = join(folder, "logs", "deep");
  mkdirSync(below, { recursive: true });
  writeFileSync(join(below, "a.jsonl"), piLog);
  writeFileSync(join(below, "b.json"), opencodeLog);
  writeFileSync(join(below, "notes.json"), "{}");
  symlinkSync(join(below, "a.jsonl"), join(folder, "linked.jsonl"));
  const ids = async (args: readonly string[], stdin?: string): Promise<readonly string[]> => {
    const run = await galley(["import", ...args, "--data", join(folder, "data2"), "--json"], stdin);
    expect([run.code, run.err]).toEqual([0, ""]);
    return (JSON.parse(run.out) as { sessions: { id: string }[] }).sessions.map(({ id }) => id);
  };
  expect(await ids([join(folder, "logs")])).toEqual(["pi:p1", "opencode:ses_1"]);
  expect(await ids([join(folder, "logs", "*", "*.jsonl")])).toEqual(["pi:p1"]);
  expect(await ids([join(folder, "linked.jsonl")])).toEqual(["pi:p1"]);
  expect(await ids(["-", "--as", "codex"], codexLog)).toEqual(["codex:c1"]);
});

test.each<[string, () => string, string, ...string[]]>([
  ["a pipe", () => (execFileSync("mkfifo", [join(folder, "pipe")]), join(folder, "pipe")), "is not a plain file"],
  [
    "a file of Cline",
    () => file("ui.json", '[{"ts":1,"type":"say","say":"text"}]'),
    "is a conversation of Cline, which Galley cannot read yet",
  ],
  ["a file of aider", () => file("aider.md", "# aider chat started at 2026-01-01\n"), "is a conversation of aider"],
  ["nothing", () => join(folder, "none.jsonl"), "There is no file"],
  ["another file", () => file("odd.jsonl", '{"a":1}\n{"b":2}\n'), "is not recognised"],
  ["a plain text", () => file("none.txt", "Hello\n"), "Claude Code, Codex, pi"],
  ["an empty file", () => file("empty.txt", ""), "is empty"],
  ["a text that somebody calls a log of Codex", () => file("as.txt", "Hello\n"), "log of codex", "--as", "codex"],
  ["a text that somebody calls a session", () => file("as.txt", "Hello\n"), "log of galley", "--as", "galley"],
])("[L2] %s is answered with what it is", async (_, make, message, ...flags) => {
  const run = await galley(["import", make(), "--data", data, ...flags]);
  expect(run.out).toBe("");
  expect(run.err).not.toContain("--out");
  expect(run.code).toBeGreaterThan(0);
  expect(run.err).toContain(message);
});

test("[L2] logs and files of SillyTavern in one call are told apart, and nothing is written", async () => {
  const card = file("card.json", { name: "Ines", description: "", first_mes: "", mes_example: "" });
  const run = await galley(["import", file("log.jsonl", piLog), card, "--data", join(folder, "data3"), "--json"]);
  expect(JSON.parse(run.err)).toMatchObject({ error: { code: "BadUsage" } });
});

test("[L2] a log that is cut in the middle comes in up to there, and a wide encoding is read", async () => {
  const path = file("cut.jsonl", piLog.replaceAll('"p1"', '"p2"'));
  truncateSync(path, piLog.length - 40);
  const cut = await galley(["import", path, "--data", data]);
  expect(cut.out).toContain("The last line is not whole yet");
  const wide = join(folder, "wide.jsonl");
  writeFileSync(wide, Buffer.from(`\uFEFF${piLog.replaceAll('"p1"', '"p3"')}`, "utf16le"));
  expect((await galley(["import", wide, "--data", data])).out).toContain("pi:p3");
  writeFileSync(wide, Buffer.from(piLog.replaceAll('"p1"', '"p4"'), "utf16le"));
  expect((await galley(["import", wide, "--data", data])).out).toContain("pi:p4");
  const latin = Buffer.from(`${piLog.replaceAll('"p1"', '"p5"')}{"type":"label","id":"l","text":"Fähre"}\n`, "latin1");
  writeFileSync(wide, latin);
  expect((await galley(["import", wide, "--data", data])).out).toContain("1 sign U+FFFD");
});

test("[L5] a log that is given as a session file is named, with the command that reads it", async () => {
  const path = file("as-session.jsonl", codexLog);
  const run = await galley(["build", "--session", path, "--json"]);
  expect(JSON.parse(run.err)).toMatchObject({
    error: { code: "SessionInvalid", hint: `Read it into a session first: galley import ${path}` },
  });
});

test("[R4] lost says the same of a log and of the session that it became", async () => {
  const used = { type: "assistant", uuid: "z", parentUuid: "a5", sessionId: "s9" };
  const message = { id: "m9", role: "assistant", content: [{ type: "text", text: "I read src/hull.ts again." }] };
  const path = file("lost.jsonl", `${claudeLog.replaceAll('"s1"', '"s9"')}${JSON.stringify({ ...used, message })}\n`);
  await galley(["import", path, "--data", data]);
  const [ofLog, ofSession] = [
    await galley(["lost", path, "--data", data, "--json"]),
    await galley(["lost", "claude-code:s9", "--data", data, "--json"]),
  ];
  expect(JSON.parse(ofLog.out)).toEqual(JSON.parse(ofSession.out));
  expect(JSON.parse(ofLog.out)).toMatchObject({
    places: [
      { place: "claude-code:s9", usedAgain: 1, survived: 0, compactions: [{ lost: [{ name: "src/hull.ts" }] }] },
    ],
  });
  expect((await galley(["lost", path, "--data", data])).out).toContain("0 of 1 names that were used again");
  await galley(["run", "hello", "--chat", "short", "--data", data]);
  expect((await galley(["lost", "chat:short", "--data", data])).out).toContain("has no compaction");
});

test("[R5] retention says how much of what replies repeat was in the input of their call, as it was and within budgets", async () => {
  const path = file("kept.jsonl", claudeLog);
  const run = await galley(["retention", path, "--data", data, "--budget", "8k", "--budget", "500", "--json"]);
  const { places } = JSON.parse(run.out) as { places: { rows: { budget: number | null; calls: number }[] }[] };
  expect(places[0]?.rows.map(({ budget }) => budget)).toEqual([null, 8000, 500]);
  expect(new Set(places[0]?.rows.map(({ calls }) => calls > 0))).toEqual(new Set([true]));
  expect((await galley(["retention", path, "--data", data])).out).toMatch(
    /fitted +calls +names +reachable +lost +far names/,
  );
  expect((await galley(["retention", path, "--data", data, "--budget", "x"])).err).toContain("whole number");
});

test("[R2] recall gives a person what left the window of a log or a chat, by handle and by words", async () => {
  const path = file("recalled.jsonl", claudeLog);
  const { out } = await galley(["recall", path, "--query", "src/hull.ts", "--data", data]);
  expect(out).toMatch(/^\[For reference: what left the context window/);
  const [, handle = ""] = /^(§\d+) /m.exec(out) ?? [];
  const whole = await galley(["recall", path, handle, "--data", data, "--json"]);
  expect((JSON.parse(whole.out) as { text: string }).text).toContain("src/hull.ts");
  expect((await galley(["recall", "chat:short", "§9", "--data", data])).out).toContain("There is no §9 here");
  expect((await galley(["recall", path, "--data", data])).code).toBe(2);
});

test("[L1] a log cannot become the session of a chat, an agent or a task, where no list would name it", async () => {
  const entry = { id: "e1", ts: 1, type: "message", message: { role: "user", content: "Not of this chat" } };
  for (const id of ["chat:demo", "agent:local", "task:1"]) {
    const path = file(`${id}.jsonl`, `${JSON.stringify(entry)}\n`);
    const { code, err } = await galley(["import", path, "--as", "galley", "--data", data]);
    expect([code, err]).toEqual([1, expect.stringContaining(`${id} cannot be the id of a session`)]);
    expect(await idsOf(id)).toEqual([]);
  }
});

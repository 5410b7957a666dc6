import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseSession } from "@galley/engine";
import { expect, test } from "vitest";
import { openGalley } from "../../../galley/open-galley.ts";
import { file, folder, galley } from "../../testing/run-command.ts";

let count = 0;
const newData = (): string => join(folder, `settings-${(count += 1)}`);

async function json(args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await galley([...args, "--json"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out) as Record<string, unknown>;
}

test("[T3] galley chat set and get: JSON where it is JSON, else text; null sets back; --unset lets go", async () => {
  const at = ["--chat", "demo", "--data", newData()];
  const valueOf = async (key: string): Promise<string> => (await galley(["chat", "get", ...at, key])).out;
  await galley(["chat", "set", ...at, "systemPrompt=42", "maxInputTokens=32k", 'hints={"mood":"calm"}', "model=demo"]);
  expect(await valueOf("systemPrompt")).toBe("42\n");
  expect(await valueOf("maxInputTokens")).toBe("32000\n");
  expect(await valueOf("hints")).toBe('{"mood":"calm"}\n');
  await galley(["chat", "set", ...at, "maxInputTokens=null", "--unset", "hints"]);
  const { settings, model } = (await json(["chat", "get", ...at])) as { settings: { key: string }[]; model: string };
  expect(model).toBe("demo");
  expect(settings.filter(({ key }) => ["systemPrompt", "maxInputTokens", "hints"].includes(key))).toEqual([
    { key: "systemPrompt", value: "42", from: "chat" },
    { key: "maxInputTokens", from: "chat" },
    { key: "hints", value: {}, from: "default" },
  ]);
  for (const [wrong, path] of [
    ["colour=red", "colour"],
    ["targetRatio=2", "targetRatio"],
    ["hints=red", "hints"],
    ["systemPrompt", undefined],
  ] as const) {
    const { code, err } = await galley(["chat", "set", ...at, wrong, "--json"]);
    const { error } = JSON.parse(err) as { error: object };
    expect([code, error]).toEqual([
      2,
      expect.objectContaining({ code: "BadUsage", hint: expect.any(String), ...(path === undefined ? {} : { path }) }),
    ]);
  }
});

test("[T3] [T4] flags of galley run reach the call, and explain says where each value came from", async () => {
  const data = newData();
  const at = ["--chat", "demo", "--data", data];
  const preset = file("who.json", {
    presetMessages: [
      { id: "main", role: "system", content: "You are {{char}}." },
      { id: "who", role: "system", type: "user_profile" },
      { id: "chat_history", role: "user", type: "chat_history" },
    ],
  });
  const profile = join(folder, "me.md");
  writeFileSync(profile, "I sail.");
  await galley(["chat", "set", ...at, "language=en"]);
  const settings = [
    "--var",
    "char=Ada",
    "--var",
    "b=c=d",
    "--user-profile",
    profile,
    "--system",
    "Short.",
    "--budget",
    "16k",
  ];
  const rest = ["--history", "7", "--reserve", "1k", "--target", "0.8", "--set", 'hints={"mood":"calm"}'];
  const ran = await galley(["run", "hello", ...at, "--preset", preset, ...settings, ...rest]);
  expect(ran.code).toBe(0);
  const { out } = await galley(["explain", "chat:demo#1", "--data", data]);
  for (const text of ["Short.", "You are Ada.", "I sail.", "mood: calm", "of 15,000"]) expect(out).toContain(text);
  expect(out).toMatch(/maxInputTokens\s+16000\s+request/);
  expect(out).toMatch(/language\s+en\s+chat/);
  // In whatever order a run was stored.
  expect(out).toMatch(/variables\s+\{(?:"char":"Ada","b":"c=d"|"b":"c=d","char":"Ada")\}\s+request/);
  const built = await galley(["build", "--preset", preset, "--user-profile", profile, "--budget", "2k", "--json"]);
  expect(JSON.parse(built.out)).toMatchObject({ budget: { tokens: 2000 } });
  expect(built.out).toContain("I sail.");
});

test("[R6] what is pinned in a session is in its export and in what is imported from it", async () => {
  const at = ["--data", newData()];
  await galley(["run", "The harbour", "--session", "log", ...at]);
  await galley(["session", "pin", "log", "--text", "Metric units.", ...at]);
  expect((await galley(["session", "pin", "log", "--message", "§1", ...at])).out).toMatch(/^Pinned /);
  const pinned = join(folder, "pinned.jsonl");
  await galley(["session", "export", "log", "--out", pinned, ...at]);
  // Into another data folder, as a program or the daemon takes it in.
  const other = ["--data", newData()];
  const opened = await openGalley({ data: other[1] ?? "", config: false });
  await opened.sessions.append("copy", parseSession(readFileSync(pinned, "utf8")).entries);
  await opened.close();
  const { pins } = await json(["session", "pins", "copy", ...other]);
  expect(pins).toMatchObject([{ text: "Metric units." }, { handle: "§1", message: { content: "The harbour" } }]);
  await galley(["run", "Go on", "--session", "copy", ...other]);
  expect((await galley(["explain", "copy#1", ...other])).out).toMatch(/A pinned sentence.*\n.*pinned: it stays/);
  await galley(["session", "unpin", "copy", "--text", "Metric units.", ...other]);
  expect((await galley(["session", "pins", "copy", ...other])).out).not.toContain("Metric");
});

test("[V4] [V6] a session is found, shown, set, exported and erased, however it is named", async () => {
  const data = newData();
  const at = ["--data", data];
  for (const name of ["log", "session:log"]) await galley(["run", "The harbour", "--session", name, ...at]);
  const { sessions } = await json(["session", "list", ...at]);
  expect(sessions).toMatchObject([{ id: "log", entries: 4, calls: 2, model: "demo" }]);
  expect(await json(["session", "show", "session:log", "--entries", "1", ...at])).toMatchObject({
    id: "log",
    entryCount: 4,
    entries: [{ type: "message" }],
    calls: [{ n: 1 }, { n: 2 }],
  });
  await galley(["session", "set", "log", ...at, "language=zh"]);
  expect((await galley(["session", "get", "session:log", "language", ...at])).out).toBe("zh\n");
  expect((await galley(["explain", "session:log#2", ...at])).out).toContain("log#2");
  expect((await galley(["build", "--session", "log", "--budget", "1k", ...at])).out).toContain("The harbour");
  const exported = join(folder, "log.jsonl");
  await galley(["session", "export", "log", "--out", exported, ...at]);
  expect(readFileSync(exported, "utf8").trim().split("\n")).toHaveLength(4);
  expect((await galley(["session", "delete", "log", ...at])).code).toBe(2);
  expect((await galley(["session", "delete", "session:log", "--confirm", "log", ...at])).out).toBe("Deleted log.\n");
  expect((await galley(["session", "show", "log", ...at])).err).toContain("NotFound");
  const stored = readFileSync(join(data, "galley.sqlite"));
  const wal = readFileSync(join(data, "galley.sqlite-wal"), { flag: "a+" });
  expect(stored.includes("The harbour") || wal.includes("The harbour")).toBe(false);
});

test("[V4] agent: and task: are not chats, and tokens may be written in thousands", async () => {
  for (const key of ["agent:mara", "task:1"]) {
    const { code, err } = await galley(["run", "hello", "--chat", key, "--data", newData()]);
    expect([code, err]).toEqual([1, expect.stringContaining("InvalidId")]);
    const data = newData();
    const added = await galley(["chat", "add", "--chat", key, "--data", data], '{"role":"user","content":"hello"}');
    expect(added).toMatchObject({ code: 1, out: "", err: expect.stringMatching(/InvalidId[^]*hint/) as string });
    expect((await galley(["chat", "set", "--chat", key, "language=en", "--data", data])).err).toContain("InvalidId");
    expect(existsSync(join(data, "chat"))).toBe(false);
  }
  expect((await galley(["build", "--input", "x", "--budget", "32k", "--json"])).out).toContain('"tokens": 32000');
  expect((await galley(["build", "--input", "x", "--budget", "many"])).code).toBe(2);
});

test("[V4] a conversation is named by its place, by a path, or as standard input", async () => {
  const log = '{"id":"1","ts":1,"type":"message","message":{"role":"user","content":"hello"}}\n';
  const path = file("log.jsonl", log);
  const [byPath, byInput] = [await galley(["explain", path, "--budget", "1k"]), await galley(["explain", "-"], log)];
  for (const { code, out } of [byPath, byInput]) expect([code, out]).toEqual([0, expect.stringContaining("hello")]);
  const data = newData();
  const opened = await openGalley({ data, config: { agents: [{ name: "mara", command: "none" }] } as never });
  await (await opened.chats.open("agent:mara")).append([{ role: "user", content: "hello" }]);
  await opened.close();
  expect(await json(["lost", "agent:mara", "--data", data])).toMatchObject({ places: [{ place: "agent:mara" }] });
});

test("[V4] build, compact and all that read a conversation take a place as their argument, and refuse one that is not there", async () => {
  const data = newData();
  const at = ["--data", data];
  await galley(["run", "The harbour is closed.", "--chat", "demo", ...at]);
  await galley(["run", "The harbour is closed.", "--session", "review", ...at]);
  const digestOf = async (...named: readonly string[]): Promise<unknown> =>
    (await json(["build", ...named, "--input", "Why?", ...at]))["digest"];
  expect(await digestOf("chat:demo")).toBe(await digestOf("--chat", "demo"));
  const own = (await json(["build", "review", ...at])) as { messages: unknown };
  expect(own).toMatchObject(await json(["build", "session:review", ...at]));
  expect(JSON.stringify(own.messages)).toContain("harbour");
  expect(await json(["compact", "chat:demo", "--budget", "1k", ...at])).toMatchObject({ fits: true, applied: false });
  const preset = file("plain.json", { presetMessages: [{ id: "h", role: "user", type: "chat_history" }] });
  expect(await json(["preset", "activate", preset, "--chat", "demo", ...at])).toEqual({ entries: [] });

  const refused = async (...args: readonly string[]): Promise<unknown> => {
    const { code, out, err } = await galley([...args, ...at, "--json"]);
    const { error } = JSON.parse(err) as { error: { code: string; hint: string } };
    expect({ args, code: code > 0, out, hint: error.hint }).toEqual({
      args,
      code: true,
      out: "",
      hint: expect.any(String),
    });
    return error.code;
  };
  const readers = [["build"], ["lost"], ["retention"], ["replay"], ["recall"], ["compact"]];
  for (const [command = ""] of readers) {
    const more = command === "recall" ? ["--query", "x"] : command === "compact" ? ["--budget", "1k"] : [];
    const on = (place: string): Promise<unknown> => refused(command, place, ...more);
    expect(await on("chat:nowhere")).toBe("NotFound");
    expect(await on("agent:nobody")).toBe("NotFound");
    expect(await on("nothing")).toBe("NotFound");
    expect(await on("./nothing.jsonl")).toBe("FileNotFound");
    expect(await on("chat:")).toBe("BadUsage");
    expect(await on("chat:demo#1")).toBe("BadUsage");
  }
  expect(await refused("explain", "chat:")).toBe("BadUsage");
  expect(await refused("build", "task:1")).toBe("BadUsage");
  expect(await refused("build", "chat:demo", "--session", "review")).toBe("BadUsage");
  expect(await refused("build", "chat:demo", "--append")).toBe("BadUsage");
  expect(await refused("build", "chat:demo", "--reply", "swipe")).toBe("BadUsage");
  expect(await refused("compact", "chat:demo", "--budget", "1k", "--apply")).toBe("BadUsage");
});

test("[V4] galley chat list without --chat lists the chats", async () => {
  const data = newData();
  expect((await galley(["chat", "list", "--data", data])).out).toContain("has no chat yet");
  await galley(["run", "hello", "--chat", "demo", "--data", data]);
  expect(await json(["chat", "list", "--data", data])).toMatchObject({ chats: [{ key: "demo", contexts: 0 }] });
  expect((await galley(["chat", "list", "--data", data])).out).toMatch(/demo\s+0\s/);
});

test("[V6] what was only set is there: session list and show, explain of a chat", async () => {
  const data = newData();
  await galley(["session", "set", "s1", "maxInputTokens=5k", "--data", data]);
  await galley(["chat", "set", "--chat", "c1", "maxInputTokens=6k", "--data", data]);
  const { sessions } = (await json(["session", "list", "--data", data])) as { sessions: { id: string }[] };
  expect(sessions.map(({ id }) => id)).toEqual(["s1"]);
  const shown = await galley(["session", "show", "s1", "--data", data]);
  expect(shown).toMatchObject({ code: 0, out: expect.stringContaining("set: maxInputTokens") });
  expect((await galley(["session", "show", "s2", "--data", data])).err).toContain("NotFound");
  expect((await galley(["explain", "--chat", "c1", "--data", data])).out).toContain("of 6,000");
  expect((await galley(["explain", "--chat", "c2", "--data", data])).err).toContain("NotFound");
});

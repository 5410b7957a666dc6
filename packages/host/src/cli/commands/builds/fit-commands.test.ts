import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf, parseSession } from "@galley/engine";
import { expect, test } from "vitest";
import type { BuildDocument } from "../../input/build-document.ts";
import { openGalley } from "../../../galley/open-galley.ts";
import { openStore } from "../../../store/open-store.ts";
import { example, file, folder, galley } from "../../testing/run-command.ts";

const now = ["--now", "2026-11-15T08:00:00Z"];

/** A copy of the example's session that a test may write to. */
function session(name: string): string {
  const path = join(folder, name);
  copyFileSync(example("session.jsonl"), path);
  return path;
}

async function built(...args: string[]): Promise<BuildDocument> {
  const { code, out, err } = await galley(["build", "--json", ...now, ...args]);
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out) as BuildDocument;
}

test("[F5] build fits into the budget, and explain says what had no room", async () => {
  const args = [
    "--preset",
    example("recipes.json"),
    "--model",
    "gpt-5",
    "--session",
    example("session.jsonl"),
    "--budget",
    "150",
  ];
  const { stats, digest, messages, tools } = await built(...args);
  expect(stats.inputTokens).toBeLessThanOrEqual(150);
  expect(stats.droppedMessagesCount).toBeGreaterThan(0);
  expect(digest).toBe(digestOf({ messages, tools }));
  const { out } = await galley(["explain", ...args, ...now]);
  expect(out).toMatch(/Not sent \(\d\)[^]*it did not fit the budget/);
  expect(out).toContain(digest.slice(0, 16));
});

test("[F5] a budget that cannot hold what is pinned is an error with a hint", async () => {
  const run = await galley(["build", "--preset", example("recipes.json"), "--model", "gpt-5", "--budget", "20"]);
  expect(run).toMatchObject({ code: 1, out: "" });
  expect(run.err).toMatch(/ContextOverflow[^]*hint:/);
});

test.each([
  ["--budget", "many"],
  ["--budget", "1.5"],
  ["--history", "x"],
  ["--as", "nobody"],
])("[E] %s %s is bad usage", async (flag, value) => {
  expect((await galley(["build", flag, value])).code).toBe(2);
});

test.each([
  ["build", "--budget", "0"],
  ["build", "--budget", "-3"],
  ["build", "--target", "7"],
  ["build", "--target", "x"],
  ["build", "--history", "0"],
  ["build", "--reserve", "-1"],
  ["build", "--reserve", "1000"],
  ["explain", "--budget", "-3"],
])("[F1] [E] %s %s %s is refused by the name of its flag", async (command, flag, value) => {
  const run = await galley([command, "--budget", "1000", "--input", "x", flag, value]);
  expect(run).toMatchObject({ code: 2, out: "", err: expect.stringMatching(/^error BadUsage: .*\n {2}hint: /) });
  expect(run.err).toContain(flag);
  expect(run.err).not.toContain("config.");
});

test("[F5] a reserve as large as the window of the model is refused by the name of its flag", async () => {
  const run = await galley(["build", "--input", "x", "--model", "gpt-5", "--reserve", "9_000_000"]);
  expect(run).toMatchObject({ code: 2, err: expect.stringContaining("--reserve 9000000 leaves nothing") as string });
});

test("[E] run and worker refuse a budget below nothing before they do anything", async () => {
  for (const command of [
    ["run", "x", "--chat", "x"],
    ["worker", "--run", "true", "--until-idle"],
  ]) {
    const run = await galley([...command, "--budget", "-1", "--data", join(folder, "untouched")]);
    expect(run).toMatchObject({ code: 2, err: expect.stringContaining("--budget") as string });
  }
  expect(existsSync(join(folder, "untouched"))).toBe(false);
});

test("[F8] --append writes what was decided: building again gives the same digest and adds nothing", async () => {
  const path = session("append.jsonl");
  const args = ["--session", path, "--budget", "90", "--model", "gpt-5", "--append"];
  const first = await built(...args, "--input", "What about the tax?");
  const size = readFileSync(path, "utf8").length;
  const { entries } = parseSession(readFileSync(path, "utf8"));
  expect(entries.map((entry) => entry.type).slice(-3)).toEqual(["message", "compaction", "custom"]);
  const again = await built(...args);
  expect(again.digest).toBe(first.digest);
  expect(again.entriesToAppend).toEqual([]);
  expect(readFileSync(path, "utf8").length - size).toBeLessThan(400);
});

test("[P2] replay --verify agrees with what was recorded, and names what was tampered with", async () => {
  const path = session("replay.jsonl");
  for (const input of ["one", "two"]) await built("--session", path, "--input", input, "--model", "gpt-5", "--append");
  const good = await galley(["replay", path, "--verify"]);
  expect(good).toMatchObject({ code: 0, out: expect.stringContaining("all 2 the same") });
  writeFileSync(path, readFileSync(path, "utf8").replace("still air", "dead air"));
  const bad = await galley(["replay", path, "--verify"]);
  expect(bad).toMatchObject({ code: 1, out: expect.stringContaining("differs from message 4 on") });
  const nothing = await galley(["replay", example("session.jsonl"), "--verify"]);
  expect(nothing).toMatchObject({ code: 1, err: expect.stringContaining("--append") });
});

test("[V4] replay and diff find the recorded builds of a stored session, and say where the calls of a place are", async () => {
  const path = session("replayed-place.jsonl");
  for (const input of ["one", "two"]) await built("--session", path, "--input", input, "--model", "gpt-5", "--append");
  const { entries } = parseSession(readFileSync(path, "utf8"));
  const at = ["--data", join(folder, "replayed")];
  const store = await openStore({ data: at[1] as string });
  await store.sessions.append({ projectId: "default", sessionId: "kept" }, entries);
  await store.close();
  for (const place of ["kept", "session:kept"]) {
    const good = await galley(["replay", place, "--verify", ...at]);
    expect(good).toMatchObject({ code: 0, out: expect.stringContaining("all 2 the same") });
  }
  const ids = entries.filter((entry) => entry.type === "custom").map((entry) => entry.id);
  expect((await galley(["diff", ...ids, "--session", "kept", ...at])).out).toMatch(/appeared +7 +user +two/);
  expect((await galley(["run", "hello", "--chat", "demo", ...at])).code).toBe(0);
  const called = await galley(["replay", "chat:demo", "--verify", ...at]);
  expect(called).toMatchObject({ code: 1, err: expect.stringContaining("galley explain chat:demo") });
  expect((await galley(["replay", "nobody", ...at])).err).toContain("NotFound");
});

test("[P1] explain does not call a count exact that the provider has refuted", async () => {
  const data = join(folder, "refuted");
  const galleyOf = await openGalley({ data, config: false, environment: {} });
  const turn = await galleyOf.turn({ chat: "c", input: "hello", model: "gpt-5" });
  const { inputTokens } = turn.stats;
  const head = async (): Promise<string> => (await galley(["explain", "chat:c", "--data", data])).out;
  expect(await head()).toContain("(exact, o200k_base)");
  await turn.commit({ assistant: "Hi.", usage: { inputTokens: inputTokens + 7, outputTokens: 2 } });
  await galleyOf.close();
  expect(await head()).toContain(`the provider counted ${inputTokens + 7}`);
  expect(await head()).toContain("(counted with o200k_base)");
});

test("[P3] diff compares files and recorded builds", async () => {
  const path = session("diff.jsonl");
  const a = file("a.json", await built("--session", path, "--input", "one", "--append"));
  const b = file("b.json", await built("--session", path, "--input", "two", "--append"));
  const { out } = await galley(["diff", a, b]);
  expect(out).toMatch(/6 the same; they differ from message 7 on/);
  expect(out).toMatch(/appeared +7 +user +two/);
  const ids = parseSession(readFileSync(path, "utf8"))
    .entries.filter((entry) => entry.type === "custom")
    .map((entry) => entry.id);
  const recorded = await galley(["diff", ...ids, "--session", path, "--json"]);
  expect(JSON.parse(recorded.out)).toMatchObject({ appeared: [6], prefix: { messages: 6 } });
  expect((await galley(["diff", a, a])).out).toContain("equal");
  expect((await galley(["diff", "gone", a, "--session", path])).err).toContain("NotFound");
  expect((await galley(["diff", example("simple.json"), a])).err).toContain("is not a build");
});

test("[F9] compact shows what it would do, and does it only when told to", async () => {
  const path = session("compact.jsonl");
  const before = readFileSync(path, "utf8");
  const planned = await galley(["compact", "--session", path, "--model", "gpt-5", "--budget", "110", "--plan"]);
  expect(planned.out).toMatch(/114 tokens before, \d+ tokens after[^]*Summarised \(4\)[^]*Nothing was written/);
  expect(readFileSync(path, "utf8")).toBe(before);
  const applied = await galley([
    "compact",
    "--session",
    path,
    "--model",
    "gpt-5",
    "--budget",
    "110",
    "--apply",
    "--json",
  ]);
  expect(JSON.parse(applied.out)).toMatchObject({
    applied: true,
    summary: expect.stringContaining("How far can we get on the kerosene"),
  });
  expect(readFileSync(path, "utf8").startsWith(before)).toBe(true);
  const { messages } = await built("--session", path);
  expect(JSON.stringify(messages[0])).toContain("for reference only");
  expect((await galley(["compact", "--session", path, "--budget", "1000"])).out).toContain("Nothing has to be done");
  expect((await galley(["compact", "--session", path])).code).toBe(2);
});

test("[P5] --as prints the request of a provider, with the end of the stable prefix marked for Anthropic", async () => {
  const args = [
    "build",
    "--preset",
    example("recipes.json"),
    "--model",
    "claude-sonnet-4-5",
    "--session",
    example("session.jsonl"),
  ];
  const anthropic = JSON.parse((await galley([...args, "--as", "anthropic"])).out) as {
    system: object[];
    messages: object[];
  };
  expect(anthropic.system).toHaveLength(2);
  expect(JSON.stringify(anthropic)).toContain('"cache_control":{"type":"ephemeral"}');
  for (const provider of ["openai-chat", "openai-responses", "gemini", "ai-sdk"]) {
    expect((await galley([...args, "--as", provider])).code).toBe(0);
  }
});

test("[P6] a secret from the environment is masked in messages, records and diffs, and the digest outlives it", async () => {
  const path = session("secret.jsonl");
  const digests: string[] = [];
  for (const token of ["tok-first-1234", "tok-second-5678"]) {
    process.env["GALLEY_TEST_TOKEN"] = token;
    const args = ["--session", path, "--system", `use ${token}`, "--secret", "GALLEY_TEST_TOKEN"];
    const document = await built(...args);
    digests.push(document.digest);
    expect(JSON.stringify(document)).not.toContain(token);
    expect(document.messages[0]?.content).toBe("use ‹secret:GALLEY_TEST_TOKEN›");
    await built(...args, "--append");
    expect(readFileSync(path, "utf8")).not.toContain(token);
  }
  delete process.env["GALLEY_TEST_TOKEN"];
  expect(digests[0]).toBe(digests[1]);
});

test("[M3] --append ends a last line that was not ended, and makes a file that is not there", async () => {
  const path = file("unended.jsonl", readFileSync(example("session.jsonl"), "utf8").trimEnd());
  await built("--session", path, "--input", "more", "--append");
  expect(parseSession(readFileSync(path, "utf8")).problems).toEqual([]);
  const fresh = join(folder, "fresh.jsonl");
  await built("--session", fresh, "--input", "first", "--append");
  await built("--session", fresh, "--input", "first", "--append");
  const messages = parseSession(readFileSync(fresh, "utf8")).entries.filter((entry) => entry.type === "message");
  expect(messages).toHaveLength(1);
  const unwritable = await galley(["build", "--session", folder, "--input", "x", "--append"]);
  expect(unwritable).toMatchObject({ code: 1, err: expect.stringContaining("FileUnreadable") });
});

test("[P2] each recorded build is counted by the tokenizer that its record names", async () => {
  const path = session("tokenizers.jsonl");
  for (const model of ["gpt-4", "gpt-5"]) {
    const input = `煤油税由议会征收 ${model} ${"飞艇以煤油为燃料。".repeat(10)}`;
    const { stats } = await built("--session", path, "--input", input, "--model", model);
    await built(
      "--session",
      path,
      "--input",
      input,
      "--model",
      model,
      "--budget",
      String(stats.inputTokens),
      "--append",
    );
  }
  expect(await galley(["replay", path, "--verify"])).toMatchObject({
    code: 0,
    out: expect.stringContaining("all 2 the same"),
  });
});

test("[P6] a secret that is not there is refused before anything is shown", async () => {
  const run = await galley(["build", "--input", "x", "--secret", "GALLEY_NO_SUCH_VARIABLE"]);
  expect(run).toMatchObject({ code: 2, out: "", err: expect.stringContaining("GALLEY_NO_SUCH_VARIABLE") });
});

test("a message cannot steer the terminal", async () => {
  const entry = {
    id: "m\u001b[31m",
    ts: 0,
    type: "message",
    message: { role: "user", content: "\u001b[2Jhi \u202eevil" },
  };
  const path = file("steering.jsonl", `${JSON.stringify(entry)}\n`);
  const { out } = await galley(["explain", "--session", path]);
  expect(out).not.toContain("\u001b");
  expect(out).not.toContain("\u202e");
  expect(out).toContain("hi");
});

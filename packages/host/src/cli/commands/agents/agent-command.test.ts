import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { launcher } from "../../../../../../scripts/launcher.ts";
import { isGroupAlive } from "../../../agents/process-group.ts";
import { echoTool, smallAgent, testHost } from "../../../daemon/testing/temp-agent-host.ts";
import { folder, galley } from "../../testing/run-command.ts";

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** A project with one small agent, and the flags that name it. */
function project(name: string, does = "", rest: Readonly<Record<string, unknown>> = {}): readonly string[] {
  const root = join(folder, name);
  mkdirSync(root);
  const { command, args, env } = smallAgent(does);
  const agents = [{ name: "mara", command, args, env, backendType: "small", permissions: "deny", ...rest }];
  writeFileSync(join(root, "galley.config.json"), JSON.stringify({ agents }));
  return ["--config", root, "--data", join(root, "data")];
}

/** The command as a process of its own. */
function start(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { readonly child: ChildProcess; readonly out: () => string } {
  const child = spawn(process.execPath, [launcher, ...args], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, ...env },
  });
  children.push(child);
  let out = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
  return { child, out: () => out };
}

async function until(isTrue: () => boolean): Promise<void> {
  await vi.waitUntil(isTrue, { timeout: 60_000, interval: 10 });
}

interface Listed {
  readonly agents: readonly { readonly name: string; readonly running: readonly { pid: number; state: string }[] }[];
}

async function listed(flags: readonly string[]): Promise<Listed["agents"][number]> {
  const { out } = await galley(["agent", "list", ...flags, "--json"]);
  return (JSON.parse(out) as Listed).agents[0]!;
}

describe("[I9] galley agent", () => {
  test("help says how a configuration is written: its example is one, and every field has a word", async () => {
    const { out } = await galley(["help", "agent"]);
    const written = /\{\n {4}"agents"[\s\S]*?\n {2}\}/.exec(out)?.[0] ?? "";
    const root = join(folder, "from-help");
    mkdirSync(root);
    writeFileSync(join(root, "galley.config.json"), written);
    expect(await galley(["inject", "show", "mara", "--config", root])).toMatchObject({ code: 0, err: "" });
    const fields = Object.keys(smallAgent()).concat("cwd", "tokenDelivery");
    for (const field of fields) expect(out).toMatch(new RegExp(`\\n {2}${field} +\\S+ \\S+`));
  });

  test("[P6] list shows no value of the environment that stands in an argument too", async () => {
    const env = { KEY: "planted-key-8086" };
    const flags = project("list-secret", "", { env, args: ["--key=planted-key-8086", "--verbose"] });
    for (const more of [[], ["--json"]]) {
      const { code, out } = await galley(["agent", "list", ...flags, ...more]);
      expect({ code, isShown: out.includes("planted") }).toEqual({ code: 0, isShown: false });
      // How much of a long line is shown depends on where Node lies.
      expect(out).toContain("--key=‹");
    }
  });

  test("prompt starts the agent, prints what it says, and stops it", async () => {
    const flags = project("prompt");
    expect(await galley(["agent", "prompt", "mara", "Say this.", ...flags])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Say this\.\n$/) as string,
      err: "",
    });
    expect((await listed(flags)).running).toEqual([]);
  });

  test("prompt --json prints one JSON document per line; the prompt may come from standard input", async () => {
    const { code, out, err } = await galley(
      ["agent", "prompt", "mara", "--json", ...project("json")],
      "from standard input, in two pieces",
    );
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; text?: string });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(lines.map(({ type }) => type)).toEqual(["update", "update", "result"]);
    expect(lines.at(-1)).toMatchObject({
      stopReason: "end_turn",
      text: expect.stringContaining("input, in two") as string,
    });
  });

  test.each([
    { name: "no such agent", args: ["prompt", "nobody", "x"], code: 1, says: "NotFound" },
    { name: "no prompt", args: ["prompt", "mara", " "], code: 2, says: "BadUsage" },
    { name: "an agent that does not run", args: ["stop", "nobody"], code: 1, says: "NotFound" },
  ])("$name is said, with a hint", async ({ name, args, code, says }) => {
    const run = await galley(["agent", ...args, ...project(name)]);
    expect(run).toMatchObject({ code, out: "", err: expect.stringContaining(`error ${says}`) as string });
    expect(run.err).toContain("hint:");
  });

  test("an agent that dies says how, on standard error", async () => {
    const { code, out, err } = await galley([
      "agent",
      "prompt",
      "mara",
      "x",
      ...project("dies", "die-on-prompt"),
      "--json",
    ]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(JSON.parse(err)).toMatchObject({
      error: { code: "AgentFailed", message: expect.stringContaining("code 7") as string },
    });
  });

  test("start stays; list sees it and stop ends it from another terminal", async () => {
    const flags = project("start");
    const { child, out } = start(["agent", "start", "mara", ...flags]);
    await until(() => out().includes("mara runs."));
    const [run] = (await listed(flags)).running;
    expect(run).toMatchObject({ state: "running" });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    expect(await galley(["agent", "stop", "mara", ...flags])).toMatchObject({
      code: 0,
      out: "mara was stopped (1).\n",
    });
    expect(await ended).toBe(0);
    expect(isGroupAlive(run?.pid ?? 0)).toBe(false);
    expect((await listed(flags)).running).toEqual([]);
    expect(await galley(["agent", "stop", "mara", ...flags])).toMatchObject({ code: 0, out: "mara does not run.\n" });
  });

  test.each([
    { name: "start", does: "hang-at-start", args: ["start", "mara"], code: 0 },
    { name: "prompt", does: "hang-on-prompt", args: ["prompt", "mara", "x"], code: 143 },
  ])("$name ends when it is told to, whatever the agent does", async ({ name, does, args, code }) => {
    const flags = project(`signal-${name}`, does);
    const pidFile = join(flags[1] ?? "", "pid");
    const { child } = start(["agent", ...args, ...flags], { SMALL_AGENT_PID: pidFile });
    await until(() => existsSync(pidFile) && readFileSync(pidFile, "utf8").endsWith(does));
    child.kill("SIGTERM");
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(code);
    expect(isGroupAlive(Number.parseInt(readFileSync(pidFile, "utf8"), 10))).toBe(false);
  });

  test("start ends with an error when the agent ends and nobody starts it again", async () => {
    const flags = project("gives-up", "", { launchMode: "direct" });
    const { child, out } = start(["agent", "start", "mara", ...flags]);
    await until(() => out().includes("mara runs."));
    const [run] = (await listed(flags)).running;
    process.kill(run?.pid ?? 0, "SIGKILL");
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(1);
    expect((await listed(flags)).running).toEqual([]);
  });

  test("an agent whose owner was killed is found and ended", async () => {
    const flags = project("orphan", "ignore-end");
    const { child, out } = start(["agent", "start", "mara", ...flags]);
    await until(() => out().includes("mara runs."));
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));
    const [run] = (await listed(flags)).running;
    expect(run).toMatchObject({ state: "orphaned" });
    expect(await galley(["agent", "stop", "mara", ...flags])).toMatchObject({ code: 0 });
    expect(isGroupAlive(run?.pid ?? 0)).toBe(false);
    expect(readdirSync(join(flags[3] ?? "", "agents", ".running"))).toEqual([]);
  });
});

describe("[I10] galley tool reaches the tools of the session that runs it", () => {
  async function within(token: string, url: string, args: readonly string[], stdin?: string) {
    Object.assign(process.env, { GALLEY_SESSION_TOKEN: token, GALLEY_MCP_URL: url });
    try {
      return await galley(args, stdin);
    } finally {
      delete process.env["GALLEY_SESSION_TOKEN"];
      delete process.env["GALLEY_MCP_URL"];
    }
  }

  test("with its token, and with no other", async () => {
    const { tokenStore, toolHost, mcpUrl, events } = await testHost([smallAgent()]);
    toolHost.grant("s-1", [echoTool()]);
    const token = tokenStore.generate("mara", "s-1");
    const call = (name: string, input: string, stdin?: string) =>
      within(token, mcpUrl, ["tool", "call", name, input], stdin);
    const list = await within(token, mcpUrl, ["tool", "list", "--json"]);
    expect(JSON.parse(list.out)).toMatchObject({ tools: [{ name: "galley_echo", rpcMethod: "test.echo" }] });
    const answer = { echo: "hi", agent: "mara" };
    expect(JSON.parse((await call("galley_echo", '{"text":"hi"}')).out)).toEqual(answer);
    expect(JSON.parse((await call("galley_echo", "-", '{"text":"hi"}')).out)).toEqual(answer);
    expect(await call("galley_echo", '{"txt":"hi"}')).toMatchObject({ code: 1, out: "" });
    expect((await call("nope", "{}")).err).toContain("It has galley_echo.");
    expect((await within("0".repeat(64), mcpUrl, ["tool", "list"])).err).toContain("error TokenRefused");
    expect(events.at(-1)).toMatchObject({ event: "token:refused", data: { through: "/tools" } });
    expect(await galley(["tool", "list"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("inside an agent") as string,
    });
  });
});

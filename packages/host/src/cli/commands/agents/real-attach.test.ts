import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { launcher } from "../../../../../../scripts/launcher.ts";
import type { LlmAnswer, LlmRequest, LlmTrouble } from "../../../models/testing/llm-protocols.ts";
import { type LlmServer, startLlmServer } from "../../../models/testing/llm-server.ts";

/** Where `npm run test:agents` has installed them. */
const installed = process.env["GALLEY_AGENTS"];

interface RealAgent {
  readonly agent: string;
  readonly bin: string;
  /** Says something; the first time it starts the session. */
  readonly say: (text: string, isFirst: boolean) => readonly string[];
  readonly env: (llm: LlmServer, home: string) => Readonly<Record<string, string>>;
  /** What the person has in the settings before, and adds after attaching. */
  readonly settings?: { readonly file: string; readonly before: (llm: LlmServer) => string; readonly after: string };
  /** By what its own compaction request is known. */
  readonly compacting: RegExp;
  readonly logs: string;
}

const claude: RealAgent = {
  agent: "claude-code",
  bin: "claude",
  say: (text, isFirst) => [
    "-p",
    text,
    ...(isFirst ? [] : ["--continue"]),
    "--allowedTools",
    "mcp__galley__context_recall",
  ],
  env: ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-local",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    ENABLE_TOOL_SEARCH: "false",
    MCP_CONNECTION_NONBLOCKING: "0",
  }),
  compacting: /Respond with TEXT ONLY/,
  logs: ".claude/projects/**/*.jsonl",
};

const codex: RealAgent = {
  agent: "codex",
  bin: "codex",
  // The person who runs the test trusts the hook, for this one call.
  say: (text, isFirst) => [
    "exec",
    ...(isFirst ? [] : ["resume", "--last"]),
    "--skip-git-repo-check",
    "--dangerously-bypass-hook-trust",
    text,
  ],
  env: (_, home) => ({ OPENAI_API_KEY: "sk-local", CODEX_HOME: join(home, ".codex") }),
  settings: {
    file: ".codex/config.toml",
    before: ({ url }) =>
      `model = "local-1"\nmodel_provider = "local"\nmodel_context_window = 200000\nmodel_auto_compact_token_limit = 50000\n\n[model_providers.local] # mine\nname = "local"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n`,
    // Without it, `codex exec` asks the model before its servers are there.
    after: "required = true\n",
  },
  compacting: /CONTEXT CHECKPOINT COMPACTION/,
  logs: ".codex/sessions/**/*.jsonl",
};

const lost = ["raise_the_sail", "src/keel/plank-77.ts", "bolt_table_7"];
const firstReply = `${"I looked at the boat. ".repeat(300)} It is ${lost.join(", ")}.`;

/** A model whose session grows too long, whose summary has none of the names, and which then asks for the first of them. */
function forgetfulModel(compacting: RegExp) {
  let [n, isTooLong] = [0, false];
  return (request: LlmRequest): LlmAnswer | LlmTrouble => {
    n += 1;
    const { userTexts, system, tools, toolResults } = request;
    const asked = userTexts.at(-1) ?? "";
    if (compacting.test(asked)) return { n, text: "<summary>They looked at a boat.</summary>" };
    const [, tag] = /§([a-z2-9]{6})-\d+(?:–\d+)? /u.exec([system, ...userTexts].join("\n")) ?? [];
    const tool = tools.find(({ name }) => name.endsWith("context_recall"));
    if (tag !== undefined && tool && !toolResults.some((text) => text.includes("For reference"))) {
      const line =
        [system, ...userTexts]
          .join("\n")
          .split("\n")
          .find((one) => one.startsWith(`§${tag}-`)) ?? "";
      return { n, tool, input: { handle: line.split(" ")[0], query: lost.join(" ") } };
    }
    if (!asked.includes("Go on") && tag === undefined) return { n, text: firstReply, inputTokens: 60_000 };
    // Claude Code compacts when it is refused; Codex has done so before, because of what was reported.
    const isRefused = request.protocol === "anthropic" && tag === undefined && !isTooLong;
    if (!isRefused) return { n, text: `I go on with ${lost.join(", ")}.` };
    isTooLong = true;
    return { status: 400, error: "prompt is too long: 250000 tokens > 200000 maximum" };
  };
}

async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<string> {
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: 240_000 });
  const [out, err] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, "exit")]);
  return `${out}\n${err}`;
}

interface Session {
  readonly llm: LlmServer;
  readonly galley: (...args: readonly string[]) => Promise<string>;
  readonly log: () => string;
}

/** A session that is compacted, in an agent that is attached or not. */
async function compactedSession(real: RealAgent, isAttached: boolean, galleyAt = launcher): Promise<Session> {
  const llm = await startLlmServer(forgetfulModel(real.compacting));
  const home = mkdtempSync(join(tmpdir(), "galley-attached-"));
  onTestFinished(async () => {
    await llm.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_STATE_HOME: join(home, "state"),
    ...real.env(llm, home),
  };
  const galley = (...args: readonly string[]): Promise<string> => run(process.execPath, [launcher, ...args], home, env);
  const { settings } = real;
  const file = join(home, settings?.file ?? "");
  if (settings) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, settings.before(llm));
  }
  if (isAttached) {
    await galley("attach", real.agent, "--yes", "--data", join(home, "data"));
    if (settings) writeFileSync(file, readFileSync(file, "utf8") + settings.after);
    // Galley is gone: the paths in the settings lead nowhere.
    if (galleyAt !== launcher) {
      for (const name of [".claude/settings.json", ".codex/hooks.json"].filter(
        (one) => globSync(join(home, one)).length > 0,
      ))
        writeFileSync(join(home, name), readFileSync(join(home, name), "utf8").replaceAll(launcher, galleyAt));
    }
  }
  const agent = join(installed ?? "", real.bin, "node_modules", ".bin", real.bin);
  await run(agent, real.say("Look at the boat.", true), home, env);
  await run(agent, real.say("Go on with the hull.", false), home, env);
  const log = (): string => globSync(join(home, real.logs)).at(0) ?? "";
  return { llm, galley, log };
}

const figureIn = (out: string): string => /(\d+ of \d+) names/.exec(out)?.[1] ?? out;

describe.skipIf(installed === undefined)("[L7] real coding agents that are attached", { timeout: 600_000 }, () => {
  test.each([claude, codex])(
    "$agent: after its compaction the model is told what was lost, and reads the passage again",
    async (real) => {
      const before = await compactedSession(real, false);
      expect(before.llm.bodies.at(-1)).not.toContain(lost[0]);
      expect(figureIn(await before.galley("lost", before.log()))).toBe("0 of 3");
      const { llm, galley, log } = await compactedSession(real, true);
      const compaction = llm.requests.findIndex(({ userTexts }) => real.compacting.test(userTexts.at(-1) ?? ""));
      const next = llm.bodies[compaction + 1] ?? "";
      for (const name of lost) expect(next).toContain(name);
      expect(next).toMatch(/§[a-z2-9]{6}-\d/u);
      expect(next).toContain("context_recall");
      // The summariser of Claude Code was told the names as well.
      expect(lost.every((name) => (llm.requests[compaction]?.userTexts.at(-1) ?? "").includes(name))).toBe(
        real === claude,
      );
      const results = llm.requests.flatMap(({ toolResults }) => toolResults);
      expect(results.at(-1)).toContain("I looked at the boat.");
      expect(results.at(-1)).toContain("bolt_table_7");
      // The reply used the names again.
      expect(figureIn(await galley("lost", log()))).toBe("3 of 3");
      expect(await galley("detach", real.agent, "--yes")).toContain("is as before");
    },
  );

  test.each([claude, codex])("$agent: where Galley is gone, it goes on as if nothing were attached", async (real) => {
    const { llm } = await compactedSession(real, true, "/nowhere/galley.js");
    expect(llm.bodies.at(-1)).toContain("They looked at a boat.");
    expect(llm.bodies.join("\n")).not.toContain("[Galley:");
  });
});

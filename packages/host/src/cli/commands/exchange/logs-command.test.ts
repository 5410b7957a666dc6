import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { claudeLog, piLog } from "@galley/engine/testing";
import { beforeAll, expect, test } from "vitest";
import { folder, galley } from "../../testing/run-command.ts";

const [data, home] = [join(folder, "data"), join(folder, "home")];
const claudeFile = join(home, ".claude/projects/-home-ada-boat/s1.jsonl");

beforeAll(() => {
  process.env["XDG_CACHE_HOME"] = folder;
  for (const [file, text] of [
    [claudeFile, claudeLog],
    [join(home, ".pi/agent/sessions/--boat--/2026_p1.jsonl"), piLog],
  ] as const) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
});

const logs = (...args: readonly string[]) => galley(["logs", ...args, "--home", home, "--data", data]);

test("[L3] logs lists what agents have here; open imports one and says where it is seen; then the store has it too", async () => {
  const { code, out } = await logs();
  expect(code).toBe(0);
  expect(out).toMatch(/claude-code:s1 +The hull +ada\/boat +4 kB +115 +1$/m);
  expect(out).toContain("pi:p1");
  const opened = await logs("open", "claude-code:s1");
  expect(opened.out).toContain("claude-code:s1/agent-bolts");
  expect(opened.out).toContain(`galley up --data ${data}, then /sessions/claude-code%3As1`);
  const line = { type: "user", uuid: "u9", parentUuid: "a5", sessionId: "s1", message: { content: "More" } };
  appendFileSync(claudeFile, `${JSON.stringify(line)}\n`);
  const again = await logs("open", "claude-code:s1", "--json");
  expect(JSON.parse(again.out)).toMatchObject({
    id: "claude-code:s1",
    link: null,
    sessions: [{ added: 1 }, { added: 0 }],
  });
  const listed = await logs("--json");
  const { logs: items } = JSON.parse(listed.out) as { logs: { id: string; isStored: boolean; file?: string }[] };
  expect(items.filter(({ id }) => id === "claude-code:s1")).toMatchObject([{ isStored: true, file: claudeFile }]);
});

test("[L3] a session that no agent has is named, with what lists them", async () => {
  const run = await logs("open", "codex:none", "--json");
  expect(JSON.parse(run.err)).toMatchObject({
    error: { code: "NotFound", hint: expect.stringContaining("galley logs") as string },
  });
});

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { homeOfAgents } from "../src/cli/testing/home-of-agents.ts";
import { galley } from "../src/cli/testing/run-command.ts";
import { claimFault, isThorough } from "./claim-fault.ts";

const crash = fileURLToPath(new URL("../testing/crash-at.ts", import.meta.url));
const launcher = process.env["GALLEY_TEST_LAUNCHER"] ?? fileURLToPath(new URL("../bin/galley.js", import.meta.url));
const files = [".claude.json", ".claude/settings.json"];
const texts = [
  '{"a": 1, "mcpServers": {"other": {"command": "x"}}}',
  '{\n  "hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": "mine"}]}]}\n}\n',
];

/** The command, ended as `kill -9` does at a change of the disk. Says whether it was: it has fewer changes otherwise, and works. */
function isKilled(args: readonly string[], change: number): boolean {
  const env = { ...process.env, GALLEY_CRASH_AT: String(change) };
  const { signal, status } = spawnSync(process.execPath, ["--import", crash, launcher, ...args], { env });
  if (signal === null && status !== 0) throw new Error(`It ended with ${status}.`);
  return signal === "SIGKILL";
}

test.for(["attach", "detach"])(
  "[L7] killed at any single change of the disk, galley %s leaves settings that are whole, and the next attach and detach bring them back to the last byte",
  { timeout: isThorough ? 1_200_000 : 240_000 },
  async (command, { task }) => {
    const { home, put } = homeOfAgents();
    const attach = ["attach", "claude-code", "--yes", "--data", join(home, "data")];
    const detach = ["detach", "claude-code", "--yes"];
    const now = (): readonly (string | undefined)[] =>
      files.map((file) => (existsSync(join(home, file)) ? readFileSync(join(home, file), "utf8") : undefined));
    let rounds = 0;
    for (const isNew of [false, true]) {
      for (let change = isThorough ? 1 : 4; ; change += isThorough ? 1 : 7) {
        for (const name of [".claude", ".claude.json", "state"])
          rmSync(join(home, name), { recursive: true, force: true });
        if (!isNew) for (const [at, file] of files.entries()) put(file, texts[at] ?? "");
        const before = now();
        if (command === "detach") await galley(attach);
        if (!isKilled(command === "attach" ? attach : detach, change)) break;
        rounds += 1;
        for (const text of now()) if (text !== undefined) JSON.parse(text);
        expect([change, await galley(attach)]).toMatchObject([change, { code: 0 }]);
        expect([change, await galley(detach)]).toMatchObject([change, { code: 0 }]);
        const drafts = [home, join(home, ".claude")].flatMap((folder) =>
          existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".tmp")) : [],
        );
        expect([isNew, change, now(), drafts]).toEqual([isNew, change, before, []]);
      }
    }
    expect(rounds).toBeGreaterThan(isThorough ? 12 : 2);
    claimFault(task, {
      area: "processes that are killed",
      fault: `kill -9 at each single change of the disk while galley ${command} changes the settings of an agent`,
      holds:
        "the settings are whole; the next attach and detach bring them back to the last byte, and no draft is left",
      rounds,
    });
  },
);

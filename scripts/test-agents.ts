import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { endAs, runProgram } from "../packages/host/bin/run-program.js";
import { realPrograms } from "./real-agents.ts";
import { toolCache } from "./tool-cache.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = process.env["GALLEY_AGENTS"] ?? toolCache("agents");

/** Installs a program unless this version of it is there; the mark is written last, so that half an install counts for nothing. */
async function install(name: string, spec: string): Promise<void> {
  const place = join(folder, name);
  const mark = join(place, `${spec.replaceAll("/", "+")}.installed`);
  if (existsSync(mark)) return;
  console.log(`installing ${spec}`);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify({ private: true }));
  const npm = ["install", "--no-audit", "--no-fund", "--save-exact", spec];
  const options = { cwd: place, stdio: "inherit", shell: process.platform === "win32" } as const;
  const { code } = await runProgram("npm", npm, options);
  if (code !== 0) throw new Error(`${spec} could not be installed`);
  writeFileSync(mark, "");
}

for (const [name, spec] of Object.entries(realPrograms)) await install(name, spec);
const tests = [
  "packages/host/src/daemon/agents/real-agents.test.ts",
  "packages/host/src/daemon/mcp/real-mcp-clients.test.ts",
  "packages/host/src/cli/commands/agents/real-clients.test.ts",
  "packages/host/src/cli/commands/agents/real-attach.test.ts",
];
const options = { cwd: root, stdio: "inherit", env: { ...process.env, GALLEY_AGENTS: folder } } as const;
endAs(await runProgram("vitest", ["run", "--project", "host", ...tests, ...process.argv.slice(2)], options));

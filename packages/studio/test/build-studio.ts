import { execFile } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../../..");
const folder = join(root, "packages/studio");
const vite = join(root, "node_modules/vite/bin/vite.js");

function newest(patterns: readonly string[]): number {
  const files = globSync([...patterns], { cwd: folder });
  return Math.max(0, ...files.map((file) => statSync(join(folder, file)).mtimeMs));
}

/** Builds Studio unless what is in `dist` is newer than everything that goes into it. Runs once before the page tests. */
export async function setup(): Promise<void> {
  const own = ["src/**/*.{ts,tsx,css}", "public/*", "*.{html,ts,json}"];
  const others = ["../engine/src/**/*.ts", "../host/src/api/*.ts"];
  if (newest(["dist/index.html"]) > newest([...own, ...others])) return;
  // A process of its own: in vitest's, NODE_ENV says "test", and React would be built for development.
  const env = { ...process.env, NODE_ENV: "production" };
  await promisify(execFile)(process.execPath, [vite, "build", folder, "--logLevel", "warn"], { cwd: root, env });
}

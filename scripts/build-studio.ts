import { execFile } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = `${root}packages/studio/`;
const vite = `${root}node_modules/vite/bin/vite.js`;
const sources = [
  "src/**/*.{ts,tsx,css}",
  "public/*",
  "*.{html,ts,json}",
  "../engine/src/**/*.ts",
  "../host/src/api/*.ts",
];

function newest(patterns: readonly string[]): number {
  return Math.max(0, ...globSync([...patterns], { cwd: folder }).map((file) => statSync(folder + file).mtimeMs));
}

/** Builds Studio unless what is in `dist` is newer than everything that goes into it. */
export async function buildStudio(onStart: () => void = () => undefined): Promise<void> {
  if (newest(["dist/index.html"]) > newest(sources)) return;
  onStart();
  // A process of its own: in one that runs tests, NODE_ENV says "test", and React would be built for development.
  const env = { ...process.env, NODE_ENV: "production" };
  await promisify(execFile)(process.execPath, [vite, "build", folder, "--logLevel", "warn"], { cwd: root, env });
}

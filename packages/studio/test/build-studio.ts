import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";

const folder = join(import.meta.dirname, "..");

function newest(patterns: readonly string[]): number {
  const files = globSync([...patterns], { cwd: folder });
  return Math.max(0, ...files.map((file) => statSync(join(folder, file)).mtimeMs));
}

/** Builds Studio unless what is in `dist` is newer than everything that goes into it. Runs once before the page tests. */
export async function setup(): Promise<void> {
  const sources = [
    "src/**/*.{ts,tsx,css}",
    "public/*",
    "*.{html,ts,json}",
    "../engine/src/**/*.ts",
    "../host/src/api/*.ts",
  ];
  if (newest(["dist/index.html"]) > newest(sources)) return;
  await build({ configFile: join(folder, "vite.config.ts"), logLevel: "warn" });
}

import { globSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const folder = fileURLToPath(new URL("../packages/studio/", import.meta.url));
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
  await build({ root: folder, configFile: `${folder}vite.config.ts`, logLevel: "warn" });
}

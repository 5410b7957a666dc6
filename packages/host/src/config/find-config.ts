import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export const configNames = ["galley.config.ts", "galley.config.json"] as const;

/** The folder with a configuration that is nearest, from here upwards. */
export function findConfig(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (configNames.some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

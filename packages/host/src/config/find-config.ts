import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { GalleyError } from "@galley/engine";
import { pathProblem } from "../disk/user-folder.js";

export const configNames = ["galley.config.ts", "galley.config.json"] as const;

/**
 * The folder with a configuration that is nearest, from here upwards. A configuration runs code and starts programs: one that
 * another user of the machine could have put there, in a folder further up for example, is refused unless it is named.
 */
export function findConfig(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const file = configNames.map((name) => join(folder, name)).find((one) => existsSync(one));
    if (file !== undefined) return ownFolder(folder, file);
    if (folder === dirname(folder)) return undefined;
  }
}

function ownFolder(folder: string, file: string): string {
  const problem = pathProblem(file);
  if (problem === undefined) return folder;
  throw new GalleyError("ConfigUnsafe", `${file} is not read: another user may have written it. ${problem}`, {
    path: file,
    hint: `Take their rights away (chmod), or name the configuration if you trust it: --config ${folder}`,
  });
}

// `glob` by the default export: a Node without it must get as far as saying that it is too old.
import fs, { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { GalleyError } from "@galley/engine";

/** A file that was named, or found in a folder that was. */
export interface NamedFile {
  readonly path: string;
  /** Found and not named: one that is not a log is passed over. */
  readonly isFound: boolean;
}

/** The files behind what a person named: files, folders, patterns; `-` stays as it is. */
export async function expandPaths(paths: readonly string[]): Promise<readonly NamedFile[]> {
  const files: NamedFile[] = [];
  for (const path of paths) {
    const found = path === "-" ? undefined : await stat(path).catch(() => undefined);
    if (found?.isDirectory()) files.push(...(await filesBelow(path)));
    else if (found === undefined && path !== "-" && /[*?[{]/.test(path)) files.push(...(await matching(path)));
    else files.push({ path, isFound: false });
  }
  return files;
}

async function filesBelow(folder: string): Promise<readonly NamedFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name))
    .map((entry) => ({ path: join(entry.parentPath, entry.name), isFound: true }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function matching(pattern: string): Promise<readonly NamedFile[]> {
  const files: NamedFile[] = [];
  for await (const path of fs.glob(pattern)) files.push({ path, isFound: true });
  if (files.length > 0) return files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const hint = "Put the pattern in quotes to keep the shell from reading it, or name the files.";
  throw new GalleyError("FileNotFound", `No file matches ${pattern}.`, { path: pattern, hint });
}

/** How large a file is. */
export async function sizeOf(path: string): Promise<number> {
  return (await stat(path)).size;
}

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { toolCache } from "./tool-cache.ts";

const unpack = `import chromium from "@sparticuz/chromium"; await chromium.executablePath();`;

/**
 * Where the browser of the tests is. The package unpacks it into the folder for temporary files and runs whatever lies
 * there under its name, also what another user of the machine has put there. So it is unpacked by a process that has a
 * folder of its own for temporary files, and comes to its place as a whole.
 */
export async function chromiumPath(cache = toolCache("chromium")): Promise<string> {
  const manifest = new URL("../package.json", import.meta.resolve("@sparticuz/chromium"));
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
  const folder = join(cache, version);
  const program = join(folder, "chromium");
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, "draft-"));
  try {
    const env = { ...process.env, TMPDIR: draft };
    const args = ["--input-type=module", "-e", unpack];
    await promisify(execFile)(process.execPath, args, { env, cwd: import.meta.dirname });
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another run may have been faster.
    if (!existsSync(program)) throw error;
  }
  return program;
}

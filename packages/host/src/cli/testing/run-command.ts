import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEachFile } from "../../../testing/after-each-file.ts";
import { main } from "../main.ts";
import { splitLines } from "../terminal/terminal.ts";

export const root = fileURLToPath(new URL("../../../../..", import.meta.url));
export const example = (name: string): string => join(root, "examples", name);
export const folder = mkdtempSync(join(tmpdir(), "galley-cli-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
afterEachFile(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
});

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The command in this process, with its streams caught. */
export async function galley(args: readonly string[], stdin = ""): Promise<Run> {
  let out = "";
  let err = "";
  const code = await main(args, {
    isTerminal: false,
    isColoured: false,
    columns: 100,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    readStdin: async () => stdin,
    readLines: () => splitLines(Readable.from([stdin])),
    readPieces: () => Readable.from([stdin]),
  });
  return { code, out, err };
}

export function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

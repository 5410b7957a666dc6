import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs `work` in a folder of its own, on the disk that temporary files have, and removes it. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "galley-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A line of a chat as it is stored, with some 500 characters, half of them Chinese. */
export function chatLine(index: number): string {
  const role = index % 2 === 0 ? "user" : "assistant";
  const content = `${index}: ${"the window is read from its end, 窗口从末尾开始读取，".repeat(10)}`;
  return `${JSON.stringify({ v: 1, ts: 1_738_713_600_000 + index, role, content })}\n`;
}

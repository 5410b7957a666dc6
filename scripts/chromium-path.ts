import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import chromium from "@sparticuz/chromium";

/** How long another run may take to unpack it, in seconds. */
const patience = 120;

/** Whether a program runs at all; nothing while somebody still writes it. */
function isRunnable(program: string): boolean | undefined {
  const { status, error } = spawnSync(program, ["--version"]);
  if (error && "code" in error && error.code === "ETXTBSY") return undefined;
  return status === 0;
}

/**
 * Where the browser of the tests is. The package unpacks it into the temp folder unless a file of its name is there; one that a
 * run has left half, because it was killed meanwhile, would be taken for whole by all that come later.
 */
export async function chromiumPath(): Promise<string> {
  const path = await chromium.executablePath();
  let isGood = isRunnable(path);
  for (let waited = 0; isGood === undefined && waited < patience; waited += 1) {
    await sleep(1000);
    isGood = isRunnable(path);
  }
  if (isGood) return path;
  rmSync(path, { force: true });
  return chromium.executablePath();
}

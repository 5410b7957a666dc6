import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import type { Report } from "./data-verdict.ts";

const program = fileURLToPath(new URL("data-writer.ts", import.meta.url));

/** A folder that goes with the test. */
export function faultFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "galley-faults-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export interface WriterProcess {
  readonly child: ChildProcess;
  readonly reports: readonly Report[];
  /** Waits until what it has told is enough. */
  until(isEnough: (reports: readonly Report[]) => boolean): Promise<void>;
  /** The exit code; `null` when a signal has ended it. */
  readonly ended: Promise<number | null>;
  errors(): string;
}

export interface WriterOptions {
  readonly rounds?: number;
  /** What runs it, in front of Node. */
  readonly shell?: string;
  readonly imports?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A process that writes to everything in a data folder until it is ended, or for this many rounds. */
export function startDataWriter(data: string, name: string, options: WriterOptions = {}): WriterProcess {
  const { rounds = 1_000_000, shell = "", imports = [], env = {} } = options;
  const args = [...imports.flatMap((file) => ["--import", file]), program, data, name, String(rounds)];
  const child = spawn("sh", ["-c", `${shell} exec "$0" "$@"`, process.execPath, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const reports: Report[] = [];
  let errors = "";
  child.stderr.on("data", (piece) => (errors += String(piece)));
  createInterface({ input: child.stdout }).on("line", (line) => reports.push(JSON.parse(line) as Report));
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    child,
    reports,
    ended,
    errors: () => errors,
    async until(isEnough) {
      const look = (): boolean | string => (child.exitCode === null ? isEnough(reports) : `it ended: ${errors}`);
      await expect.poll(look, { timeout: 110_000, interval: 20 }).toBe(true);
    },
  };
}

/** What was refused, each kind of refusal once. */
export function refusals(reports: readonly Report[]): readonly string[] {
  const lines = reports.flatMap(({ refused }) =>
    refused
      ? [
          `${refused.name} ${refused.code}${refused.path === undefined ? " without a path" : ""}${refused.hint === undefined ? " without a hint" : ""}`,
        ]
      : [],
  );
  return [...new Set(lines)];
}

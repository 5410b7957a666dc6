import { readFileSync, writeFileSync } from "node:fs";
import { arch, platform } from "node:os";
import { fileURLToPath } from "node:url";
import type { Reporter, TestCase, TestModule, TestRunEndReason, Vitest } from "vitest/node";
import { type FaultOutcome, writeFaultTable } from "./fault-table.ts";

export interface FaultTableOptions {
  /** The page that has the table; docs/reliability.md unless said. */
  readonly page?: string;
}

/** After `npm run test:faults`: what each fault has come to, in docs/reliability.md. */
// Vitest takes reporters by their default export.
export default class FaultTableReporter implements Reporter {
  readonly #page: string;
  #vitest: Vitest | undefined;

  constructor({ page = fileURLToPath(new URL("../docs/reliability.md", import.meta.url)) }: FaultTableOptions = {}) {
    this.#page = page;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason): void {
    // Half a run proves nothing, and would take away what a whole one has shown.
    if (reason === "interrupted" || this.#vitest?.getGlobalTestNamePattern() !== undefined) return;
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const others = tests.filter((test) => !test.meta().fault);
    const broken = modules.filter((module) => module.errors().length > 0).map((module) => module.relativeModuleId);
    const failed = others.filter((test) => test.result().state === "failed").map((test) => test.name);
    const stray = errors.length > 0 ? [`${errors.length} errors outside of any test`] : [];
    const run = {
      date: new Date().toISOString().slice(0, 10),
      node: process.versions.node,
      system: `${platform()} ${arch()}`,
      outcomes: tests.flatMap(outcomeOf),
      others: {
        held: others.filter((test) => test.result().state === "passed").length,
        failed: [...failed, ...broken, ...stray],
      },
    };
    writeFileSync(this.#page, writeFaultTable(readFileSync(this.#page, "utf8"), run));
  }
}

function outcomeOf(test: TestCase): readonly FaultOutcome[] {
  const claim = test.meta().fault;
  if (!claim) return [];
  const result = test.result();
  const durationMs = test.diagnostic()?.duration ?? 0;
  switch (result.state) {
    case "passed":
      return [{ claim, state: "held", durationMs }];
    case "skipped":
      return [{ claim, state: "skipped", why: result.note ?? "no reason given", durationMs }];
    case "failed":
      return [{ claim, state: "FAILED", durationMs }];
    case "pending":
      return [{ claim, state: "FAILED", why: "it did not end", durationMs }];
  }
}

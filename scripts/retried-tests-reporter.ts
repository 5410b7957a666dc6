import type { Reporter, TestModule } from "vitest/node";

/** Names the tests that failed at first and passed when they were tried once more; they would be overlooked otherwise. */
export class RetriedTestsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const retried = tests.filter(
      (test) => test.result().state === "passed" && (test.diagnostic()?.retryCount ?? 0) > 0,
    );
    if (retried.length === 0) return;
    process.stdout.write(`\nPassed only when tried once more (${retried.length}):\n`);
    for (const test of retried) {
      process.stdout.write(`  ${test.module.relativeModuleId}: ${test.fullName}\n`);
      for (const error of test.result().errors ?? []) process.stdout.write(`    ${error.message.split("\n")[0]}\n`);
    }
  }
}

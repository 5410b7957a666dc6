import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { chromiumPath } from "./scripts/chromium-path.ts";
import { LongestFirst } from "./scripts/longest-first.ts";
import { RetriedTestsReporter } from "./scripts/retried-tests-reporter.ts";

// The engine's suite runs twice, in Node and in a real browser, because the engine promises the same bytes in both.
const engineTests = ["packages/engine/src/**/*.test.ts"];
const hostTests = ["packages/host/{src,faults}/**/*.test.ts"];
// Those that kill processes, start agents, browsers or a PostgreSQL; `npm run check` does without them.
const longTests = [
  "*faults",
  "crash-points",
  "*postgres*",
  "open-store",
  "migrate-store",
  "check-store",
  "canvas-document",
  "redaction",
]
  .concat("agent-command", "agent-tools", "mcp-command", "handover-commands", "bad-input", "sqlite-*", "open-sqlite")
  .concat("damaged-files", "archive-*", "llm-compactor", "secrets", "through-daemon", "daemon-browser")
  .concat("sdk-requests", "file-rights", "agent-authority", "signals", "browsers-command")
  .map((name) => `packages/host/{src,faults}/**/${name}.test.ts`)
  .concat(
    "scripts/written-pages.test.ts",
    "scripts/recipes.test.ts",
    "scripts/pack.test.ts",
    "scripts/start.test.ts",
    "scripts/sdk-examples.test.ts",
  );
// Bundles the command that tests start.
const bundling = "scripts/launcher.test-setup.ts";
const cleaning = "packages/host/testing/after-each-file.setup.ts";
const laws = "packages/engine/src/model/testing/laws-setup.ts";
// A limit is there to end what hangs. A machine that does other things as well is many times slower, or stands still for
// seconds; what comes in the end is what counts. (Vitest's own limits are 5 s for a test, 10 s for a hook, 1 s for a poll.)
const patience = { testTimeout: 240_000, hookTimeout: 240_000, expect: { poll: { timeout: 60_000 } } };
// Processes, sockets and disks are not ours alone: in CI, what failed is tried once more, and the report says so; on a
// developer's machine each failure counts. The page tests need no second try.
const chance = { retry: process.env["CI"] ? 1 : 0 };
// Laws run a thousand cases each, and more when asked to (`npm run test:deep`).
const lawPatience = process.env["GALLEY_LAW_RUNS"] ? { ...patience, testTimeout: 1_200_000 } : patience;
// How often a browser that answers nothing is asked whether it is still there, in ms; the second time is the last.
process.env["VITEST_BROWSER_HEARTBEAT_INTERVAL"] ??= "60000";
// Where the daemons of tests keep which browsers are signed in: not in the folder of the person who runs the tests.
const state = mkdtempSync(join(tmpdir(), "galley-state-"));
process.env["XDG_STATE_HOME"] = state;
process.once("exit", () => rmSync(state, { recursive: true, force: true }));
const browserIsWanted = !process.argv.includes("--project") || process.argv.includes("browser");

export default defineConfig({
  test: {
    // Two more than there are cores, because many tests wait for processes. (Vitest's own choice on two cores is one.)
    maxWorkers: availableParallelism() + 2,
    teardownTimeout: 120_000,
    reporters: ["default", new RetriedTestsReporter()],
    sequence: { sequencer: LongestFirst },
    projects: [
      // Neither the engine nor the host keeps state that one test could leave to another, so that their modules are
      // loaded once for all files of a worker.
      { test: { name: "engine", include: engineTests, isolate: false, setupFiles: laws, ...lawPatience } },
      {
        test: {
          name: "host",
          include: hostTests,
          exclude: longTests,
          isolate: false,
          setupFiles: [cleaning, laws],
          globalSetup: bundling,
          ...patience,
          ...chance,
        },
      },
      {
        // Each in a process of its own, because they count handles, children and listeners.
        test: {
          name: "processes",
          include: longTests,
          setupFiles: [cleaning, laws],
          globalSetup: [bundling, "packages/host/testing/postgres.setup.ts"],
          ...patience,
          ...chance,
        },
      },
      { test: { name: "studio", include: ["packages/studio/src/**/*.test.ts"], setupFiles: laws, ...patience } },
      {
        // The real daemon, the built Studio, a real Chromium; each file has its own. What the tests themselves are made of
        // is loaded once for all files of a worker.
        test: {
          name: "pages",
          include: ["packages/studio/test/**/*.test.ts"],
          isolate: false,
          globalSetup: [bundling, "packages/studio/test/build-studio.ts"],
          ...patience,
        },
      },
      {
        test: {
          name: "repo",
          include: ["lint/**/*.test.ts", "scripts/**/*.test.ts", "bench/*.test.ts"],
          exclude: longTests,
          globalSetup: bundling,
          ...patience,
        },
      },
      {
        // Found only while tests run, it would be prepared then, and the page loaded again under them.
        optimizeDeps: { include: ["fflate/browser"] },
        test: {
          name: "browser",
          include: engineTests,
          isolate: false,
          setupFiles: laws,
          ...lawPatience,
          env: { VITEST_BROWSER_IFRAME_TIMEOUT: String(patience.testTimeout) },
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            connectTimeout: patience.hookTimeout,
            // Not the package's own arguments: they put the whole browser into one process, and tests that count for
            // seconds would keep it from everything else.
            provider: playwright({
              launchOptions: browserIsWanted ? { executablePath: await chromiumPath(), args: ["--no-sandbox"] } : {},
            }),
            instances: [{ browser: "chromium" }],
          },
        },
      },
    ],
  },
});

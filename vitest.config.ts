import { availableParallelism } from "node:os";
import { playwright } from "@vitest/browser-playwright";
import chromium from "@sparticuz/chromium";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./scripts/longest-first.ts";

// The engine's suite runs twice, in Node and in a real browser, because the engine promises the same bytes in both.
const engineTests = ["packages/engine/src/**/*.test.ts"];
const hostTests = ["packages/host/src/**/*.test.ts"];
// Those that kill processes, start agents, browsers or a PostgreSQL; `npm run check` does without them.
const longTests = ["*faults", "crash-points", "*postgres*", "open-store", "check-store", "canvas-document", "redaction"]
  .concat("agent-command", "agent-tools", "mcp-command", "handover-commands", "bad-input", "sqlite-*", "open-sqlite")
  .concat("damaged-files", "archive-*", "llm-compactor", "secrets", "through-daemon", "daemon-browser")
  .concat("sdk-requests", "file-rights", "agent-authority")
  .map((name) => `packages/host/src/**/${name}.test.ts`)
  .concat(
    "scripts/written-pages.test.ts",
    "scripts/recipes.test.ts",
    "scripts/pack.test.ts",
    "scripts/start.test.ts",
    "scripts/sdk-examples.test.ts",
  );
const cleaning = "packages/host/src/store/after-each-file.test-setup.ts";
// Laws run a thousand cases each, and more when asked to (`npm run test:deep`).
const lawTimeout = process.env["GALLEY_LAW_RUNS"] ? 1_200_000 : 60_000;
const browserIsWanted = !process.argv.includes("--project") || process.argv.includes("browser");

export default defineConfig({
  test: {
    // One more than there are cores, because many tests wait for processes. (Vitest's own choice on two cores is one.)
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Neither the engine nor the host keeps state that one test could leave to another, so that their modules are
      // loaded once for all files of a worker.
      { test: { name: "engine", include: engineTests, testTimeout: lawTimeout, isolate: false } },
      {
        test: {
          name: "host",
          include: hostTests,
          exclude: longTests,
          testTimeout: 30_000,
          isolate: false,
          setupFiles: cleaning,
        },
      },
      {
        // Each in a process of its own, because they count handles, children and listeners.
        test: {
          name: "processes",
          include: longTests,
          testTimeout: 30_000,
          setupFiles: cleaning,
          globalSetup: "packages/host/src/store/postgres.test-setup.ts",
        },
      },
      { test: { name: "studio", include: ["packages/studio/src/**/*.test.ts"], testTimeout: 30_000 } },
      {
        // The real daemon, the built Studio, a real Chromium; each file has its own.
        test: {
          name: "pages",
          include: ["packages/studio/test/**/*.test.ts"],
          globalSetup: "packages/studio/test/build-studio.ts",
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // A machine that does other things as well is slow; what comes in the end is what counts.
          expect: { poll: { timeout: 20_000 } },
        },
      },
      {
        test: {
          name: "repo",
          include: ["lint/**/*.test.ts", "scripts/**/*.test.ts", "bench/*.test.ts"],
          exclude: longTests,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "browser",
          include: engineTests,
          testTimeout: lawTimeout,
          isolate: false,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: browserIsWanted
                ? { executablePath: await chromium.executablePath(), args: chromium.args }
                : {},
            }),
            instances: [{ browser: "chromium" }],
          },
        },
      },
    ],
  },
});

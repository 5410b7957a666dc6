import { mkdtempSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { playwright } from "@vitest/browser-playwright";
import { configDefaults, defineConfig } from "vitest/config";
import { chromiumPath } from "./scripts/chromium-path.ts";
import { LongestFirst } from "./scripts/longest-first.ts";
import { makeTestFolder } from "./scripts/test-folder.ts";

// The engine's suite runs twice, in Node and in a real browser, because the engine promises the same bytes in both.
const engineTests = ["packages/engine/src/**/*.test.ts"];
// It replays long sessions for seconds and counts what is found again; that a replay is the same in both, planted-facts shows.
const nodeOnly = ["packages/engine/src/fit/facts-beside-talk.test.ts"];
const hostTests = ["packages/host/{src,faults}/**/*.test.ts"];
// Those that kill processes, start agents, browsers, daemons or a PostgreSQL, wait for limits, or read real files by the thousand;
// `npm run check` does without them.
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
  .concat("damaged-files", "archive-*", "llm-compactor", "secrets", "through-daemon", "daemon-*")
  .concat("sdk-requests", "file-rights", "agent-authority", "signals", "browsers-command")
  .concat("unsafe-paths", "caller-authority", "store-copies", "agent-contexts", "*-corpus")
  .concat("task-loop", "run-handover", "run-troubles", "folder-lock", "warm-turns")
  .concat("mcp-tools", "mcp-topics", "mcp-sessions", "mcp-example", "agent-handover", "agent-routes", "tool-faces")
  .map((name) => `packages/host/{src,faults}/**/${name}.test.ts`)
  .concat(
    "scripts/written-pages.test.ts",
    "scripts/recipes.test.ts",
    "scripts/pack.test.ts",
    "scripts/start.test.ts",
    "scripts/sdk-examples.test.ts",
    "scripts/examples.test.ts",
    "scripts/command-start.test.ts",
    "scripts/chromium-path.test.ts",
    "scripts/fault-table.test.ts",
    "scripts/plugs.test.ts",
    "scripts/vocabularies.test.ts",
    "lint/layers.test.ts",
  );
// Bundles the command that tests start.
const bundling = "scripts/launcher.test-setup.ts";
const cleaning = "packages/host/testing/after-each-file.setup.ts";
const laws = "packages/engine/src/model/testing/laws-setup.ts";
// A limit is there to end what hangs. A machine that does other things as well is many times slower, or stands still for
// seconds; what comes in the end is what counts. (Vitest's own limits are 5 s for a test, 10 s for a hook, 1 s for a poll.)
const patience = { testTimeout: 240_000, hookTimeout: 240_000, expect: { poll: { timeout: 60_000 } } };
// Laws run three hundred cases each, and more when asked to (`npm run test:deep`).
const lawPatience = process.env["GALLEY_LAW_RUNS"] ? { ...patience, testTimeout: 1_200_000 } : patience;
// How often a browser that answers nothing is asked whether it is still there, in ms; the second time is the last.
process.env["VITEST_BROWSER_HEARTBEAT_INTERVAL"] ??= "60000";
process.env["TMPDIR"] = makeTestFolder(process.env);
// Where the daemons of tests keep which browsers are signed in, and keys: not in folders of the person who runs the tests.
process.env["XDG_STATE_HOME"] = mkdtempSync(join(tmpdir(), "galley-state-"));
process.env["XDG_CONFIG_HOME"] = mkdtempSync(join(tmpdir(), "galley-config-"));
const isWanted = (project: string): boolean => !process.argv.includes("--project") || process.argv.includes(project);

/**
 * Tests that compute instead of waiting. More workers than these would only load everything once more: with four more than
 * cores the engine's tests take half as much processor time again. They run after those that wait, because a run has one
 * number of workers at a time.
 */
const computing = { maxWorkers: availableParallelism() + 1, sequence: { groupOrder: 1 } };

/** These tests only count, beside others that wait: more pages at once would each load everything, and be no faster. */
function onePage(provider: ReturnType<typeof playwright>): ReturnType<typeof playwright> {
  const providerFactory: typeof provider.providerFactory = (project) =>
    Object.assign(provider.providerFactory(project), { supportsParallelism: false });
  return { ...provider, providerFactory };
}

export default defineConfig({
  test: {
    // Three more than there are cores, because most tests wait half of their time: for processes, for pages. (Vitest's own
    // choice on two cores is one.)
    maxWorkers: availableParallelism() + 3,
    teardownTimeout: 120_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Neither the engine nor the host keeps state that one test could leave to another, so that their modules are
      // loaded once for all files of a worker. (Tests that count handles and listeners count them before and after.)
      {
        test: { name: "engine", include: engineTests, isolate: false, setupFiles: laws, ...computing, ...lawPatience },
      },
      {
        test: {
          name: "host",
          include: hostTests,
          exclude: longTests,
          isolate: false,
          setupFiles: [cleaning, laws],
          globalSetup: bundling,
          ...computing,
          ...patience,
        },
      },
      {
        test: {
          name: "processes",
          include: longTests,
          isolate: false,
          setupFiles: [cleaning, laws],
          globalSetup: [bundling, "packages/host/testing/postgres.setup.ts"],
          ...patience,
        },
      },
      {
        test: {
          name: "studio",
          include: ["packages/studio/src/**/*.test.ts"],
          isolate: false,
          setupFiles: laws,
          ...computing,
          ...patience,
        },
      },
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
          isolate: false,
          globalSetup: bundling,
          ...computing,
          ...patience,
        },
      },
      {
        // Found only where it is imported, in the middle of a run, by a cache from before.
        optimizeDeps: { include: ["fflate/browser"] },
        test: {
          name: "browser",
          include: engineTests,
          exclude: [...configDefaults.exclude, ...nodeOnly],
          isolate: false,
          setupFiles: laws,
          ...lawPatience,
          env: { VITEST_BROWSER_IFRAME_TIMEOUT: String(patience.testTimeout) },
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            connectTimeout: patience.hookTimeout,
            provider: onePage(
              playwright({
                // Not the package's own arguments: they put the whole browser into one process, and tests that count for
                // seconds would keep it from everything else.
                launchOptions: isWanted("browser")
                  ? { executablePath: await chromiumPath(), args: ["--no-sandbox"] }
                  : {},
              }),
            ),
            instances: [{ browser: "chromium" }],
          },
        },
      },
    ],
  },
});

import { fileURLToPath } from "node:url";

/** Where `launcher.test-setup.ts` says which command the tests of a run start. */
export const launcherVariable = "GALLEY_TEST_LAUNCHER";

/** The command from the sources, as a checkout runs it. */
export const sourceLauncher = fileURLToPath(new URL("../packages/host/bin/galley.js", import.meta.url));

/** The command that tests start as a process: the bundle, because that is what users get. Outside of a test run the sources. */
export const launcher = process.env[launcherVariable] ?? sourceLauncher;

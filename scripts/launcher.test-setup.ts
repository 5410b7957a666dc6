import { join } from "node:path";
import { bundledWorkspace } from "./bundle.ts";
import { launcherVariable } from "./launcher.ts";
import { toolCache } from "./tool-cache.ts";

/** Runs once before the tests that start the command. */
export async function setup(): Promise<void> {
  // Suites start many processes of the same programs, and compiling took most of each start. Node runs what it finds
  // there: it must not be a folder in which every user of the machine can put something.
  process.env["NODE_COMPILE_CACHE"] ??= toolCache("compile");
  process.env[launcherVariable] = join(await bundledWorkspace(), "node_modules/galley/bin/galley.js");
}

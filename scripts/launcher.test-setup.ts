import { join } from "node:path";
import { bundledWorkspace } from "./bundle.ts";
import { launcherVariable } from "./launcher.ts";

/** Runs once before the tests that start the command. */
export async function setup(): Promise<void> {
  process.env[launcherVariable] = join(await bundledWorkspace(), "node_modules/galley/bin/galley.js");
}

#!/usr/bin/env node
// The way in, in plain JavaScript, so that an older Node gets the bundled one or a clear sentence and never a syntax error.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import module, { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const isRecent = (major === 24 && minor >= 16) || (major === 26 && minor >= 1) || major > 26;

/** The Node that the package `node` brings along, where it is installed. */
function bundledNode() {
  try {
    const file = createRequire(import.meta.url).resolve("node/bin/node");
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

async function start() {
  // Compiling takes more than half of the time until the first word; it is done once for each version.
  module.enableCompileCache();
  // A checkout runs from its sources, a published package from what was compiled of them.
  const source = new URL("../src/cli/main.ts", import.meta.url);
  const entry = existsSync(source) ? source : new URL("../dist/cli/main.js", import.meta.url);
  const { main } = await import(entry.href);
  process.exitCode = await main(process.argv.slice(2));
}

if (isRecent) await start();
else {
  const node = bundledNode();
  if (node) {
    const run = spawnSync(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
    process.exitCode = run.status ?? 1;
  } else {
    process.stderr.write(
      `galley needs Node 24.16 or newer; this is Node ${process.versions.node}.\n` +
        "Install a newer Node, or let npm bring one: npm install node@24\n",
    );
    process.exitCode = 1;
  }
}

#!/usr/bin/env node
// The way in, in plain JavaScript, so that an older Node gets the bundled one or a clear sentence and never a syntax error.
import { existsSync } from "node:fs";
import module, { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { become } from "./run-program.js";

/** The Node that the package `node` brings along, where it is installed. */
function bundledNode() {
  try {
    const file = createRequire(import.meta.url).resolve("node/bin/node");
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

// A checkout runs from its sources, a published package from what was bundled of them (scripts/bundle.ts).
const isCheckout = existsSync(new URL("../src/cli/main.ts", import.meta.url));

/**
 * @param {string} source
 * @param {string} bundled
 */
const load = (source, bundled) =>
  import(new URL(isCheckout ? `../src/${source}` : `../dist/${bundled}`, import.meta.url).href);

/**
 * Compiling takes more than half of the time until the first word; it is done once for each version. Node runs what it
 * finds in the cache and does not look who put it there, so that it must be a folder into which only this user can write.
 */
async function enableCompileCache() {
  // Already on when the user's NODE_COMPILE_CACHE names a folder.
  if (module.getCompileCacheDir() !== undefined) return;
  const { openUserFolder } = await load("disk/user-folder.js", "user-folder.js");
  const opened = openUserFolder("cache", "compile");
  if (opened.folder !== undefined) module.enableCompileCache(opened.folder);
}

async function start() {
  await enableCompileCache();
  const { main } = await load("cli/main.ts", "main.js");
  process.exitCode = await main(process.argv.slice(2));
  // Once everything is written there is nothing to wait for: after a long list Node would first collect its garbage. What
  // could not be written, on a full disk for instance, is told before the end.
  const outputs = [process.stdout, process.stderr];
  if (outputs.every(({ writableLength, errored }) => writableLength === 0 && errored === null)) process.exit();
}

const { isNeededNode, neededHint, neededNode, runtimeName } = await load(
  "disk/runtime/needed-node.js",
  "needed-node.js",
);
if (isNeededNode) await start();
else {
  const node = bundledNode();
  if (node) {
    await become(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
  } else {
    process.stderr.write(`${neededNode}; this is ${runtimeName}.\n${neededHint}\n`);
    process.exitCode = 1;
  }
}

// Runs before `npm start`, `npm test` and the like, in plain JavaScript because the machine's own Node may be old:
// installs what the lockfile names if it is not there yet. The install brings the Node that everything else runs on.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { endAs, runProgram } from "../packages/host/bin/run-program.js";
import { nodeProblem } from "./node-binary.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** @param {string} file */
function readPackages(file) {
  return JSON.parse(readFileSync(root + file, "utf8")).packages;
}

/** True when every package that the lockfile requires is installed in the version it names. */
function isInstalled() {
  if (!existsSync(`${root}node_modules/.package-lock.json`)) return false;
  if (!existsSync(`${root}node_modules/.bin/node`)) return false;
  const wanted = readPackages("package-lock.json");
  const present = readPackages("node_modules/.package-lock.json");
  return Object.keys(wanted).every((path) => {
    const { version, link, optional } = wanted[path];
    return path === "" || link || optional || !path.includes("node_modules/") || present[path]?.version === version;
  });
}

if (!isInstalled()) {
  process.stderr.write("Installing dependencies (about a minute, once) …\n");
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
  const shell = process.platform === "win32";
  const end = await runProgram("npm", args, { cwd: root, stdio: ["ignore", 2, 2], shell });
  if (end.signal !== null) endAs(end);
  if (end.code !== 0) {
    process.stderr.write("The install failed (see above). Is the npm registry reachable? Then try: npm ci\n");
    process.exit(end.code || 1);
  }
  if (!existsSync(`${root}node_modules/.bin/node`)) {
    process.stderr.write("npm left out the bundled Node. Install scripts must be allowed for the package `node`.\n");
    process.exit(1);
  }
}

// Before anything runs on it.
const problem = nodeProblem();
if (problem !== undefined) {
  process.stderr.write(`The Node in node_modules is not the one that this project is tested with. ${problem}\n`);
  process.exit(1);
}

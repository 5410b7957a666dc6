import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const peers = fileURLToPath(new URL(".", import.meta.url));

/** Installs what a folder's lockfile names into its own node_modules, once: nobody has to have it to use or test Galley. */
export function installPeers(folder = peers, what = "the peers that the benchmarks measure against"): void {
  if (isInstalled(folder)) return;
  process.stderr.write(`Installing ${what} (once) …\n`);
  const args = ["ci", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error"];
  const run = spawnSync("npm", args, { cwd: folder, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  if (run.status === 0) return;
  process.stderr.write(
    `The install failed (see above). Is the npm registry reachable? Then try: npm ci in ${folder}\n`,
  );
  process.exit(run.status ?? 1);
}

function isInstalled(folder: string): boolean {
  const installed = `${folder}node_modules/.package-lock.json`;
  if (!existsSync(installed)) return false;
  const wanted = packagesOf(`${folder}package-lock.json`);
  const present = packagesOf(installed);
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === "" || optional || present[path]?.version === version,
  );
}

interface LockedPackage {
  readonly version: string;
  readonly optional?: boolean;
}

function packagesOf(file: string): Record<string, LockedPackage> {
  return (JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, LockedPackage> }).packages;
}

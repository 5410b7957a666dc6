// `npm run pack`: bundles the packages and writes what would be published to dist/npm, as tarballs.
import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildStudio } from "./build-studio.ts";
import { bundlePackage, packages } from "./bundle.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "dist", "npm");

await buildStudio();
rmSync(target, { recursive: true, force: true });
for (const parts of packages) {
  const staged = join(target, parts.folder);
  await bundlePackage(parts, staged);
  const project = join(root, "packages", parts.folder, "tsconfig.build.json");
  run("tsc", ["-p", project, "--outDir", join(staged, "dist/types")]);
  for (const name of ["LICENSE", "README.md"]) cpSync(join(root, name), join(staged, name));
  if (parts.folder === "host") cpSync(join(root, "packages/studio/dist"), join(staged, "studio"), { recursive: true });
  run("npm", ["pack", "--loglevel=error", "--pack-destination", target], staged);
}

function run(command: string, args: readonly string[], cwd = root): void {
  const { status } = spawnSync(command, args, {
    cwd,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed.`);
}

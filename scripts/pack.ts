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
for (const { folder } of packages) rmSync(join(root, "packages", folder, "dist"), { recursive: true, force: true });
for (const parts of packages) {
  const staged = join(target, parts.folder);
  await bundlePackage(parts, staged);
  const source = join(root, "packages", parts.folder);
  run("tsc", ["-p", join(source, "tsconfig.build.json")]);
  cpSync(join(source, "dist"), join(staged, "dist/types"), { recursive: true });
  for (const name of ["LICENSE", "README.md"]) cpSync(join(root, name), join(staged, name));
  if (parts.folder === "host") cpSync(join(root, "packages/studio/dist"), join(staged, "studio"), { recursive: true });
  run("npm", ["pack", "--loglevel=error", "--pack-destination", target], staged);
}
// In a checkout the sources run; what was compiled of them would only be stale there.
for (const { folder } of packages) rmSync(join(root, "packages", folder, "dist"), { recursive: true, force: true });

function run(command: string, args: readonly string[], cwd = root): void {
  const { status } = spawnSync(command, args, {
    cwd,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed.`);
}

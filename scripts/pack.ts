// `npm run pack`: bundles the packages and writes what would be published to dist/npm, as tarballs.
import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildStudio } from "./build-studio.ts";
import { dropInnerTypes } from "./published-files.ts";
import { bundledWorkspace, packages, placeOf } from "./bundle.ts";
import { declarations } from "./declarations.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "dist", "npm");

await buildStudio();
rmSync(target, { recursive: true, force: true });
const workspace = await bundledWorkspace();
const types = await declarations();
for (const parts of packages) {
  const staged = join(target, parts.folder);
  // In a checkout Studio is a link to where it is built.
  cpSync(placeOf(parts, workspace), staged, { recursive: true, filter: (source) => basename(source) !== "studio" });
  cpSync(join(types, parts.folder), join(staged, "dist/types"), { recursive: true });
  dropInnerTypes(staged);
  cpSync(join(root, "LICENSE"), join(staged, "LICENSE"));
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

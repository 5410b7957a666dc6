// `npm run pack`: compiles the packages and writes what would be published to dist/npm, as tarballs.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildStudio } from "./build-studio.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "dist", "npm");

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
}

/** What goes into a package beside the compiled code, and where from. */
const packages = [
  { folder: "engine", files: ["schemas"], extra: {} },
  { folder: "host", files: ["bin", "prompts", "api-page"], extra: { studio: "packages/studio/dist" } },
] as const;

await buildStudio();
rmSync(target, { recursive: true, force: true });
for (const { folder, files, extra } of packages) {
  const source = join(root, "packages", folder);
  rmSync(join(source, "dist"), { recursive: true, force: true });
  run("tsc", ["-p", join(source, "tsconfig.build.json")]);
  const staged = join(target, folder);
  mkdirSync(staged, { recursive: true });
  for (const name of ["dist", ...files]) cpSync(join(source, name), join(staged, name), { recursive: true });
  for (const name of ["LICENSE", "README.md"]) cpSync(join(root, name), join(staged, name));
  for (const [name, from] of Object.entries(extra)) {
    cpSync(join(root, from), join(staged, name), { recursive: true });
  }
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as Manifest;
  writeFileSync(join(staged, "package.json"), `${JSON.stringify(publishable(manifest), null, 2)}\n`);
  // In a checkout the sources run; what was compiled would only be stale there.
  run("npm", ["pack", "--loglevel=error", "--pack-destination", target], staged);
}
for (const { folder } of packages) rmSync(join(root, "packages", folder, "dist"), { recursive: true, force: true });

/** The sources' entries become those of the compiled code; what only tests import is not published. */
function publishable(manifest: Manifest): object {
  const entries = Object.entries(manifest.exports).filter(([name]) => name !== "./testing");
  const exports = Object.fromEntries(
    entries.map(([name, path]) => {
      if (!path.endsWith(".ts")) return [name, path];
      const compiled = path.replace("./src/", "./dist/").replace(/\.ts$/, "");
      return [name, { types: `${compiled}.d.ts`, default: `${compiled}.js` }];
    }),
  );
  return { ...manifest, exports: { ...exports, "./package.json": "./package.json" } };
}

function run(command: string, args: readonly string[], cwd = root): void {
  const { status } = spawnSync(command, args, {
    cwd,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed.`);
}

import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, build } from "vite";
import { toolCache } from "./tool-cache.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
}

interface PackageParts {
  readonly folder: "engine" | "host";
  /** What goes into the package beside the code. */
  readonly files: readonly string[];
  /** What is started without being exported, by the name of its file. */
  readonly programs: Readonly<Record<string, string>>;
  /**
   * What is bundled with the code: many small files that every start would have to find and read, and of which we use a
   * part. They stay dependencies, for their types and their licences.
   */
  readonly inlined: readonly string[];
}

export const packages: readonly PackageParts[] = [
  { folder: "engine", files: ["schemas"], programs: {}, inlined: ["zod", "@noble/hashes"] },
  {
    folder: "host",
    files: ["bin", "prompts", "api-page"],
    programs: { main: "./src/cli/main.ts", "user-folder": "./src/disk/user-folder.js" },
    inlined: ["zod", "commander", "kysely", "hono", "@hono/node-server"],
  },
];

/** Writes the package as it is published into `target`: without types, and without Studio. */
export async function bundlePackage({ folder, files, programs, inlined }: PackageParts, target: string): Promise<void> {
  const source = join(root, "packages", folder);
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as Manifest;
  const entries = Object.entries(publishedEntries(manifest)).map(([name, file]) => [entryName(name), file]);
  mkdirSync(target, { recursive: true });
  for (const name of files) cpSync(join(source, name), join(target, name), { recursive: true });
  writeFileSync(join(target, "package.json"), `${JSON.stringify(publishable(manifest), null, 2)}\n`);
  await build({
    root: source,
    configFile: false,
    logLevel: "warn",
    plugins: [filesStayWhereTheyWere(join(source, "src"))],
    ssr: { target: "node", noExternal: [...inlined] },
    build: {
      ssr: true,
      target: "node24",
      minify: false,
      outDir: join(target, "dist"),
      emptyOutDir: true,
      rolldownOptions: {
        external: [/^@galley\/engine/],
        input: Object.fromEntries(
          [...entries, ...Object.entries(programs)].map(([name, file]) => [name, join(source, file ?? "")]),
        ),
        // All in one folder: `filesStayWhereTheyWere` counts on it.
        output: { format: "es", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
      },
    },
  });
}

/** A module that reads files of its package finds them from where it was written, not from the chunk that it is in. */
function filesStayWhereTheyWere(sources: string): Plugin {
  return {
    name: "files-stay-where-they-were",
    enforce: "pre",
    transform(code, id) {
      if (!id.startsWith(sources) || !code.includes("import.meta.url")) return undefined;
      const place = JSON.stringify(`./${relative(sources, id).replaceAll("\\", "/")}`);
      return { code: code.replaceAll("import.meta.url", `new URL(${place}, import.meta.url).href`), map: null };
    },
  };
}

/** What only tests import is not published. */
function publishedEntries({ exports }: Manifest): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(exports).filter(([name, file]) => name !== "./testing" && file.endsWith(".ts")),
  );
}

function entryName(name: string): string {
  return name === "." ? "index" : basename(name);
}

/** The sources' entries become those of the bundle. */
function publishable(manifest: Manifest): object {
  const entries = Object.entries(publishedEntries(manifest)).map(([name, file]) => {
    const types = file.replace("./src/", "./dist/types/").replace(/\.ts$/, ".d.ts");
    return [name, { types, default: `./dist/${entryName(name)}.js` }];
  });
  const data = Object.entries(manifest.exports).filter(([, file]) => !file.endsWith(".ts"));
  return {
    ...manifest,
    exports: { ...Object.fromEntries(entries), ...Object.fromEntries(data), "./package.json": "./package.json" },
  };
}

/** A folder of which no process has asked for this long, in ms, is deleted. */
const keptFor = 24 * 60 * 60 * 1000;

/**
 * The packages as somebody has them who installed them, made once for each state of the sources: gives the folder in whose
 * `node_modules` they are. What they depend on they find further up, in the workspace's own `node_modules`.
 */
export async function bundledWorkspace(): Promise<string> {
  const cache = toolCache("bundle");
  const folder = join(cache, sourceKey());
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    // Under a name of its own until it is whole: another run may be making the same.
    const draft = `${folder}.${process.pid}`;
    for (const parts of packages) {
      const name = parts.folder === "engine" ? "@galley/engine" : "galley";
      await bundlePackage(parts, join(draft, "node_modules", name));
    }
    symlinkSync(join(root, "packages/studio/dist"), join(draft, "node_modules/galley/studio"), "junction");
    try {
      renameSync(draft, folder);
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  }
  utimesSync(folder, new Date(), new Date());
  for (const name of readdirSync(cache)) {
    const other = join(cache, name);
    if (Date.now() - statSync(other).mtimeMs > keptFor) rmSync(other, { recursive: true, force: true });
  }
  return folder;
}

function sourceKey(): string {
  const patterns = [
    "packages/{engine,host}/{src,bin,prompts,api-page,schemas}/**/*.*",
    "packages/{engine,host}/*.json",
  ];
  const files = globSync([...patterns, "package-lock.json", "scripts/bundle.ts"], { cwd: root });
  const hash = createHash("sha256");
  for (const file of files.filter((name) => !/\.(?:test|suite|test-setup)\.ts$|\/testing\//.test(name)).toSorted()) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}

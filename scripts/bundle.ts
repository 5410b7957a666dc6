import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type MinifyOptions, type Plugin, build, minify } from "vite";
import { enginePartInputs, engineParts, importsOfEngineParts } from "./engine-parts.ts";
import { bundledLicences } from "./bundled-licences.ts";
import { addressFields, publicAddress, publishedReadme } from "./package-address.ts";
import { madeOnce } from "./tool-cache.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Manifest {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
}

export interface PackageParts {
  readonly folder: "engine" | "host";
  /** What goes into the package beside the code. */
  readonly files: readonly string[];
  /** What is started without being exported, by the name of its file. */
  readonly programs: Readonly<Record<string, string>>;
  /**
   * Dependencies that are bundled all the same: many small files that every start would have to find and read. They stay
   * dependencies because public types name them. What is not a dependency of the published package is always bundled.
   */
  readonly inlined: readonly string[];
  /** What is needed together, as one file: finding each of many takes longer than reading a little too much. */
  readonly joined: readonly { readonly name: string; readonly test: RegExp }[];
}

/** Other people's code and data have no maps: they would be larger than all of ours. */
const notOurs = /\/node_modules\/|\/tokens\/vocabularies\//;

export const packages: readonly PackageParts[] = [
  {
    folder: "engine",
    files: ["schemas", "NOTICE"],
    programs: {},
    inlined: ["zod"],
    joined: [
      { name: "zod", test: /node_modules\/zod\// },
      // The flags of most commands are made of preset-context.
      { name: "model", test: /engine\/src\/(?:model\/|compose\/preset\/preset-context\.)|@noble\/hashes/ },
      // What chats on disk need of it.
      { name: "history", test: /engine\/src\/fit\/(?:log|compactor)\// },
      // What is loaded later, or by sub-paths only, has files of its own.
      {
        name: "fit",
        test: /engine\/src\/(?:tokens\/(?!vocabularies\/|catalogue\/model-data)|compose\/(?!preset\/preset-context-schema)|fit\/)/,
      },
      {
        name: "wire",
        test: /engine\/src\/(?:wire\/|proof\/(?:digest|build-record|diff|replay)\.|plugs\/(?:fit|fit-options|fit-memory|same-data|read-list|write-list)\.)/,
      },
      // Logs need what reads fields, and nothing that unpacks.
      { name: "fields", test: /engine\/src\/exchange\/files\/(?:json-fields|counted|unread-files|import-report)\./ },
      { name: "files", test: /engine\/src\/exchange\/files\// },
      { name: "tavern", test: /engine\/src\/exchange\/sillytavern\// },
    ],
  },
  {
    folder: "host",
    files: ["bin", "prompts", "api-page"],
    programs: {
      main: "./src/cli/main.ts",
      "needed-node": "./src/disk/runtime/needed-node.js",
      "user-folder": "./src/disk/user-folder.js",
    },
    inlined: ["commander"],
    joined: [
      { name: "disk", test: /host\/src\/(?:disk\/(?!runtime\/(?:needed|refuse)|user-folder|decode-text)|limits\/)/ },
      { name: "chat", test: /host\/src\/(?:chat|search)\// },
      { name: "tools", test: /host\/src\/tools\// },
    ],
  },
];

/** Writes the package as it is published into `target`: without types, and without Studio. */
async function bundlePackage(
  { folder, files, programs, inlined, joined }: PackageParts,
  target: string,
): Promise<void> {
  const source = join(root, "packages", folder);
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as Manifest;
  const installed = Object.keys(manifest.dependencies).filter((name) => !inlined.includes(name));
  const entries = Object.entries(publishedEntries(manifest)).map(([name, file]) => [entryName(name), file]);
  mkdirSync(target, { recursive: true });
  for (const name of files) cpSync(join(source, name), join(target, name), { recursive: true });
  const address = publicAddress(JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as object);
  const published = { ...publishable(manifest), ...addressFields(address, folder) };
  writeFileSync(join(target, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
  const readme = readFileSync(join(source, "README.md"), "utf8");
  writeFileSync(join(target, "README.md"), publishedReadme(readme, address, folder));
  await build({
    root: source,
    configFile: false,
    logLevel: "warn",
    plugins: [filesStayWhereTheyWere(join(source, "src")), bundledLicences(target), ...pluginsOf(folder, manifest)],
    ssr: { target: "node", noExternal: true },
    build: {
      ssr: true,
      target: folder === "engine" ? "node20" : "node24",
      minify: false,
      sourcemap: true,
      outDir: join(target, "dist"),
      emptyOutDir: true,
      rolldownOptions: {
        external: [/^node:/, /^@galley\/engine/, ...installed.map(outside)],
        input: {
          ...Object.fromEntries(
            [...entries, ...Object.entries(programs)].map(([name, file]) => [name, join(source, file ?? "")]),
          ),
          ...(folder === "engine" && enginePartInputs(Object.values(publishedEntries(manifest)))),
        },
        // All in one folder: `filesStayWhereTheyWere` counts on it.
        output: {
          format: "es",
          entryFileNames: "[name].js",
          chunkFileNames: "[name]-[hash].js",
          // Those that explain are in the types and in the sources that the maps hold: each import would read them.
          comments: { annotation: true, jsdoc: false, legal: true },
          codeSplitting: { includeDependenciesRecursively: false, groups: [...joined] },
        },
      },
    },
  });
  dropMaps(join(target, "dist"));
  if (folder === "engine") await shorten(join(target, "dist"));
}

/** What is found in the user's `node_modules`. Where zod comes from, `importsOfEngineParts` says. */
function outside(name: string): RegExp {
  return new RegExp(name === "zod" ? "^zod/" : `^${name}(?:/|$)`);
}

function dropMaps(folder: string): void {
  for (const name of globSync("*.js.map", { cwd: folder })) {
    const map = join(folder, name);
    const { sources } = JSON.parse(readFileSync(map, "utf8")) as { readonly sources: readonly string[] };
    if (!sources.every((source) => notOurs.test(resolve(folder, source)))) continue;
    const file = map.replace(/\.map$/, "");
    rmSync(map);
    writeFileSync(file, readFileSync(file, "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n"));
  }
}

/**
 * The engine has no cache of compiled code, so an import costs what there is to read. Names of our functions stay, so that a
 * stack says where it is; a vocabulary stays as it is, because minifying makes a template of it, which takes longer to read.
 */
async function shorten(folder: string): Promise<void> {
  for (const name of globSync("*.js", { cwd: folder, exclude: ["*_base-*"] })) {
    const [file, mapFile] = [join(folder, name), join(folder, `${name}.map`)];
    const inputMap = existsSync(mapFile)
      ? (JSON.parse(readFileSync(mapFile, "utf8")) as MinifyOptions["inputMap"])
      : undefined;
    const keepNames = { function: inputMap !== undefined, class: inputMap !== undefined };
    const { code, map } = await minify(name, readFileSync(file, "utf8"), {
      module: true,
      compress: { keepNames },
      mangle: { keepNames, toplevel: true },
      ...(inputMap && { inputMap, sourcemap: true }),
    });
    writeFileSync(file, inputMap ? `${code}\n//# sourceMappingURL=${name}.map\n` : code);
    if (inputMap) writeFileSync(mapFile, JSON.stringify(map));
  }
}

function pluginsOf(folder: PackageParts["folder"], manifest: Manifest): readonly Plugin[] {
  if (folder === "host") return [importsOfEngineParts()];
  return [engineParts(Object.values(publishedEntries(manifest)))];
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
  // Not for programs: what the bundled host asks for (engine-parts.ts).
  const parts = manifest.name === "@galley/engine" && { "./part/*": "./dist/part-*.js" };
  return {
    ...manifest,
    exports: {
      ...Object.fromEntries(entries),
      ...Object.fromEntries(data),
      ...parts,
      "./package.json": "./package.json",
    },
  };
}

/**
 * The packages as somebody has them who installed them, made once for each state of the sources: gives the folder in whose
 * `node_modules` they are. What they depend on they find further up, in the workspace's own `node_modules`.
 */
export async function bundledWorkspace(): Promise<string> {
  return madeOnce("bundle", sourceKey(), async (draft) => {
    for (const parts of packages) await bundlePackage(parts, placeOf(parts, draft));
    symlinkSync(join(root, "packages/studio/dist"), join(draft, "node_modules/galley/studio"), "junction");
  });
}

/** Where a package is in the folder of `bundledWorkspace`. */
export function placeOf({ folder }: PackageParts, workspace: string): string {
  return join(workspace, "node_modules", folder === "engine" ? "@galley/engine" : "galley");
}

/** Names the state of the sources that go into the packages. */
export function sourceKey(): string {
  const patterns = [
    "packages/{engine,host}/{src,bin,prompts,api-page,schemas}/**/*.*",
    "packages/{engine,host}/{*.json,README.md,NOTICE}",
  ];
  const makers = ["bundle", "bundled-licences", "declarations", "engine-parts", "package-address"].map(
    (name) => `scripts/${name}.ts`,
  );
  const files = globSync([...patterns, "package.json", "package-lock.json", "tsconfig.base.json", ...makers], {
    cwd: root,
  });
  // A checkout that was copied with its cache must not show the Studio of the one that it was copied from.
  const hash = createHash("sha256").update(root);
  for (const file of files.filter((name) => !/\.(?:test|suite|test-setup)\.ts$|\/testing\//.test(name)).toSorted()) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}

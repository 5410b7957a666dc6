import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Files that a package's entries lead to, and the names of the packages that they import. */
export interface Reached {
  readonly files: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}

/** All that the entries of a published package import, as code (`default`) or as types. */
export function reachedFiles(place: string, condition: "default" | "types", more: readonly string[] = []): Reached {
  const manifest = JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
  const entries = Object.values(manifest.exports).flatMap((entry) => entry[condition] ?? []);
  const [files, packages] = [new Set<string>(), new Set<string>()];
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const name of importsOf(readFileSync(file, "utf8"))) {
      if (name.startsWith(".")) visit(fileOf(resolve(dirname(file), name), condition));
      else if (!name.startsWith("node:")) packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
    }
  };
  for (const entry of [...entries, ...more]) visit(resolve(place, entry));
  return { files, packages };
}

function importsOf(text: string): readonly string[] {
  // Statements, and `import(…)` of types and of code; comments hold examples.
  const code = text.replaceAll(/^\s*(?:\/\*\*?|\*|\/\/).*$/gm, "");
  const found = code.matchAll(
    /(?:^|[;}\s])(?:import|export)\b[^"'`;]*?from ?["']([^"']+)["']|\bimport\(["'`]([^"'`]+)["'`]\)|(?:^|;)import ?"([^"]+)"/gm,
  );
  return [...found].map(([, statement, call, bare]) => statement ?? call ?? bare ?? "");
}

function fileOf(path: string, condition: "default" | "types"): string {
  return condition === "default" ? path : path.replace(/(?:\.[jt]s)?$/, ".d.ts");
}

/** Deletes the types that no entry leads to: nobody can name them, and some name packages that are not installed. */
export function dropInnerTypes(place: string): void {
  const { files } = reachedFiles(place, "types");
  for (const name of globSync("dist/types/**/*.d.ts*", { cwd: place })) {
    const file = join(place, name);
    if (!files.has(file.replace(/\.map$/, "")) && existsSync(file)) rmSync(file);
  }
}

import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import * as zod from "zod";

// The entry of the engine loads all of it, which is most of what a small command would load. So the bundled host imports
// each name from the part of the engine that has it: a folder of the engine's sources, as one more entry of its bundle.
// zod is a part too, so that both packages use one.

const engine = fileURLToPath(new URL("../packages/engine/src/", import.meta.url));
const host = fileURLToPath(new URL("../packages/host/src/", import.meta.url));
const marker = "engine-part:";
const zodPart = "zod";

/** The names that an entry of the engine exports, each with its file below `src`. Types are nobody's at run time. */
function namesOf(entry: string): ReadonlyMap<string, string> {
  const text = readFileSync(join(engine, entry), "utf8");
  const found = [...text.matchAll(/^export \{([^}]*)\} from "\.\/([^"]+)";/gm)].flatMap(([, names = "", file = ""]) =>
    valuesOf(names).map((name) => [name, file] as const),
  );
  return new Map(found);
}

/** Of `A, type B, C as D` what is there at run time. */
function valuesOf(names: string): readonly string[] {
  return names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "));
}

// What every command's flags are made of must not bring along all that there is of presets.
const partOf = (file: string): string =>
  /\/preset-context/.test(file) ? "preset-context" : dirname(file).replaceAll("/", "-");

/** The parts by the names of their files, with the modules that are in them. */
export function enginePartInputs(entries: readonly string[]): Readonly<Record<string, string>> {
  const files = entries.flatMap((entry) => [...namesOf(basename(entry)).values()]);
  const parts = new Set([zodPart, ...files.map(partOf)]);
  return Object.fromEntries([...parts].map((part) => [`part-${part}`, marker + part]));
}

/** For the bundle of the engine: what is in each part. */
export function engineParts(entries: readonly string[]): Plugin {
  return {
    name: "engine-parts",
    enforce: "pre",
    resolveId: (id) => (id.startsWith(marker) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${marker}`)) return undefined;
      const part = id.slice(marker.length + 1);
      if (part === zodPart) return `export { ${zodNames().join(", ")} } from "zod";`;
      const all = new Map(entries.flatMap((entry) => [...namesOf(basename(entry))]));
      const own = [...all].filter(([, file]) => partOf(file) === part);
      return own.map(([name, file]) => `export { ${name} } from ${JSON.stringify(engine + file)};`).join("\n");
    },
  };
}

/** What the host takes of zod, as `z.name`; the rest of it need not be loaded. */
function zodNames(): readonly string[] {
  const text = globSync("**/*.ts", { cwd: host, exclude: ["**/*.test.ts"] })
    .map((file) => readFileSync(join(host, file), "utf8"))
    .join("\n");
  // Of `z.core` only types are taken.
  if (/\bz\.core\.[a-z]/.test(text)) throw new Error("A value of z.core brings all of zod into every start.");
  const found = new Set([...text.matchAll(/\bz\.(?!core\b)(\w+)/g)].map(([, name = ""]) => name));
  return Object.keys(zod).filter((name) => found.has(name));
}

/** For the bundle of the host: asks the parts instead of the entries. */
export function importsOfEngineParts(): Plugin {
  return {
    name: "imports-of-engine-parts",
    enforce: "pre",
    resolveId: (id) => (id === "zod" ? { id: `@galley/engine/part/${zodPart}`, external: true } : undefined),
    transform(code) {
      if (!code.includes('"@galley/engine')) return undefined;
      const statement = /^(import|export) \{([^}]*)\} from "@galley\/engine(?:\/(\w+))?";$/gm;
      const changed = code.replace(statement, (_, keyword: string, names: string, entry = "index") => {
        const files = namesOf(`${entry as string}.ts`);
        const parts = Map.groupBy(valuesOf(names), (name) => partOf(files.get(name.split(" as ")[0] ?? "") ?? ""));
        const lines = [...parts].map(
          ([part, own]) => `${keyword} { ${own.join(", ")} } from "@galley/engine/part/${part}";`,
        );
        return lines.join(" ");
      });
      return { code: changed, map: null };
    },
  };
}

import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

/** For a bundle: writes the licences of all code of other people that went into it to `LICENSES.txt` of the package. */
export function bundledLicences(target: string): Plugin {
  return {
    name: "bundled-licences",
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).flatMap((each) => (each.type === "chunk" ? [each] : []));
      const places = new Set(chunks.flatMap(({ moduleIds }) => moduleIds.flatMap((id) => packageOf(id) ?? [])));
      const texts = [...places].map(licenceOf).toSorted();
      const head = "Code of these packages is part of the files in dist/. Their licences:";
      writeFileSync(join(target, "LICENSES.txt"), `${[head, ...new Set(texts)].join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
    },
  };
}

/** The folder of the package that a module belongs to, if it is not ours. */
function packageOf(id: string): string | undefined {
  if (!id.includes("/node_modules/")) return undefined;
  let folder = dirname(id.replace(/^\0/, "").replace(/\?.*$/, ""));
  // Some packages have further manifests, without a name, in folders of theirs.
  while (!isPackage(folder)) folder = dirname(folder);
  return folder;
}

function isPackage(folder: string): boolean {
  const file = join(folder, "package.json");
  return existsSync(file) && "version" in (JSON.parse(readFileSync(file, "utf8")) as object);
}

function licenceOf(folder: string): string {
  const manifest = readFileSync(join(folder, "package.json"), "utf8");
  const { name, version, license } = JSON.parse(manifest) as Readonly<Record<string, string>>;
  const [file] = globSync("{LICENSE,LICENCE,License,license}{,.md,.txt}", { cwd: folder });
  const text = file === undefined ? "" : `\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
  return `${name} ${version} (${license})${text}`;
}

import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync } from "oxc-parser";

/** Groups of source files that import each other in a circle, types included, each sorted by name. */
export function importCycles(root: string, pattern: string): readonly (readonly string[])[] {
  const files = globSync(pattern, { cwd: root }).map((file) => file.replaceAll("\\", "/"));
  const imports = new Map(files.map((file) => [file, importsOf(root, file)]));
  const reach = new Map(files.map((file) => [file, reachable(imports, file)]));
  const groups = new Map<string, readonly string[]>();
  for (const file of files.toSorted()) {
    if (reach.get(file)?.has(file) !== true) continue;
    const group = files.filter((other) => reach.get(file)?.has(other) && reach.get(other)?.has(file)).toSorted();
    groups.set(group.join(), group);
  }
  return Array.from(groups.values());
}

function importsOf(root: string, file: string): readonly string[] {
  const { module } = parseSync(file, readFileSync(join(root, file), "utf8"));
  const named = module.staticImports.map(({ moduleRequest }) => moduleRequest.value);
  const passedOn = module.staticExports.flatMap(({ entries }) =>
    entries.map(({ moduleRequest }) => moduleRequest?.value),
  );
  return [...named, ...passedOn].flatMap((specifier) =>
    specifier?.startsWith(".") ? [posix.join(posix.dirname(file), specifier)] : [],
  );
}

function reachable(imports: ReadonlyMap<string, readonly string[]>, from: string): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...(imports.get(from) ?? [])];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    open.push(...(imports.get(file) ?? []));
  }
  return found;
}

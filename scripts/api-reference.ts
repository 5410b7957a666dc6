import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { errorCatalogue } from "../packages/engine/src/model/errors.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

const head = `# The names that packages export

Written by \`npm run docs\` from the types: what stands here is what the compiler knows. Types that only appear in the shape of another one are not repeated; an editor shows them.

Begin with [\`openGalley\`](#opengalley), or in the engine with [\`ContextManager\`](#contextmanager), [\`composePreset\`](#composepreset) and [\`exportFor\`](#exportfor). Everything that goes wrong is a [\`GalleyError\`](#galleyerror); its codes are [at the end](#codes-of-errors).
`;

const entries = [
  {
    name: "galley",
    folder: "host",
    file: "index.d.ts",
    about: "The whole: `openGalley`, stores, chats, agents, handover.",
  },
  {
    name: "@galley/engine",
    folder: "engine",
    file: "index.d.ts",
    about: "The engine alone: pure, for Node and browsers.",
  },
] as const;

/** What the engine has behind its root, by sub-path. */
const subPaths = {
  messages: "Messages and the parts that they are made of.",
  models: "What is known about models: windows, prices, how each counts, and what providers have reported.",
  proof: "Records of builds, compared, built again, and what their tokens went to.",
  schemas:
    "The checks of everything that comes from outside, as zod schemas; the same as JSON Schema lies in `schemas/`.",
  sillytavern: "SillyTavern's files, read and written.",
  tokens: "Counting alone, quick to load.",
  wire: "Requests of each provider: made, checked, and their types.",
} as const;

interface Declaration {
  readonly name: string;
  readonly text: string;
  /** Where it is written, seen from the package's src folder. */
  readonly source: string;
}

/** docs/api.md: every exported name with its doc line and its type. */
export function apiReference(): string {
  try {
    for (const folder of ["engine", "host"]) compile(folder);
    const sections = entries.map(({ name, folder, file, about }) => {
      const dist = join(root, "packages", folder, "dist");
      const found = declarationsOf(join(dist, file), dist);
      const bare = folder === "engine" ? found.filter(({ text }) => !text.startsWith("/**")) : [];
      if (bare.length > 0) throw new Error(`Without a doc line: ${bare.map((each) => each.name).join(", ")}.`);
      const byFolder = Map.groupBy(found, ({ source }) => dirname(source));
      const parts = [...byFolder].map(([part, declarations]) => {
        const texts = declarations.map(({ name, text }) => `#### ${name}\n\n\`\`\`ts\n${text}\n\`\`\`\n`);
        const title = part === "." ? name : `${name}: ${part}`;
        return `### ${title}\n\n${texts.join("\n")}`;
      });
      return `## ${name}\n\n${about}\n\n${parts.join("\n")}`;
    });
    return `${head}\n${sections.join("\n")}\n${besideRoot()}\n${codesOfErrors()}`;
  } finally {
    for (const folder of ["engine", "host"])
      rmSync(join(root, "packages", folder, "dist"), { recursive: true, force: true });
  }
}

/** The names of each sub-path; an editor shows their types. */
function besideRoot(): string {
  const dist = join(root, "packages/engine/dist");
  const lists = Object.entries(subPaths).map(([path, about]) => {
    const names = declarationsOf(join(dist, `${path}.d.ts`), dist).map(({ name }) => `\`${name}\``);
    return `### @galley/engine/${path}\n\n${about}\n\n${names.toSorted().join(", ")}\n`;
  });
  return `## Sub-paths of @galley/engine\n\n${lists.join("\n")}`;
}

/** A constant that is too long for the page of types, and that a program's reader looks up. */
function codesOfErrors(): string {
  const rows = Object.entries(errorCatalogue).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return `## Codes of errors\n\n| code | what it means |\n|---|---|\n${rows.join("\n")}\n`;
}

function compile(folder: string): void {
  const config = join(root, "packages", folder, "tsconfig.build.json");
  const { status, stdout } = spawnSync("tsc", ["-p", config], { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`tsc -p ${config} failed:\n${stdout}`);
}

/** What a file exports, its re-exports followed to where they are declared. */
function declarationsOf(file: string, dist: string): readonly Declaration[] {
  const text = readFileSync(file, "utf8");
  return parseSync(file, text).program.body.flatMap((node) => {
    if (node.type !== "ExportNamedDeclaration") return [];
    if (!node.source) {
      const name = nameOf(node.declaration);
      return name === undefined
        ? []
        : [{ name, text: withComment(text, node.start, node.end), source: relative(dist, file) }];
    }
    const target = join(dirname(file), node.source.value.replace(/\.(?:d\.)?[jt]s$/, ".d.ts"));
    if (!existsSync(target)) throw new Error(`${file} exports from ${node.source.value}, which is not there.`);
    const wanted = new Set(node.specifiers.map(({ local }) => ("name" in local ? local.name : local.value)));
    return declarationsOf(target, dist).filter(({ name }) => wanted.has(name));
  });
}

function nameOf(declaration: object | null): string | undefined {
  if (!declaration) return undefined;
  if ("id" in declaration) return (declaration.id as { readonly name?: string } | null)?.name;
  if ("declarations" in declaration) {
    return (declaration.declarations as readonly { readonly id: { readonly name?: string } }[])[0]?.id.name;
  }
  return undefined;
}

/** A schema's type repeats the type that it checks, at ten times the length. */
const maxConstantLength = 12;

/** The declaration with the comment right before it, as a reader of the source sees it. */
function withComment(text: string, start: number, end: number): string {
  const comment = /\/\*\*(?:[^*]|\*(?!\/))*\*\/\s*$/.exec(text.slice(0, start))?.[0] ?? "";
  const lines = text
    .slice(start, end)
    .replaceAll(/^export (?:declare )?/gm, "")
    .replaceAll(/^ +/gm, (blanks) => " ".repeat(blanks.length / 2))
    .split("\n");
  const isLongConstant = lines.length > maxConstantLength && lines[0]?.startsWith("const ");
  return `${comment}${isLongConstant ? lines[0]?.replace(/[<{(]*$/, " …") : lines.join("\n")}`;
}

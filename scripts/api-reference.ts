import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { parseSync } from "oxc-parser";
import { declarations } from "./declarations.ts";
import { errorCatalogue } from "../packages/engine/src/model/check/errors.ts";

const head = `# The names that packages export

Written by \`npm run docs\` from the types: what stands here is what the compiler knows. Types that only appear in the shape of another one are not repeated; an editor shows them.

Begin with [\`openGalley\`](#opengalley), or in the engine with [\`ContextManager\`](#contextmanager), [\`composePreset\`](#composepreset) and [\`exportFor\`](#exportfor). Everything that goes wrong is a [\`GalleyError\`](#galleyerror); its codes are [at the end](#codes-of-errors).
`;

interface PackagePage {
  readonly name: string;
  readonly folder: "engine" | "host";
  readonly about: string;
  /** What the package has behind its root, by sub-path. */
  readonly subPaths: Readonly<Record<string, string>>;
}

const packages: readonly PackagePage[] = [
  {
    name: "galley",
    folder: "host",
    about: "The whole: `openGalley`, its turns and runs, chats, presets, models, tools, configuration.",
    subPaths: {
      agents: "Agents over ACP: their processes, connections and permissions.",
      daemon: "One data folder over HTTP, for Studio, agents and other programs of this machine.",
      handover: "Handing work to other agents: cards, context boxes, delegation, and the workers that do it.",
      inject: "What the session of an agent is told: context providers, tokens, templates and the canvas.",
      store: "What a data folder keeps in a database: sessions, builds, runs, cards and tasks.",
    },
  },
  {
    name: "@galley/engine",
    folder: "engine",
    about: "The engine alone: pure, for Node and browsers.",
    subPaths: {
      messages: "Messages and the parts that they are made of.",
      models: "What is known about models: windows, prices, how each counts, and what providers have reported.",
      proof: "Records of builds, compared, built again, put into words, and what their tokens went to.",
      schemas:
        "The checks of everything that comes from outside, as zod schemas; the same as JSON Schema lies in `schemas/`.",
      "ai-sdk": "The AI SDK: a step and a middleware that keep every call within a budget.",
      langchain: "LangChain: a middleware for agents, and what takes the place of `trimMessages`.",
      mastra: "Mastra: a processor that keeps every call within a budget.",
      "openai-agents":
        "The OpenAI Agents SDK: a filter, a provider or a session that keeps what is sent within a budget.",
      sillytavern: "SillyTavern's files, read and written.",
      tokens: "Counting alone, quick to load.",
      wire: "Requests of each provider: made, checked, and their types.",
    },
  },
];

interface Declaration {
  readonly name: string;
  readonly text: string;
  /** Where it is written, seen from the package's src folder. */
  readonly source: string;
}

/** docs/api.md: every name of a package's root with its doc lines and its type, and the names behind its sub-paths. */
export async function apiReference(): Promise<string> {
  const types = await declarations();
  const texts = [
    ...packages.map((page) => rootSection(page, types)),
    ...packages.map((page) => subPathSection(page, types)),
    codesOfErrors(),
  ];
  return `${head}\n${texts.join("\n")}`;
}

function rootSection({ name, folder, about }: PackagePage, types: string): string {
  const byFolder = Map.groupBy(documented(join(types, folder), "index"), ({ source }) => dirname(source));
  const parts = [...byFolder].map(([part, declarations]) => {
    const texts = declarations.map((each) => `#### ${each.name}\n\n\`\`\`ts\n${each.text}\n\`\`\`\n`);
    return `### ${part === "." ? name : `${name}: ${part}`}\n\n${texts.join("\n")}`;
  });
  return `## ${name}\n\n${about}\n\n${parts.join("\n")}`;
}

/** The names of each sub-path; an editor shows their types. */
function subPathSection({ name, folder, subPaths }: PackagePage, types: string): string {
  const lists = Object.entries(subPaths).map(([path, about]) => {
    const names = documented(join(types, folder), path).map((each) => `\`${each.name}\``);
    return `### ${name}/${path}\n\n${about}\n\n${names.toSorted().join(", ")}\n`;
  });
  return `## Sub-paths of ${name}\n\n${lists.join("\n")}`;
}

/** What an entry exports; every name has a doc line, but for the parts of messages and requests, whose names say it all. */
function documented(types: string, entry: string): readonly Declaration[] {
  const found = declarationsOf(join(types, `${entry}.d.ts`), types);
  if (basename(types) === "engine" && entry !== "index") return found;
  const bare = found.filter(({ text }) => !text.startsWith("/**")).map(({ name, source }) => `${name} (${source})`);
  if (bare.length > 0) throw new Error(`Without a doc line: ${bare.join(", ")}.`);
  return found;
}

/** A constant that is too long for the page of types, and that a program's reader looks up. */
function codesOfErrors(): string {
  const rows = Object.entries(errorCatalogue).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return `## Codes of errors\n\n| code | what it means |\n|---|---|\n${rows.join("\n")}\n`;
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

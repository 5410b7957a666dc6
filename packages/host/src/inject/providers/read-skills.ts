import { readdir } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { GalleyError } from "@galley/engine";
import { readSmallFile } from "../../disk/named-files.ts";
import { messageOf } from "../../disk/storage-error.ts";

/** A piece of know-how that an agent reads when it needs it. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly file: string;
  /** The folder that belongs to the skill alone; absent when the skill is a single file. */
  readonly folder?: string;
}

export const maxSkillBytes = 256 * 1024;
const maxDescription = 1024;

/** Finds the skills of a folder: `NAME/SKILL.md` and `NAME.md`, in the order of their names. */
export async function readSkills(folder: string): Promise<Skill[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    throw new GalleyError("FileNotFound", `The folder of skills ${folder} cannot be read (${cause.code}).`, {
      path: folder,
      cause,
    });
  });
  const skills: Skill[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (extname(entry.name) === ".md") skills.push(await readSkill(path));
    else if (!entry.isFile()) {
      const skill = await readSkill(join(path, "SKILL.md"), path).catch((error: unknown) => {
        // Folders of other things may lie beside skills.
        if (error instanceof GalleyError && error.code === "FileNotFound") return undefined;
        throw error;
      });
      if (skill) skills.push(skill);
    }
  }
  return skills;
}

async function readSkill(file: string, folder?: string): Promise<Skill> {
  const text = await readSmallFile(file, maxSkillBytes);
  const { fields, body } = await frontMatter(text, file);
  const firstLine = body.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#"));
  const description = (textOf(fields["description"]) ?? firstLine ?? "").replace(/\s+/g, " ").trim();
  return {
    name: textOf(fields["name"]) ?? basename(folder ?? file, ".md"),
    description: description.slice(0, maxDescription),
    file,
    ...(folder === undefined ? {} : { folder }),
  };
}

interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

async function frontMatter(text: string, file: string): Promise<FrontMatter> {
  const match = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\r?\n|$)/.exec(text);
  if (!match) return { fields: {}, body: text };
  const { parse } = await import("yaml");
  let fields: unknown;
  try {
    fields = parse(match[1] ?? "", { schema: "core", maxAliasCount: 0 });
  } catch (cause) {
    throw new GalleyError("ConfigInvalid", `The front matter of ${file} is not YAML: ${messageOf(cause)}`, {
      path: file,
      cause,
    });
  }
  const isMap = typeof fields === "object" && fields !== null && !Array.isArray(fields);
  return { fields: isMap ? (fields as Record<string, unknown>) : {}, body: text.slice(match[0].length) };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value.trim();
  return typeof value === "number" ? String(value) : undefined;
}

import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { GalleyError } from "@galley/engine";
import * as z from "zod";
import { type Skill, maxSkillBytes, readSkills } from "./read-skills.ts";
import { readSmallFile } from "../../disk/named-files.ts";
import { type ActantToolDefinition, definitionOf } from "../../config/providers/tool-definition.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { type DeclaredOptions, DeclaredProvider } from "./declared-provider.ts";

export interface SkillsOptions extends DeclaredOptions {
  readonly folders: readonly string[];
  /** Where the tool looks for a skill: an agent with several providers has one tool for all; `folders` if absent. */
  readonly readable?: readonly string[];
}

/** The arguments of `galley_skill_read`. */
const skillReadSchema = z.strictObject({
  name: z.string().min(1).meta({ description: "The name of the skill, as it is listed." }),
  file: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "A file that the skill's text refers to, seen from the skill's folder." }),
});

/** Lists skills by name and description; an agent reads the one that it needs by a tool. */
export class SkillsContextProvider extends DeclaredProvider {
  /** Where the skills are; the first of a name wins. */
  readonly folders: readonly string[];
  readonly #readable: readonly string[];

  constructor({ folders, readable = folders, ...options }: SkillsOptions) {
    super(options, "skills");
    this.folders = folders;
    this.#readable = readable;
  }

  async getTools(): Promise<readonly ActantToolDefinition[]> {
    if ((await skillsIn(this.folders)).size === 0) return [];
    const tool = defineTool({
      name: "galley_skill_read",
      title: "Read a skill",
      annotations: { readOnlyHint: true, openWorldHint: false },
      outputSchema: z.object({ text: z.string() }),
      description: "Reads a skill: instructions for a kind of work, written for agents.",
      inputSchema: skillReadSchema,
      isRepeatable: true,
      rpcMethod: "skill.read",
      execute: async (input) => ({ text: await this.read(input) }),
    });
    return [definitionOf(tool)];
  }

  async getSystemContext(): Promise<string | undefined> {
    const skills = [...(await skillsIn(this.folders)).values()];
    if (skills.length === 0) return undefined;
    const list = skills.map(({ name, description }) => `- ${name}${description === "" ? "" : `: ${description}`}`);
    const introduction = "Before work that one of these skills is about, read it with `galley_skill_read`.";
    return `## Skills\n\n${introduction}\n\n${list.join("\n")}`;
  }

  /** The text of a skill, or of a file in its folder, with the arguments of `galley_skill_read`. */
  async read(given: unknown): Promise<string> {
    const { success, data, error } = skillReadSchema.safeParse(given);
    if (!success)
      throw new GalleyError("ContextInvalidInput", `The skill cannot be read: ${error.issues[0]?.message}.`);
    const skills = await skillsIn(this.#readable);
    const skill = skills.get(data.name);
    if (!skill) {
      throw new GalleyError("NotFound", `There is no skill ${JSON.stringify(data.name)}.`, {
        path: "name",
        hint: `There are: ${[...skills.keys()].join(", ")}.`,
      });
    }
    return readSmallFile(data.file === undefined ? skill.file : await fileOf(skill, data.file), maxSkillBytes);
  }
}

/** By name; the first of a name wins. */
async function skillsIn(folders: readonly string[]): Promise<ReadonlyMap<string, Skill>> {
  const found = new Map<string, Skill>();
  for (const folder of folders) {
    for (const skill of await readSkills(folder)) if (!found.has(skill.name)) found.set(skill.name, skill);
  }
  return found;
}

/** A file in the skill's own folder. Links are followed before it is decided whether it lies there. */
async function fileOf({ name, folder }: Skill, file: string): Promise<string> {
  const missing = new GalleyError("NotFound", `The skill ${name} has no file ${JSON.stringify(file)}.`, {
    path: "file",
  });
  if (folder === undefined) throw missing;
  const [root, path] = (await Promise.all(
    [folder, join(folder, file)].map((one) => realpath(one).catch(() => "")),
  )) as [string, string];
  const inside = relative(root, path);
  if (path === "" || inside === "" || inside.startsWith("..") || isAbsolute(inside)) throw missing;
  return path;
}

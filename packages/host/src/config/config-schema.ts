import type { JsonObject } from "@galley/engine";
import * as z from "zod";
import { contextSettingsSchema } from "../api/context-settings.ts";
import { type AgentInstanceMeta, archetypes } from "./providers/agent-meta.ts";
import type { ContextProvider } from "./providers/context-provider.ts";
import { compactorsSchema, hintProviderSchema, toolsSchema } from "./own-functions.ts";
import { limitsSchema } from "./time-limits.ts";
import { modelsSchema } from "./models-schema.ts";

const shared = {
  name: z.string().min(1).optional().meta({ description: "What it is listed as; the type if absent." }),
  required: z.boolean().optional().meta({ description: "Without it no session starts." }),
  timeLimitMs: z.int().min(1).optional().meta({ description: "How long it may take." }),
};
const file = z.string().min(1);

export const providerByType = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("rules"),
    file: file.meta({ description: "A text or markdown file, seen from the folder of the configuration." }),
    ...shared,
  }),
  z.strictObject({
    type: z.literal("skills"),
    folders: z.array(file).min(1).meta({ description: "Folders of skills; the first of a name wins." }),
    ...shared,
  }),
  z.strictObject({
    type: z.literal("mcp"),
    file: file.default(".mcp.json").meta({ description: "A file with mcpServers, as editors and agents use it." }),
    ...shared,
  }),
]);

const providerMethods = ["getMcpServers", "getTools", "getSystemContext"] as const;

// Without a method it would give nothing, silently: most likely its type was forgotten.
const ownProvider = z.custom<ContextProvider>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    "name" in value &&
    typeof value.name === "string" &&
    !("type" in value) &&
    providerMethods.some((method) => typeof (value as Record<string, unknown>)[method] === "function"),
  "Expected a provider: an object with a type (rules, skills, mcp), or in galley.config.ts one with a name and methods",
);

const provider = z.union([providerByType, ownProvider]);

export const agentSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u, "Expected up to 64 letters, digits, dots, dashes or underscores")
    .meta({ description: "The name that commands and other agents use." }),
  archetype: z.enum(archetypes).default("service").meta({ description: "Which tools it may use: repo fewest." }),
  backendType: z
    .string()
    .min(1)
    .default("generic")
    .meta({ description: "Which program it is: claude-code, codex, opencode … It decides how system text is given." }),
  command: z.string().min(1).meta({ description: "The program that speaks ACP on its standard streams." }),
  args: z.array(z.string()).default([]).meta({ description: "The arguments of the program." }),
  env: z
    .record(z.string(), z.string())
    .default({})
    .meta({ description: "Added to the environment. ${NAME} stands for a variable of Galley's own environment." }),
  inheritEnv: z.array(z.string().min(1)).optional().meta({
    description:
      "Which variables of Galley's own environment it gets, beside PATH, HOME and the like; if absent all but GALLEY_POSTGRES.",
  }),
  cwd: z.string().min(1).optional().meta({ description: "Its working folder, seen from the configuration's." }),
  workspacePolicy: z
    .enum(["persistent", "ephemeral"])
    .default("persistent")
    .meta({ description: "ephemeral: every session works in an empty folder that goes with it." }),
  launchMode: z
    .enum(["managed", "direct"])
    .default("managed")
    .meta({ description: "managed: it is started again when it ends by itself." }),
  permissions: z
    .union([z.enum(["deny", "ask"]), z.strictObject({ allow: z.array(z.string().min(1)) })])
    .default("ask")
    .meta({
      description:
        'What happens when it asks for permission: "deny", "ask" (the terminal), or {"allow": [kinds, names or titles that pass]}.',
    }),
  tokenDelivery: z.enum(["prompt", "env"]).optional().meta({
    description: "Whether the system text holds the session token; env, where tools come over MCP, if absent.",
  }),
  providers: z.array(provider).default([]).meta({ description: "In addition to those of all agents." }),
  withoutProviders: z
    .array(z.string().min(1))
    .default([])
    .meta({ description: "Names of providers that it does without." }),
  model: z.string().min(1).optional().meta({ description: "The model of turns that Galley runs for it." }),
  preset: z.string().min(1).optional().meta({ description: "The preset of turns that Galley runs for it, by its id." }),
  context: contextSettingsSchema.optional().meta({
    description: "Context settings of its turns. Its own program ignores those that fit a window.",
  }),
});

/** Who an agent is that tasks are given to. */
const profileSchema = z.strictObject({
  name: z.string().trim().min(1).max(200).meta({ description: "The name that tasks are given to." }),
  text: z
    .string()
    .refine((text) => text.trim() !== "", "Expected a text that says who the agent is")
    .meta({
      description: "Who the agent is and how it works.",
    }),
  model: z.string().min(1).optional().meta({ description: "The model of its tasks; that of their caller if absent." }),
  preset: z.string().min(1).optional().meta({ description: "The preset of its tasks, by its id in the library." }),
  context: contextSettingsSchema.optional().meta({ description: "Context settings of its tasks." }),
});

/** A tool of one's own that packs what it is given and starts a task. */
const handlerSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/u, "Expected up to 64 letters, digits, dashes or underscores")
    .meta({ description: "The name of the tool." }),
  description: z.string().min(1).meta({ description: "What models are told of it." }),
  inputSchema: z
    .custom<JsonObject | z.ZodType>((value) => typeof value === "object" && value !== null, "Expected a JSON Schema")
    .meta({ description: "What it takes: a JSON Schema, or in galley.config.ts a zod schema." }),
  handover: z
    .record(z.string(), z.unknown())
    .default({})
    .meta({ description: "Which arguments become cards, and which boxes are inherited." }),
  profile: z.string().trim().min(1).meta({ description: "The profile whose agent gets the task." }),
  wait: z.boolean().default(false).meta({ description: "Whether the call waits for the result." }),
});

/** The shape of `galley.config.ts` and `galley.config.json`. */
export const configSchema = z
  .strictObject({
    $schema: z.string().optional(),
    version: z.literal(1).default(1),
    agents: z.array(agentSchema).default([]),
    providers: z
      .array(provider)
      .default([])
      .meta({ description: "For all agents, behind core-identity and canvas, which are always there." }),
    limits: limitsSchema.prefault({}).meta({ description: "How long things may take, in milliseconds." }),
    context: contextSettingsSchema.optional().meta({
      description: "Context settings of every turn, unless an agent, a preset, a place or a request says other.",
    }),
    profiles: z.array(profileSchema).default([]).meta({
      description: "Who agents are that tasks are given to. One goes before a stored profile of its name.",
    }),
    handlers: z.array(handlerSchema).default([]).meta({ description: "Tools of one's own that start tasks." }),
    tools: toolsSchema.default([]),
    compactors: compactorsSchema.default([]),
    runtimeHintProvider: hintProviderSchema.optional(),
    models: modelsSchema.prefault({}).meta({ description: "Who serves models, with which keys." }),
  })
  .meta({ title: "Galley configuration", description: "The agents of a project and what their sessions get." });

/** A configuration as it is written. */
export type GalleyConfig = z.input<typeof configSchema>;

/** An agent as it is declared in the configuration, with every default filled in. */
export type AgentDeclaration = z.output<typeof agentSchema>;

/** A profile of the configuration. */
export type ProfileDeclaration = z.output<typeof profileSchema>;

/** A tool of the configuration that starts tasks. */
export type HandlerDeclaration = z.output<typeof handlerSchema>;

/** A provider as it is declared: by type, or as an object of one's own. */
export type ProviderDeclaration = z.output<typeof provider>;

/** What a declared provider is listed as: its own name, else its type. */
export function contextProviderName(provider: ProviderDeclaration): string {
  return "type" in provider ? (provider.name ?? provider.type) : provider.name;
}

/** What providers get to know of a declared agent. */
export function metaOf({
  name,
  archetype,
  backendType,
  workspacePolicy,
  launchMode,
}: AgentDeclaration): AgentInstanceMeta {
  return { name, archetype, backendType, workspacePolicy, launchMode };
}

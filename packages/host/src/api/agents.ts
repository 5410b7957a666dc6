import * as z from "zod";
import { del, get, post, put } from "./route.ts";
import { ok, time } from "./shapes.ts";

const params = z.object({ name: z.string().min(1).max(64) });

const agentCard = z.object({
  name: z.string(),
  archetype: z.string(),
  backendType: z.string(),
  state: z.enum(["stopped", "starting", "running", "restarting", "failed"]),
  pid: z.number().optional(),
  sessionId: z.string().optional(),
  restarts: z.number(),
  from: z
    .enum(["galley.config", "added"])
    .meta({ description: "Declared in galley.config, or added by a person, who can change it here." }),
  problem: z.string().optional().meta({ description: "Why it did not start, or how it ended by itself." }),
  isBusy: z.boolean().meta({ description: "Whether it is at work on a prompt." }),
  /** How full its window is, where the agent says so. */
  context: z.object({ used: z.number(), size: z.number() }).optional(),
  canvas: z.object({ version: z.number(), title: z.string(), updatedAt: time }).optional(),
});

const path = z.string().min(1);

const ownProvider = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("rules"), file: path, name: path.optional() }),
  z.strictObject({ type: z.literal("skills"), folders: z.array(path).min(1), name: path.optional() }),
  z.strictObject({ type: z.literal("mcp"), file: path, name: path.optional() }),
]);

/** What a person says of an agent that is added here. */
const settings = {
  archetype: z.enum(["repo", "service", "employee"]),
  workspacePolicy: z.enum(["persistent", "ephemeral"]),
  permissions: z.union([z.enum(["deny", "ask"]), z.strictObject({ allow: z.array(z.string().min(1)) })]),
  providers: z.array(ownProvider).meta({ description: "In addition to those of all agents." }),
  withoutProviders: z.array(z.string()).meta({ description: "Names of providers that it does without." }),
};

const optional = z.string().min(1).nullable().optional();

export const agentRoutes = {
  "agents.list": get("/agents", "The agents and their states, and the programs that can be added as agents.", {
    reply: z.object({
      agents: z.array(agentCard),
      config: z.string().nullable(),
      folder: z.string().meta({ description: "The project: relative folders are seen from here." }),
      providers: z.array(z.string()).meta({ description: "What every agent is given, unless it does without." }),
      programs: z.array(
        z.object({
          id: z.string(),
          label: z.string(),
          installed: z.boolean(),
          why: z.string().meta({ description: "Where it is, or how it is installed." }),
        }),
      ),
    }),
  }),
  "agents.save": put("/agents/{name}", "Adds an agent to the data folder, or changes one that was added.", {
    params,
    body: z.strictObject({
      program: z.string().optional().meta({ description: "A known program: claude-code, codex, gemini …" }),
      command: z.string().min(1).optional().meta({ description: "A program of one's own that speaks ACP." }),
      args: z.array(z.string()).optional(),
      backendType: z.string().min(1).optional(),
      env: z.record(z.string(), z.string()).optional(),
      cwd: optional.meta({ description: "Its folder; null for the project's." }),
      model: optional.meta({ description: "The model of turns that Galley runs for it." }),
      preset: optional.meta({ description: "The preset of those turns, by its id." }),
      ...z.object(settings).partial().shape,
      code: z.string().optional().meta({
        description:
          "From a browser, for a command of one's own, a folder outside of the project, files and permissions: the code that the daemon's terminal printed.",
      }),
    }),
    reply: agentCard,
  }),
  "agents.delete": del("/agents/{name}", "Stops an agent that was added and takes it away. Its chat stays.", {
    params,
    reply: ok,
  }),
  "agents.get": get(
    "/agents/{name}",
    "What a session of this agent gets: providers in order, MCP servers, tools, and what is hidden and why.",
    {
      params,
      reply: agentCard.extend({
        asked: z.string().optional().meta({ description: "The prompt that it is at work on." }),
        declared: z.object({
          program: z.string().optional().meta({ description: "Which known program it is." }),
          command: z.string().meta({ description: "What is started, without keys." }),
          cwd: z.string(),
          env: z.array(z.string()).meta({ description: "The names of its own variables." }),
          model: z.string().optional(),
          preset: z.string().optional(),
          ...settings,
          providers: z.array(z.string()).meta({ description: "The names of its own providers." }),
        }),
        providers: z.array(
          z.object({
            name: z.string(),
            status: z.enum(["ready", "unavailable"]),
            reason: z.string().optional(),
            mcpServers: z.array(z.string()),
            tools: z.array(z.string()),
            systemContext: z.string().optional(),
          }),
        ),
        mcpServers: z.array(z.object({ name: z.string(), kind: z.enum(["http", "stdio"]), target: z.string() })),
        tools: z.array(z.object({ name: z.string(), description: z.string(), scope: z.string() })),
        hidden: z.array(z.object({ kind: z.string(), name: z.string(), provider: z.string(), reason: z.string() })),
      }),
    },
  ),
  "agents.start": post("/agents/{name}/start", "Starts an agent.", { params, reply: agentCard }),
  "agents.stop": post("/agents/{name}/stop", "Stops an agent and revokes its token.", { params, reply: agentCard }),
  "agents.prompt": post(
    "/agents/{name}/prompt",
    "Says something to a running agent; answers with what it does, as events.",
    {
      params,
      body: z.object({ text: z.string().min(1).max(1_000_000) }),
      reply: z.looseObject({ type: z.string() }),
      stream: true,
    },
  ),
  "agents.follow": get(
    "/agents/{name}/prompt",
    "What an agent does with the prompt that it is at work on, from its beginning; ends at once where there is none.",
    { params, reply: z.looseObject({ type: z.string() }), stream: true },
  ),
  "agents.cancel": post(
    "/agents/{name}/cancel",
    "Asks a running agent to end its prompt; its stream says how it ended.",
    { params, reply: z.object({ wasBusy: z.boolean() }) },
  ),
  "agents.canvas": get(
    "/agents/{name}/canvas",
    "The canvas of an agent as it stands. The page itself is at /canvas/{name}, for a sandboxed frame.",
    {
      params,
      reply: z.object({ version: z.number(), title: z.string(), updatedAt: time, html: z.string() }).nullable(),
    },
  ),
  "agents.clearCanvas": del("/agents/{name}/canvas", "Empties the canvas of an agent.", { params, reply: ok }),
} as const;

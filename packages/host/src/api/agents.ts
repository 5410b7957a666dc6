import * as z from "zod";
import { del, get, post } from "./route.ts";
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
  /** How full its window is, where the agent says so. */
  context: z.object({ used: z.number(), size: z.number() }).optional(),
  canvas: z.object({ version: z.number(), title: z.string(), updatedAt: time }).optional(),
});

export const agentRoutes = {
  "agents.list": get("/agents", "The agents of the configuration and their states.", {
    reply: z.object({ agents: z.array(agentCard), config: z.string().nullable() }),
  }),
  "agents.get": get(
    "/agents/{name}",
    "What a session of this agent gets: providers in order, MCP servers, tools, and what is hidden and why.",
    {
      params,
      reply: agentCard.extend({
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

import { join } from "node:path";
import { agentInjector, agentProviders } from "../../inject/agent-injector.ts";
import { canvasClearSchema, canvasUpdateSchema } from "../../inject/canvas/canvas-context-provider.ts";
import { type CanvasStore, canvasStore } from "../../inject/canvas/canvas-store.ts";
import type { AgentDeclaration } from "../../config/config-schema.ts";
import type { ContextProvider } from "../../config/providers/context-provider.ts";
import type { HookEventBus } from "../../inject/session/hook-event-bus.ts";
import { type LoadedConfig, agentNamed } from "../../config/load-config.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { SessionContextInjector } from "../../inject/session-context-injector.ts";
import { SkillsContextProvider, skillReadSchema } from "../../inject/providers/skills-context-provider.ts";
import { chatHostTools } from "./chat-host-tools.ts";
import type { HostTool } from "./host-tool.ts";
import { hostToolProvider } from "./host-tool-provider.ts";

export interface ProjectToolsOptions {
  readonly dataFolder: string;
  readonly eventBus: HookEventBus;
  readonly redactor: Redactor;
  /** For the tools that depend on what the configuration gives an agent. */
  readonly config?: LoadedConfig;
}

/** The tools that the agents of a project may call. Which of them a session gets is up to its providers. */
export async function projectTools(options: ProjectToolsOptions): Promise<readonly HostTool[]> {
  const { dataFolder, eventBus, redactor, config } = options;
  const canvases = canvasStore({ folder: join(dataFolder, "canvas"), eventBus, redact: redactor.redact });
  const chat = await chatHostTools(dataFolder, redactor);
  return [...canvasTools(canvases), ...chat, ...(config ? [skillTool(config, redactor)] : [])];
}

/** What the sessions of an agent get: what the configuration says, and the tools of its chat, which can be left out too. */
export function projectInjector(
  config: LoadedConfig,
  agent: AgentDeclaration,
  tools: readonly HostTool[],
  redactor: Redactor,
): SessionContextInjector {
  const injector = agentInjector(config, agent, { redactor });
  const chat = tools.filter(({ name }) => name.startsWith("chat_context_"));
  return withProvider(injector, agent, hostToolProvider("chat", chat));
}

/** One more provider, unless the agent does without it. */
export function withProvider(
  injector: SessionContextInjector,
  { withoutProviders }: AgentDeclaration,
  provider: ContextProvider,
): SessionContextInjector {
  if (!withoutProviders.includes(provider.name)) injector.register(provider);
  return injector;
}

function canvasTools(canvases: CanvasStore): readonly HostTool[] {
  return [
    {
      name: "actant_canvas_update",
      description: "Shows an HTML page on your canvas, in the place of what was there.",
      inputSchema: canvasUpdateSchema,
      scope: "service",
      rpcMethod: "canvas.update",
      execute: async (input, { agent }) => {
        const { version, title, updatedAt } = await canvases.update(agent, input);
        return { version, title, updatedAt };
      },
    },
    {
      name: "actant_canvas_clear",
      description: "Empties your canvas.",
      inputSchema: canvasClearSchema,
      scope: "service",
      rpcMethod: "canvas.clear",
      execute: async (_, { agent }) => ({ version: (await canvases.clear(agent)).version }),
    },
  ];
}

function skillTool(config: LoadedConfig, redactor: Redactor): HostTool {
  return {
    name: "galley_skill_read",
    description: "Reads a skill: instructions for a kind of work, written for agents.",
    inputSchema: skillReadSchema,
    scope: "all",
    rpcMethod: "skill.read",
    execute: async (input, caller) => {
      // Those of the session: what the agent does without, or has replaced, is none of its skills.
      const own = agentProviders(config, agentNamed(config, caller.agent), { redactor });
      const folders = own.flatMap((provider) => (provider instanceof SkillsContextProvider ? provider.folders : []));
      return { text: await new SkillsContextProvider({ folders }).read(input) };
    },
  };
}

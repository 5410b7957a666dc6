import { join, resolve } from "node:path";
import { canvasClearSchema, canvasUpdateSchema } from "../inject/canvas-context-provider.ts";
import { type CanvasStore, canvasStore } from "../inject/canvas-store.ts";
import type { AgentDeclaration } from "../inject/config-schema.ts";
import type { HookEventBus } from "../inject/hook-event-bus.ts";
import type { LoadedConfig } from "../inject/load-config.ts";
import type { Redactor } from "../inject/redactor.ts";
import { SkillsContextProvider, skillReadSchema } from "../inject/skills-context-provider.ts";
import type { HostTool } from "./host-tool.ts";

export interface ProjectToolsOptions {
  readonly dataFolder: string;
  readonly eventBus: HookEventBus;
  readonly redactor: Redactor;
  /** For the tools that depend on what the configuration gives an agent. */
  readonly config?: LoadedConfig;
}

/** The tools that the agents of a project may call. Which of them a session gets is up to its providers. */
export function projectTools({ dataFolder, eventBus, redactor, config }: ProjectToolsOptions): readonly HostTool[] {
  const canvases = canvasStore({ folder: join(dataFolder, "canvas"), eventBus, redact: redactor.redact });
  return [...canvasTools(canvases), ...(config ? [skillTool(config)] : [])];
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

function skillTool(config: LoadedConfig): HostTool {
  const foldersOf = (agent: AgentDeclaration | undefined): readonly string[] =>
    [...config.providers, ...(agent?.providers ?? [])].flatMap((provider) =>
      "type" in provider && provider.type === "skills"
        ? provider.folders.map((one) => resolve(config.folder, one))
        : [],
    );
  return {
    name: "galley_skill_read",
    description: "Reads a skill: instructions for a kind of work, written for agents.",
    inputSchema: skillReadSchema,
    scope: "all",
    rpcMethod: "skill.read",
    execute: async (input, caller) => {
      const agent = config.agents.find(({ name }) => name === caller.agent);
      return { text: await new SkillsContextProvider({ folders: foldersOf(agent) }).read(input) };
    },
  };
}

import * as z from "zod";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import { canvasUpdateSchema, type CanvasStore } from "./canvas-store.ts";
import type { AgentInstanceMeta } from "../../config/providers/agent-meta.ts";
import type { ContextProvider } from "../../config/providers/context-provider.ts";
import { type ActantToolDefinition, definitionOf, isInScope } from "../../config/providers/tool-definition.ts";
import { loadTemplate } from "../session/templates.ts";

const canvasScope = "service";

const canvasClearSchema = z.strictObject({});

/** The tools with which an agent shows a page [I8]; without a store they only say what they are. */
export function canvasTools(canvases: CanvasStore | undefined): readonly Tool[] {
  const tools = [
    defineTool({
      name: "actant_canvas_update",
      title: "Show a page on the canvas",
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      outputSchema: z.object({ version: z.number(), title: z.string().optional(), updatedAt: z.string() }),
      description: "Shows an HTML page on your canvas, in the place of what was there.",
      usage: "Good for progress, tables and charts. Scripts do not run and nothing is loaded from the network.",
      inputSchema: canvasUpdateSchema,
      scope: canvasScope,
      isRepeatable: true,
      rpcMethod: "canvas.update",
      execute: async (input, { place }) => {
        const shown = await canvases?.update(place.name, input);
        return { version: shown?.version, title: shown?.title, updatedAt: shown?.updatedAt };
      },
    }),
    defineTool({
      name: "actant_canvas_clear",
      title: "Empty the canvas",
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      outputSchema: z.object({ version: z.number().optional() }),
      description: "Empties your canvas.",
      inputSchema: canvasClearSchema,
      scope: canvasScope,
      isRepeatable: true,
      rpcMethod: "canvas.clear",
      execute: async (_, { place }) => ({ version: (await canvases?.clear(place.name))?.version }),
    }),
  ];
  return canvases ? tools : tools.map(({ execute: _execute, ...tool }) => tool);
}

interface CanvasProviderOptions {
  readonly canvases?: CanvasStore | undefined;
  /** Which of its tools are offered; all if absent. */
  readonly isOffered?: ((tool: Tool) => boolean) | undefined;
}

/** Gives an agent a canvas: a page of its own in Studio. */
export class CanvasContextProvider implements ContextProvider {
  readonly name = "canvas";
  readonly #tools: readonly ActantToolDefinition[];

  /** Without the store it speaks of tools that something else has to run. */
  constructor({ canvases, isOffered = () => true }: CanvasProviderOptions = {}) {
    this.#tools = canvasTools(canvases).filter(isOffered).map(definitionOf);
  }

  /** The same for all: the scope hides them where there is no canvas, and the session can say so. */
  getTools(): readonly ActantToolDefinition[] {
    return this.#tools;
  }

  getSystemContext(_: string, { archetype }: AgentInstanceMeta): string | undefined {
    return isInScope(archetype, canvasScope) ? loadTemplate("canvas-context").trim() : undefined;
  }
}

import type { AgentInstanceMeta } from "../../config/providers/agent-meta.ts";
import type { ContextProvider } from "../../config/providers/context-provider.ts";
import { type ActantToolDefinition, definitionOf, isInScope } from "../../config/providers/tool-definition.ts";
import { loadTemplate } from "../session/templates.ts";
import type { CanvasStore } from "./canvas-store.ts";
import { canvasScope, canvasTools } from "./canvas-tools.ts";

/** Gives an agent a canvas: a page of its own in Studio. */
export class CanvasContextProvider implements ContextProvider {
  readonly name = "canvas";
  readonly #tools: readonly ActantToolDefinition[];

  /** Without the store it speaks of tools that something else has to run. */
  constructor({ canvases }: { readonly canvases?: CanvasStore | undefined } = {}) {
    this.#tools = canvasTools(canvases).map(definitionOf);
  }

  /** The same for all: the scope hides them where there is no canvas, and the session can say so. */
  getTools(): readonly ActantToolDefinition[] {
    return this.#tools;
  }

  getSystemContext(_: string, { archetype }: AgentInstanceMeta): string | undefined {
    return isInScope(archetype, canvasScope) ? loadTemplate("canvas-context").trim() : undefined;
  }
}

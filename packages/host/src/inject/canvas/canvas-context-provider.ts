import * as z from "zod";
import type { AgentInstanceMeta } from "../../config/providers/agent-meta.ts";
import { maximumHtmlBytes } from "./canvas-limits.ts";
import type { ContextProvider } from "../../config/providers/context-provider.ts";
import { loadTemplate } from "../session/templates.ts";
import { type ActantToolDefinition, isInScope } from "../../config/providers/tool-definition.ts";

const scope = "service";

/** The arguments of `actant_canvas_update`. */
export const canvasUpdateSchema = z.strictObject({
  html: z
    .string()
    .meta({ description: `The whole page, as HTML with inline CSS; at most ${maximumHtmlBytes / 1024} KiB.` }),
  title: z.string().max(200).optional().meta({ description: "A short title; the last one stays if there is none." }),
});

export const canvasClearSchema = z.strictObject({});

const tools: readonly ActantToolDefinition[] = [
  {
    name: "actant_canvas_update",
    description: "Shows an HTML page on your canvas, in the place of what was there.",
    parameters: parametersOf(canvasUpdateSchema),
    rpcMethod: "canvas.update",
    scope,
    context: "Good for progress, tables and charts. Scripts do not run and nothing is loaded from the network.",
  },
  {
    name: "actant_canvas_clear",
    description: "Empties your canvas.",
    parameters: parametersOf(canvasClearSchema),
    rpcMethod: "canvas.clear",
    scope,
  },
];

/** Gives an agent a canvas: a page of its own in Studio. */
export class CanvasContextProvider implements ContextProvider {
  readonly name = "canvas";

  /** The same for all: the scope hides them where there is no canvas, and the session can say so. */
  getTools(): readonly ActantToolDefinition[] {
    return tools;
  }

  getSystemContext(_: string, { archetype }: AgentInstanceMeta): string | undefined {
    return isInScope(archetype, scope) ? loadTemplate("canvas-context").trim() : undefined;
  }
}

function parametersOf(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema);
  return parameters;
}

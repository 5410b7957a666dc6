import type { JsonObject, JsonValue } from "@galley/engine";
import type * as z from "zod";
import type { Tool, ToolContext, ToolOutcome } from "./tool.ts";

type Input<Schema> = Schema extends z.ZodType ? z.output<Schema> : unknown;

/** A tool whose function takes what its schema describes and gives plain data. */
export interface ToolDefinition<Schema extends z.ZodType | JsonObject> extends Omit<Tool, "inputSchema" | "execute"> {
  readonly inputSchema: Schema;
  /** Gives what can be written as JSON; `undefined` is `null`. */
  readonly execute: (input: Input<Schema>, context: ToolContext) => unknown;
}

/**
 * Makes a tool from a function that returns plain data.
 *
 * @example
 * ```ts
 * import { defineTool, openGalley } from "galley";
 * import * as z from "zod";
 *
 * const roll = defineTool({
 *   name: "roll",
 *   description: "Rolls a die.",
 *   inputSchema: z.object({ sides: z.int().min(2) }),
 *   execute: ({ sides }) => ({ rolled: 1 + Math.floor(Math.random() * sides) }),
 * });
 * const galley = await openGalley({ tools: [roll] });
 * await galley.close();
 * ```
 */
export function defineTool<Schema extends z.ZodType | JsonObject>(definition: ToolDefinition<Schema>): Tool {
  const { execute, ...tool } = definition;
  return { ...tool, execute: async (input, context) => dataResult(await execute(input as Input<Schema>, context)) };
}

/** Plain data as the outcome of a call. What JSON cannot hold is left out; what it refuses throws. */
export function dataResult(data: unknown): ToolOutcome {
  const text = JSON.stringify(data);
  const value = text === undefined ? null : (JSON.parse(text) as JsonValue);
  return { kind: "result", content: [{ type: "json", value }] };
}

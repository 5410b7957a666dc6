import type { JsonObject } from "@galley/engine";
import { jsonSchemaOf, rpcMethodOf } from "../../tools/tool-specs.ts";
import type { Tool, ToolScope } from "../../tools/tool.ts";
import type { Archetype } from "./agent-meta.ts";

/** A tool as providers speak of it. */
export interface ActantToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The JSON-RPC method that does the work. */
  readonly rpcMethod: string;
  readonly scope: ToolScope;
  /** What else an agent should know in order to use it well. */
  readonly context?: string;
  /** Does the work itself. Without it, another tool of the session must have the same `rpcMethod` [T2]. */
  readonly execute?: NonNullable<Tool["execute"]>;
}

const origins = new WeakMap<NonNullable<Tool["execute"]>, Tool>();

/** A tool in the words of a provider. */
export function definitionOf(tool: Tool): ActantToolDefinition {
  const { name, description, inputSchema, scope = "all", usage, execute } = tool;
  if (execute) origins.set(execute, tool);
  return {
    name,
    description,
    parameters: jsonSchemaOf(inputSchema),
    rpcMethod: rpcMethodOf(tool),
    scope,
    context: usage,
    execute,
  };
}

/** What a provider speaks of, as a tool: the very one that the definition was made of, where there is one. */
export function toolOf(definition: ActantToolDefinition): Tool {
  const { name, description, parameters, rpcMethod, scope, context, execute } = definition;
  const origin = execute && origins.get(execute);
  if (origin?.name === name) return origin;
  return {
    name,
    description,
    inputSchema: parameters as JsonObject,
    rpcMethod,
    scope,
    usage: context,
    execute,
  };
}

const archetypeLevels: Record<Archetype, number> = { repo: 0, service: 1, employee: 2 };
const scopeLevels: Record<ToolScope, number> = { all: 0, service: 1, employee: 2 };

/** Whether the text names a scope: providers are other people's code, and may be newer or older than this. */
export function isToolScope(scope: unknown): scope is ToolScope {
  return typeof scope === "string" && Object.hasOwn(scopeLevels, scope);
}

/** Whether an agent of this archetype may use tools of this scope [I3]. */
export function isInScope(archetype: Archetype, scope: ToolScope): boolean {
  return archetypeLevels[archetype] >= scopeLevels[scope];
}

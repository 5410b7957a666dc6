import type { Archetype } from "./agent-meta.ts";

/** The least archetype that may use a tool. */
export type ToolScope = "all" | "service" | "employee";

/** A tool of the platform that an agent may call. */
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

import type { ContextProvider } from "../../config/providers/context-provider.ts";
import type { ActantToolDefinition } from "../../config/providers/tool-definition.ts";
import { type HostTool, rpcMethodOf } from "./host-tool.ts";
import { parametersOf } from "./tool-schema.ts";

/** Tells sessions of tools that no other provider speaks of. */
export function hostToolProvider(
  name: string,
  tools: readonly HostTool[],
): ContextProvider & { getTools(): readonly ActantToolDefinition[] } {
  return {
    name,
    getTools: () =>
      tools.map((tool) => ({
        name: tool.name,
        description: tool.description,
        parameters: parametersOf(tool),
        rpcMethod: rpcMethodOf(tool),
        scope: tool.scope,
      })),
  };
}

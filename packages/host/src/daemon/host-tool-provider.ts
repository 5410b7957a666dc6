import type { ContextProvider } from "../inject/context-provider.ts";
import { type HostTool, parametersOf, rpcMethodOf } from "./host-tool.ts";

/** Tells sessions of the tools that a host serves. Behind other providers: what those say of a tool stands. */
export function hostToolProvider(tools: readonly HostTool[]): ContextProvider {
  return {
    name: "host-tools",
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

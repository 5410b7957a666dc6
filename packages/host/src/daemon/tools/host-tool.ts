import { GalleyError } from "@galley/engine";
import type { ToolScope } from "../../config/providers/tool-definition.ts";
import type { WithInputSchema } from "./tool-schema.ts";

/** Who calls a tool. It comes from the session token, never from the arguments [I5]. */
export interface ToolCaller {
  /** The name of the agent. */
  readonly agent: string;
  /** The id of its session. */
  readonly session: string;
  /** Whose tasks and boxes are whose [A4]: `agent:NAME`, or `mcp:CLIENT` for a program that has the owner's token. Never the person. */
  readonly id: string;
}

export interface ToolCallOptions {
  /** What the program that calls says that it is called. */
  readonly client?: string | undefined;
  /** Whoever called has gone, or waits no longer. */
  readonly signal?: AbortSignal | undefined;
}

/** A tool of the platform, wherever it is called from. */
export interface HostTool extends WithInputSchema {
  readonly name: string;
  readonly description: string;
  readonly scope: ToolScope;
  /** Its name as a JSON-RPC method; the tool's own name if absent. */
  readonly rpcMethod?: string;
  execute(input: unknown, caller: ToolCaller, options?: ToolCallOptions): unknown;
}

/** Checks the arguments and runs the tool. */
export async function callTool(
  tool: HostTool,
  input: unknown,
  caller: ToolCaller,
  options: ToolCallOptions = {},
): Promise<unknown> {
  const { schemaOf } = await import("./tool-schema.ts");
  const checked = await schemaOf(tool)["~standard"].validate(input ?? {});
  if (!checked.issues) return tool.execute(checked.value, caller, options);
  const [first] = checked.issues;
  const path = first?.path?.map((part) => (typeof part === "object" ? part.key : part)).join(".") ?? "";
  throw new GalleyError("ToolInputInvalid", `${tool.name}: ${first?.message ?? "the arguments are not valid"}`, {
    path,
    hint: "See the schema of the tool.",
  });
}

/** The name of the tool as a JSON-RPC method. */
export function rpcMethodOf({ rpcMethod, name }: HostTool): string {
  return rpcMethod ?? name;
}

import type { HostTool } from "./host-tool.ts";

/** The tools that a project's agents may call. */
export function projectTools(_dataFolder: string): readonly HostTool[] {
  return [];
}

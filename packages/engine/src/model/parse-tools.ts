import * as z from "zod";
import { throwOnErrors } from "./errors.ts";
import { toolSpecSchema } from "./message-schema.ts";
import type { ToolSpec } from "./messages.ts";
import { problemsOf } from "./zod-problems.ts";

const toolList = z.array(toolSpecSchema);

/** Takes a list of tool specs from outside; throws with every problem when it cannot be used. */
export function parseTools(value: unknown): readonly ToolSpec[] {
  const result = toolList.safeParse(value);
  if (!result.success) throwOnErrors(problemsOf(result.error.issues, "ContextInvalidInput", "tools"));
  return value as readonly ToolSpec[];
}

import type { Compactor, RuntimeHintProvider } from "@galley/engine";
import * as z from "zod";
import type { Tool } from "../tools/tool.ts";

/** A compactor of one's own, which `compaction: {"name": …}` names. */
export interface OwnCompactor extends Pick<Compactor, "compact"> {
  readonly name: string;
}

function hasFunction(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function";
}

/** Functions can stand in galley.config.ts only: a JSON file has none. */
export const compactorsSchema = z
  .array(
    z.custom<OwnCompactor>(
      (value) => hasFunction(value, "compact") && typeof Reflect.get(value as object, "name") === "string",
      "Expected a compactor in galley.config.ts: an object with a name and compact(request)",
    ),
  )
  .meta({ description: "Compactors of one's own, in galley.config.ts; compaction names one." });

export const toolsSchema = z
  .array(
    z.custom<Tool>(
      (value) =>
        hasFunction(value, "execute") &&
        ["name", "description"].every((name) => typeof Reflect.get(value as object, name) === "string") &&
        typeof Reflect.get(value as object, "inputSchema") === "object",
      "Expected a tool in galley.config.ts, as defineTool makes one: name, description, inputSchema and execute(input)",
    ),
  )
  .meta({ description: "Tools of one's own, in galley.config.ts: offered in every place, on every face." });

export const hintProviderSchema = z
  .custom<RuntimeHintProvider>((value) => typeof value === "function", "Expected a function in galley.config.ts")
  .meta({ description: "In galley.config.ts: gives what holds just now, for every turn; hints win over it." });

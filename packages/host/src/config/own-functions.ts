import type { Compactor, RuntimeHintProvider } from "@galley/engine";
import * as z from "zod";

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

export const hintProviderSchema = z
  .custom<RuntimeHintProvider>((value) => typeof value === "function", "Expected a function in galley.config.ts")
  .meta({ description: "In galley.config.ts: gives what holds just now, for every turn; hints win over it." });

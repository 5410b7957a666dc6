import type { JsonObject, ToolSpec } from "@galley/engine";
import * as z from "zod";
import { parseInput } from "../../chat/lines/parse-input.ts";
import type { GalleyTool, TurnPlace } from "../services/turn-types.ts";
import { type LoopTool, jsonOutcome, toJson } from "./loop-tool.ts";

/** The tools that whoever opened Galley brought along, as the loop serves them in one place. */
export function userTools(tools: readonly GalleyTool[], place: TurnPlace): readonly LoopTool[] {
  return tools.map((tool) => ({
    spec: specOf(tool),
    isRepeatable: tool.isRepeatable === true,
    async execute({ input, ...call }) {
      const { inputSchema } = tool;
      const checked = isZod(inputSchema) ? parseInput(inputSchema, input ?? {}, tool.name) : input;
      return jsonOutcome(toJson(await tool.execute(checked, { ...place, ...call })));
    },
  }));
}

const specs = new WeakMap<GalleyTool, ToolSpec>();

function specOf(tool: GalleyTool): ToolSpec {
  const spec = specs.get(tool) ?? makeSpec(tool);
  specs.set(tool, spec);
  return spec;
}

function makeSpec({ name, description, inputSchema }: GalleyTool): ToolSpec {
  if (!isZod(inputSchema)) return { name, description, inputSchema };
  const { $schema: _, ...schema } = z.toJSONSchema(inputSchema, { io: "input" });
  return { name, description, inputSchema: schema as JsonObject };
}

function isZod(schema: GalleyTool["inputSchema"]): schema is z.ZodType {
  return "safeParse" in schema && typeof schema["safeParse"] === "function";
}

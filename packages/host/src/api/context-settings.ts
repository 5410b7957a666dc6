import type { JsonObject } from "@galley/engine";
import { presetContextSchema } from "@galley/engine/schemas";
import * as z from "zod";
import { problem } from "./shapes.ts";

const wholeNumber = z.int("Expected a whole number from 1 upwards").min(1, "Expected a whole number from 1 upwards");

const compaction = z.union(
  [
    z.enum(["off", "extractive"]),
    z.strictObject({
      model: z.string().min(1).meta({ description: "The model that writes the summaries." }),
      instructions: z.string().min(1).optional().meta({ description: "What its summaries should heed." }),
    }),
    z.strictObject({ name: z.string().min(1).meta({ description: "A compactor of galley.config.ts." }) }),
  ],
  'Expected "off", "extractive", {"model": …, "instructions"?: …} or {"name": …}',
);

const runtimeData = z.union(
  [
    z.enum(["off", "environment"]),
    z.custom<JsonObject>((value) => typeof value === "object" && value !== null && !Array.isArray(value)),
  ],
  'Expected "off", "environment" or an object',
);

const ownTools = z.union(
  [z.enum(["all", "none"]), z.array(z.string().min(1)).max(100)],
  'Expected "all", "none" or a list of names and groups (chat, handover, recall, pins, canvas)',
);

const shared = presetContextSchema.shape;

/**
 * The context settings of a turn, the same for every layer that may set them [T3]. A key that is absent leaves the layer
 * before in force; `null` sets the key back to its built-in default.
 */
export const contextSettingsSchema = z
  .strictObject({
    systemPrompt: shared.systemPrompt,
    maxInputTokens: wholeNumber
      .nullish()
      .meta({ description: "Everything that is sent; what the model's window leaves beside its reply if absent." }),
    reserveOutputTokens: z
      .int("Expected a whole number from 0 upwards")
      .min(0, "Expected a whole number from 0 upwards")
      .nullish()
      .meta({ description: "Kept free for the reply; by default a part of the model's window, of that window only." }),
    maxHistoryMessages: shared.maxHistoryMessages,
    targetRatio: shared.targetRatio,
    compaction: compaction
      .nullish()
      .meta({ description: "What writes a summary of what no longer fits; extractive if absent." }),
    runtimeData: runtimeData.nullish().meta({
      description:
        "Recorded once for each session or working context: what is given, or the environment; off if absent.",
    }),
    hints: shared.hints,
    userProfile: shared.userProfile,
    variables: shared.variables,
    toolSteps: z
      .enum(["drop", "keep"])
      .nullish()
      .meta({ description: "Whether a chat keeps calls of tools and their results; drop if absent." }),
    ownTools: ownTools
      .nullish()
      .meta({ description: "Which of Galley's own tools are offered, by name or group; all if absent." }),
    recall: z
      .boolean("Expected true or false")
      .nullish()
      .meta({ description: "Whether a model can ask for what left its window (context_recall); yes if absent." }),
    pins: z
      .enum(["person", "model"])
      .nullish()
      .meta({ description: "Who may pin: a person alone, or the model too (context_pin); person if absent." }),
    language: shared.language,
  })
  .meta({ title: "ContextSettings", description: "What a turn is built with; the later layer wins." });

/** The context settings of one layer: of a configuration, an agent, a chat, a session or a request [T3]. */
export type ContextSettings = z.infer<typeof contextSettingsSchema>;

/** Where the value of a setting came from. */
const settingSources = ["default", "config", "agent", "profile", "preset", "chat", "session", "request"] as const;
export type SettingSource = (typeof settingSources)[number];

/** A setting in force, for those who look at it. */
export const settingInForceSchema = z.object({
  key: z.string(),
  value: z.unknown().meta({ description: "Absent where the built-in default is nothing at all." }).optional(),
  from: z.enum(settingSources),
  keys: z
    .record(z.string(), z.enum(settingSources))
    .optional()
    .meta({ description: "For values that are merged by name: where each name came from." }),
  unused: z.string().optional().meta({ description: "Why it has no effect here, where it has none." }),
});
export type SettingInForce = z.infer<typeof settingInForceSchema>;

/** How the context settings of a place are changed. */
export const contextChanges = {
  context: contextSettingsSchema.nullable().optional().meta({
    description: "Keys that are given are set; null for a key is its built-in default, null for all takes them away.",
  }),
  unset: z
    .array(z.string())
    .optional()
    .meta({ description: "Keys that are not set here any more: what the layers before say holds again." }),
};

export const inForceQuery = z.object({
  model: z.string().min(1).max(200).optional(),
  preset: z.string().min(1).optional(),
});

export const settingsInForceReply = z.object({
  model: z.string(),
  preset: z.string().optional(),
  budget: z.number().meta({ description: "How many tokens may be sent." }),
  settings: z.array(settingInForceSchema),
  problems: z.array(problem).meta({ description: "What would make the next turn fail." }),
});

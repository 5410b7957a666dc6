import * as z from "zod";
import type { PresetContext } from "./preset.ts";

/**
 * What a preset may say of the turns that use it [T3]. A preset may come from a stranger: it can neither read the
 * environment nor choose a model that costs money, so that the other settings of a turn are not its to make. `null` stands
 * for the built-in default.
 */
export function presetContext() {
  const texts = z.record(z.string(), z.string());
  return z.strictObject({
    systemPrompt: z
      .string()
      .nullish()
      .meta({ description: "Stands before everything that the preset sends; nothing if absent." }),
    variables: texts.nullish().meta({ description: "Values for {{name}}, added by name to those of earlier layers." }),
    hints: texts
      .nullish()
      .meta({ description: "What holds just now, sent before the last user message; added by name." }),
    userProfile: z.string().nullish().meta({ description: "The text for user_profile; none if absent." }),
    language: z
      .enum(["auto", "en", "zh"])
      .nullish()
      .meta({ description: "Of the labels that Galley writes; auto: that of the newest user message." }),
    maxHistoryMessages: z
      .int("Expected a whole number from 1 upwards")
      .min(1, "Expected a whole number from 1 upwards")
      .nullish()
      .meta({
        description: "How many user, assistant and tool messages of history are sent; as many as fit if absent.",
      }),
    targetRatio: z
      .number()
      .gt(0, "Expected a number above 0 and up to 1")
      .max(1, "Expected a number above 0 and up to 1")
      .nullish()
      .meta({
        description:
          "Once a limit is passed, history is cut down to this share, so that the next turns need no cut; 0.5.",
      }),
  }) satisfies z.ZodType<PresetContext>;
}

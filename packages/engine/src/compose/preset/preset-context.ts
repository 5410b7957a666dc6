import * as z from "zod";
import type { PresetContext } from "./preset.ts";

/**
 * What a preset may say of the turns that use it [T3]. A preset may come from a stranger: it can neither read the
 * environment nor choose a model that costs money, so that the other settings of a turn are not its to make. `null` stands
 * for the built-in default.
 */
export function presetContext() {
  const texts = z.record(z.string(), z.string());
  const may = <Schema extends z.ZodType>(schema: Schema, description: string) => schema.nullish().meta({ description });
  const [countError, ratioError] = ["Expected a whole number from 1 upwards", "Expected a number above 0 and up to 1"];
  return z.strictObject({
    systemPrompt: may(z.string(), "Stands before everything that the preset sends; nothing if absent."),
    variables: may(texts, "Values for {{name}}, added by name to those of earlier layers."),
    hints: may(texts, "What holds just now, sent before the last user message; added by name."),
    userProfile: may(z.string(), "The text for user_profile; none if absent."),
    language: may(
      z.enum(["auto", "en", "zh"]),
      "Of the labels that Galley writes; auto: that of the newest user message.",
    ),
    maxHistoryMessages: may(
      z.int(countError).min(1, countError),
      "How many user, assistant and tool messages of history are sent; as many as fit if absent.",
    ),
    targetRatio: may(
      z.number().gt(0, ratioError).max(1, ratioError),
      "Once a limit is passed, history is cut down to this share, so that the next turns need no cut; 0.5.",
    ),
  }) satisfies z.ZodType<PresetContext>;
}

import { GalleyError } from "@galley/engine";
import { type ModelOverrides, parseModelOverrides } from "@galley/engine/models";
import * as z from "zod";
import { servedKind } from "../api/shapes.ts";

export { servedKind };

/** What stands before the slash of a model's name. */
export const providerName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, "Expected up to 64 letters, digits, dots, dashes or underscores")
  .refine((text) => text.toLowerCase() !== "demo", "demo is the model that is built in");

const figures = z.custom<ModelOverrides>().optional();

const modelsOfProvider = z.array(
  z.union([
    z.string().min(1),
    z.strictObject({
      id: z.string().min(1),
      window: z.int().positive().optional().meta({ description: "Tokens of input and output together." }),
      output: z.int().positive().optional().meta({ description: "Tokens of output at most." }),
    }),
  ]),
);

const providerSchema = z.strictObject({
  name: providerName.meta({ description: "What stands before the slash: ollama in ollama/qwen3." }),
  type: servedKind.default("openai-compatible").meta({ description: "Which protocol it speaks." }),
  baseUrl: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "Where it listens, with its /v1. ${NAME} stands for an environment variable." }),
  apiKey: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "Better not the key itself: ${NAME} stands for an environment variable." }),
  headers: z.record(z.string(), z.string()).default({}).meta({ description: "Sent with every request; ${NAME} too." }),
  models: modelsOfProvider
    .default([])
    .meta({ description: "Which models it has, for lists; others can be named too." }),
});

/** The part of the configuration that says which models there are. */
export const modelsSchema = z.strictObject({
  default: z.string().min(1).optional().meta({ description: "The model that is used when none is named." }),
  providers: z.array(providerSchema).default([]),
  overrides: z
    .unknown()
    .transform((value, context) => parseOverrides(value, context))
    .pipe(figures)
    .optional()
    .meta({ description: "Own figures by model: window, output, price, readsImages, tokenizer." }),
});

function parseOverrides(value: unknown, context: z.RefinementCtx): ModelOverrides | undefined {
  if (value === undefined) return undefined;
  try {
    return parseModelOverrides(value);
  } catch (error) {
    const { path = "", message } = error instanceof GalleyError ? error : { message: String(error) };
    context.addIssue({ code: "custom", message, path: path === "" ? [] : [path] });
    return z.NEVER;
  }
}

/** Which models there are, as it was declared, with every default filled in. */
export type ModelsDeclaration = z.output<typeof modelsSchema>;

/** A provider of models as it is declared. */
export type ModelProviderDeclaration = z.output<typeof providerSchema>;

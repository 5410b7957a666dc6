import * as z from "zod";
import { contextSettingsSchema } from "../api/context-settings.ts";
import { checkOf } from "../turn/services/check-request.ts";
import type { OpenGalleyOptions } from "./galley.ts";

const aFunction = z.custom<(...args: never[]) => unknown>(
  (value) => typeof value === "function",
  "Expected a function",
);
const anObject = z.custom<object>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "Expected an object",
);

// What the objects hold is checked where they are used.
const optionsSchema = z.strictObject({
  data: z.string().min(1).optional(),
  postgres: z.string().optional(),
  config: z.union([z.string(), z.literal(false), anObject], "Expected a path, a configuration or false").optional(),
  context: contextSettingsSchema.optional(),
  project: z.string().optional(),
  now: aFunction.optional(),
  environment: anObject.optional(),
  fetch: aFunction.optional(),
  tools: z.array(anObject).optional(),
  workerModel: z.string().optional(),
} satisfies Readonly<Record<keyof OpenGalleyOptions, z.ZodType>>);

/** Refuses options that a data folder is not opened with; one that nothing reads is most likely misspelt [T3]. */
export const checkOptions = checkOf(optionsSchema);

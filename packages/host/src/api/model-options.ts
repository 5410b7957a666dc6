import * as z from "zod";

const number = z.number();
const count = z.int().min(1);

/** Settings that a model's provider takes with a request [T9]; the names are those of the AI SDK. */
export const modelOptionsSchema = z.strictObject({
  temperature: number.optional(),
  topP: number.optional(),
  topK: number.optional(),
  presencePenalty: number.optional(),
  frequencyPenalty: number.optional(),
  seed: z.int().optional(),
  maxOutputTokens: count.optional(),
  stopSequences: z.array(z.string()).max(16).optional(),
  providerOptions: z.record(z.string(), z.record(z.string(), z.json())).optional().meta({
    description: "By provider, as the AI SDK takes them: {anthropic: {thinking: {…}}}.",
  }),
});

/** Settings of a model's own for one request. */
export type ModelOptions = Readonly<z.infer<typeof modelOptionsSchema>>;

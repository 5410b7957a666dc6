import * as z from "zod";
import type { RecallRequest } from "../fit/recall/recall.ts";
import { recallToolName } from "../model/handle.ts";
import type { FitMemory } from "./fit-memory.ts";
import { recallFitted } from "./fit.ts";

/** The tool by which a model reads what left its window, for frameworks that take a description, a schema and a function. */
export interface RecallTool<Rest extends readonly unknown[]> {
  readonly description: string;
  readonly inputSchema: z.ZodType<RecallInput>;
  readonly execute: (input: RecallInput, ...rest: Rest) => Promise<string>;
}

/** What a model asks with. */
interface RecallInput {
  readonly handle?: string | undefined;
  readonly query?: string | undefined;
  readonly max_tokens?: number | undefined;
}

export const recallDescription = "Read what left your context, by handle (§12) or query.";

/** A schema as providers take it that do not insist on every field. */
export interface RecallParameters {
  type: "object";
  properties: Record<string, { type: "string" | "number" }>;
  required: string[];
  additionalProperties: true;
}

/** What a model may ask with, as JSON Schema. */
export const recallParameters: RecallParameters = {
  type: "object",
  properties: { handle: { type: "string" }, query: { type: "string" }, max_tokens: { type: "number" } },
  required: [],
  additionalProperties: true,
};

/** A tool whose answers come from the memory that `find` gives for the call. */
export function recallTool<Rest extends readonly unknown[]>(
  find: (...rest: Rest) => FitMemory | undefined,
): { readonly [recallToolName]: RecallTool<Rest> } {
  const text = z.string().optional();
  const inputSchema = z.object({ handle: text, query: text, max_tokens: z.number().optional() });
  const execute = (input: RecallInput, ...rest: Rest): Promise<string> => answerRecall(find(...rest), input);
  return { [recallToolName]: { description: recallDescription, inputSchema, execute } };
}

/** The answer as text; a model reads what cannot be given as well. */
export async function answerRecall(memory: FitMemory | undefined, input: unknown): Promise<string> {
  if (!memory) return "Nothing is known of this conversation here, so that nothing of it can be read.";
  const { handle, query, max_tokens: maxTokens } = (input ?? {}) as RecallInput;
  // Models fill in what they do not use.
  const request: RecallRequest = {
    handle: handle ?? undefined,
    query: query ?? undefined,
    maxTokens: maxTokens ?? undefined,
  };
  return (await recallFitted(memory, request)).text;
}

import { messageSchema } from "@galley/engine/schemas";
import * as z from "zod";

const idPattern = /^c_\d{8}_[A-Za-z0-9_-]{1,64}$/;

/** Whether a text can be the id of a context, and so the name of a file. */
export function isContextId(text: string): boolean {
  return idPattern.test(text);
}

const language = z.enum(["en", "zh"]);

export const recalledSchema = z.looseObject({
  ts: z.number(),
  contextId: z.string().refine(isContextId),
  from: z.string().refine(isContextId),
  mode: z.enum(["full", "recent", "summary"]),
  after: z.string().nullish(),
  before: z.int().min(0).optional(),
  messageCount: z.number(),
  // Lines of earlier versions do not say it.
  language: language.default("en"),
  note: z.string().optional(),
  call: z.string().optional(),
});

export const transcriptSchema = z.looseObject({
  ts: z.number(),
  language,
  said: z.array(z.object({ id: z.string(), role: z.enum(["user", "assistant"]), text: z.string() })),
});

export const redactSchema = z.looseObject({ ts: z.number(), entryId: z.string() });

export const redactedSchema = redactSchema.extend({ count: z.int().min(0).optional() });

const chatMessageSchema = z.looseObject({
  ts: z.number(),
  role: z.enum(["user", "assistant"]),
  content: z.string().or(z.array(z.unknown())),
});

const tally = { count: z.int().min(0), tokens: z.number().min(0), messages: z.array(messageSchema).optional() };
export const stepsSchema = z.looseObject({ ts: z.number(), of: z.array(z.string()), ...tally });

export const resultSchema = z.looseObject({
  ts: z.number(),
  taskId: z.string(),
  anchor: z.string().optional(),
  content: z.string(),
});

export const runtimeInitSchema = z.looseObject({
  ts: z.number(),
  id: z.string(),
  data: z.record(z.string(), z.json()),
});

export const pinSchema = z.looseObject({
  ts: z.number(),
  id: z.string(),
  entryId: z.string().optional(),
  text: z.string().optional(),
  by: z.enum(["person", "model"]).optional(),
  isUndone: z.boolean().optional(),
  message: chatMessageSchema.optional(),
  ordinal: z.int().min(0).optional(),
});

export const alternateSchema = z.looseObject({
  ts: z.number(),
  of: z.string(),
  message: chatMessageSchema,
  steps: z.object(tally).optional(),
  isStopped: z.boolean().optional(),
});

import * as z from "zod";
import type { SessionEntry } from "./entries.ts";
import { messageSchema } from "./message-schema.ts";

const base = {
  id: z.string().min(1),
  ts: z.union([z.string(), z.number()]),
  parentId: z.union([z.string(), z.null()]).optional(),
};
const jsonObject = z.record(z.string(), z.unknown());
const tally = z.looseObject({ count: z.int().min(0), tokens: z.number().min(0) });
const message = z.looseObject({ ...base, type: z.literal("message"), message: messageSchema });
const injection = z.looseObject({
  ...base,
  type: z.literal("injection"),
  stepId: z.string(),
  beforeEntryId: z.union([z.string(), z.null()]),
  message: messageSchema,
});

/** A message as an entry. */
export const messageEntrySchema: z.ZodType = message;

const known = z.discriminatedUnion("type", [
  message,
  z.looseObject({
    ...base,
    type: z.literal("compaction"),
    firstKeptEntryId: z.union([z.string(), z.null()]),
    maskedBefore: z.union([z.string(), z.null()]).optional(),
    droppedSteps: z.array(z.string()).optional(),
    carried: z.array(message).optional(),
    injections: z.array(injection).optional(),
    shrunk: z.array(z.looseObject({ entryId: z.string(), part: z.int().min(0), keep: z.int().min(0) })).optional(),
    summary: z.string().optional(),
    summarisedBy: z.string().optional(),
    summarised: tally.optional(),
    dropped: tally.optional(),
    undoes: z.string().optional(),
    runtimeInit: jsonObject.optional(),
  }),
  injection,
  z.looseObject({ ...base, type: z.literal("runtime-init"), data: jsonObject }),
  z.looseObject({ ...base, type: z.literal("redact"), entryId: z.string() }),
  z.looseObject({ ...base, type: z.literal("custom") }),
]);

const knownTypes = new Set(["message", "compaction", "injection", "runtime-init", "redact", "custom"]);
const unknown = z.looseObject({ ...base, type: z.string().min(1) });

/** The schema for one entry: known types are checked whole, unknown ones only for what every entry has [M2]. */
export function entrySchemaFor(value: unknown): z.ZodType<SessionEntry> {
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  const schema = typeof type === "string" && !knownTypes.has(type) ? unknown : known;
  return schema as unknown as z.ZodType<SessionEntry>;
}

/** One line of a session file, as editors check it. */
export const sessionEntrySchema: z.ZodType = z.union([known, unknown]);

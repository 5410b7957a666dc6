import * as z from "zod";
import type { NameRow, SessionEntry } from "./entries.ts";
import type { SessionKind } from "./entry-kinds.ts";
import { messageSchema } from "./message-schema.ts";

// Made with the first check, as all schemas are [J4].

/** What every entry has. */
function baseFields() {
  return {
    id: z.string().min(1),
    ts: z.union([z.string(), z.number()]),
    parentId: z.union([z.string(), z.null()]).optional(),
  };
}

/** What is pinned, or unpinned [R6]. */
function pinSchema({ message, result }: Pick<ReturnType<typeof messageSchemas>, "message" | "result">) {
  return z.looseObject({
    ...baseFields(),
    type: z.literal("pin"),
    entryId: z.string().optional(),
    text: z.string().optional(),
    by: z.enum(["person", "model"]).optional(),
    isUndone: z.boolean().optional(),
    carried: z.array(z.union([message, result])).optional(),
    ordinals: z.array(z.int().min(0)).optional(),
  });
}

/** The entries that hold a message. */
function messageSchemas() {
  const base = baseFields();
  const said = z
    .looseObject({ by: z.string().optional(), text: z.string().optional(), line: z.number().optional() })
    .optional();
  const before = z.int().min(0).optional();
  return {
    message: z.looseObject({ ...base, type: z.literal("message"), message: messageSchema, said, before }),
    result: z.looseObject({
      ...base,
      type: z.literal("result"),
      taskId: z.string(),
      anchor: z.string().optional(),
      message: messageSchema,
    }),
    injection: z.looseObject({
      ...base,
      type: z.literal("injection"),
      stepId: z.string(),
      beforeEntryId: z.union([z.string(), z.null()]),
      message: messageSchema,
    }),
  };
}

function compactionSchema({ message, result, injection }: ReturnType<typeof messageSchemas>) {
  const { effects, jsonObject } = sharedSchemas();
  const tally = z.looseObject({ count: z.int().min(0), tokens: z.number().min(0) });
  const rows = z.custom<readonly NameRow[]>(areNameRows, "must be rows [name, said, uses, last, ordinal]");
  return z.looseObject({
    ...baseFields(),
    type: z.literal("compaction"),
    firstKeptEntryId: z.union([z.string(), z.null()]),
    maskedBefore: z.union([z.string(), z.null()]).optional(),
    droppedSteps: z.array(z.string()).optional(),
    carried: z.array(z.union([message, result])).optional(),
    injections: z.array(injection).optional(),
    shrunk: z.array(z.looseObject({ entryId: z.string(), part: z.int().min(0), keep: z.int().min(0) })).optional(),
    summary: z.string().optional(),
    summarisedBy: z.string().optional(),
    names: z
      .looseObject({ rows, tokens: z.number(), through: z.union([z.string(), z.null()]), length: z.int().min(0) })
      .optional(),
    pins: z.array(pinSchema({ message, result })).optional(),
    head: z.int().min(0).optional(),
    ordinals: z
      .looseObject({
        first: z.int(),
        carried: z.array(z.int()).optional(),
        before: z.int().min(0).optional(),
        isTold: z.boolean().optional(),
      })
      .optional(),
    summarised: tally.optional(),
    dropped: tally.optional(),
    undoes: z.string().optional(),
    runtimeInit: jsonObject.optional(),
    activation: z.looseObject({ sticky: effects, cooldown: effects }).optional(),
  });
}

// Entries never change.
const checkedRows = new WeakSet<object>();

/** Thousands of them, which every build reads: looked at here, once each, and not by a schema for each field. */
function areNameRows(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  if (checkedRows.has(value)) return true;
  if (!value.every(isNameRow)) return false;
  checkedRows.add(value);
  return true;
}

function isNameRow(row: unknown): boolean {
  if (!Array.isArray(row) || row.length < 5 || typeof row[0] !== "string") return false;
  for (let index = 1; index < 5; index += 1) if (!Number.isFinite(row[index])) return false;
  return true;
}

function sharedSchemas() {
  const effects = z.record(z.string(), z.looseObject({ start: z.number(), end: z.number() }));
  return { effects, jsonObject: z.record(z.string(), z.unknown()) };
}

/** A schema for each kind that a session's log may hold: one that the register has and this has not does not compile. */
function kindSchemas() {
  const base = baseFields();
  const messages = messageSchemas();
  const { injection, ...held } = messages;
  const { effects, jsonObject } = sharedSchemas();
  const active = z.looseObject({ ids: z.array(z.string()), messages: z.number(), lastId: z.string() }).optional();
  return {
    ...held,
    compaction: compactionSchema(messages),
    injection,
    "runtime-init": z.looseObject({ ...base, type: z.literal("runtime-init"), data: jsonObject }),
    activation: z.looseObject({ ...base, type: z.literal("activation"), sticky: effects, cooldown: effects, active }),
    redact: z.looseObject({ ...base, type: z.literal("redact"), entryId: z.string() }),
    stopped: z.looseObject({ ...base, type: z.literal("stopped"), entryId: z.string() }),
    pin: pinSchema(messages),
    custom: z.looseObject({ ...base, type: z.literal("custom") }),
  } satisfies { readonly [Kind in SessionKind]: z.ZodObject<{ readonly type: z.ZodLiteral<Kind> }> };
}

interface EntrySchemas {
  readonly kinds: ReturnType<typeof kindSchemas>;
  readonly known: z.ZodType;
  readonly unknown: z.ZodType;
}

let made: EntrySchemas | undefined;

function entrySchemas(): EntrySchemas {
  if (made) return made;
  const kinds = kindSchemas();
  const known = z.discriminatedUnion("type", [kinds.message, ...Object.values(kinds).slice(1)]);
  made = { kinds, known, unknown: z.looseObject({ ...baseFields(), type: z.string().min(1) }) };
  return made;
}

/** A message as an entry. */
export const messageEntrySchema: z.ZodType = z.lazy(() => entrySchemas().kinds.message);

/** The schema for one entry: known types are checked whole, unknown ones only for what every entry has [M2]. */
export function entrySchemaFor(value: unknown): z.ZodType<SessionEntry> {
  const { kinds, known, unknown } = entrySchemas();
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  return (typeof type === "string" && !Object.hasOwn(kinds, type) ? unknown : known) as z.ZodType<SessionEntry>;
}

/** One line of a session file, as editors check it. */
export const sessionEntrySchema: z.ZodType = z.lazy(() => z.union([entrySchemas().known, entrySchemas().unknown]));

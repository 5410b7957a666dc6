import { hash } from "node:crypto";
import {
  type CompactionEntry,
  GalleyError,
  type JsonObject,
  type Language,
  type ModelMessage,
  canonicalJson,
} from "@galley/engine";
import type { ActivationEntry, ChatKind, FilePart, ImagePart, InjectionEntry, TextPart } from "@galley/engine/messages";
import { messageSchema, sessionEntrySchema } from "@galley/engine/schemas";
import * as z from "zod";
import { type AsideLine, type ImportedFields, asideSchema, importedSchema } from "./aside-line.ts";

/** The version of every line and file that is written here. */
export const formatVersion = 1;

const idPattern = /^c_\d{8}_[A-Za-z0-9_-]{1,64}$/;

/** Whether a text can be the id of a context, and so the name of a file. */
export function isContextId(text: string): boolean {
  return idPattern.test(text);
}

export type ChatPart = TextPart | ImagePart | FilePart;

/** A message of a chat as it is stored: user and assistant only, without tools and reasoning [W2]. */
export interface ChatMessage extends ImportedFields {
  readonly ts: number;
  readonly role: "user" | "assistant";
  readonly content: string | ChatPart[];
  /** The archive that it sums up, for a summary that was recalled in the place of its messages. */
  readonly summaryOf?: string;
  /** A question whose run failed or was aborted: it is in the transcript only [W11]. */
  readonly failed?: boolean;
  /** The turn that this is the reply of, and what was committed; the same commit again is known by it [T7]. */
  readonly turn?: string;
}

/** How much of an archived context comes back: every message, the last ones, or the summary. */
export type RecallMode = "full" | "recent" | "summary";

const ts = z.number();
const language: z.ZodType<Language> = z.enum(["en", "zh"]);
const chatMessage = z.looseObject({
  ts,
  role: z.enum(["user", "assistant"]),
  content: z.string().or(z.array(z.unknown())),
}) as unknown as z.ZodType<ChatMessage>;
const messages: z.ZodType<readonly ModelMessage[]> = z.array(messageSchema);
/** How many messages steps are, what they cost as they were counted then, and the messages where the chat keeps them. */
const tally = {
  count: z.int().min(0),
  tokens: z.number().min(0),
  messages: messages.optional(),
};
const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), z.json());

/** The kinds of typed lines, which programs that know messages only skip: one that the register has and this has not does not compile [V5]. */
const kinds = {
  /** The first line of an active context that was recalled from an archive. */
  recalled: z.object({
    ts,
    /** Names this recall: the same archive may be recalled again. */
    contextId: z.string().refine(isContextId),
    /** The archive that it came from, and goes back to [A10]. */
    from: z.string().refine(isContextId),
    mode: z.enum(["full", "recent", "summary"] satisfies RecallMode[]),
    /** Where some were left out: the message behind which the recalled ones stood, or `null` if they were the first. */
    after: z.string().nullish(),
    /** How many messages, as handles count them, stood before those that follow; lines of earlier versions do not say it [R1]. */
    before: z.int().min(0).optional(),
    /** How many of the messages that follow were recalled. */
    messageCount: z.number(),
    /** The language of the label before them. Lines of earlier versions do not say it. */
    language: language.default("en"),
    /** The note of the archive, which comes before them [A7]. */
    note: z.string().optional(),
    /** The call of a tool that recalled it, if one did. */
    call: z.string().optional(),
  }),
  /** The first line of an active context that began with the end of the transcript [W12]. */
  transcript: z.object({
    ts,
    /** The language of the label before it. */
    language,
    /** What was said, oldest first; by the ids a redaction finds it here as well [M7]. */
    said: z.array(z.object({ id: z.string(), role: z.enum(["user", "assistant"]), text: z.string() })),
  }),
  /** Calls of tools and their results between a question and its reply [T8]. */
  steps: z.object({
    ts,
    /** The ids of question and reply: a redaction of either takes the steps along. */
    of: z.array(z.string()),
    ...tally,
  }),
  /** Another answer to a question; the one that was chosen stands as the message [T13]. */
  alternate: z.object({
    ts,
    /** The id of the question. */
    of: z.string(),
    message: chatMessage,
    /** What led to it. */
    steps: z.object(tally).optional(),
    isStopped: z.boolean().optional(),
  }),
  /** Says that a person stopped the run of this message [T17]. */
  stopped: z.object({ ts, entryId: z.string() }),
  /** What another agent gave for a task, in front of the question of the turn that got it [A1]. */
  result: z.object({
    ts,
    taskId: z.string(),
    /** The question of the turn that asked for it. */
    anchor: z.string().optional(),
    /** As it is sent to the model: it says whose text it is. */
    content: z.string(),
  }),
  /** What this context was begun with: it stands behind the system prompt of every build [F11, T5]. */
  "runtime-init": z.object({ ts, id: z.string(), data: jsonObject }),
  /** Keeps a message or a sentence in every build, or takes that back [R6]. */
  pin: z.object({
    ts,
    id: z.string(),
    /** The message that is meant, or the pin that is taken back. */
    entryId: z.string().optional(),
    text: z.string().optional(),
    by: z.enum(["person", "model"]).optional(),
    isUndone: z.boolean().optional(),
    /** The message itself: it may lie further back than a build reads. */
    message: chatMessage.optional(),
    /** Which message of the context it is, from 1. */
    ordinal: z.int().min(0).optional(),
  }),
  /** Where something stood that is not shown any more: the handles of what follows stay what they were [M7, R1]. */
  redacted: z.object({
    ts,
    entryId: z.string(),
    /** How many messages stood there, of steps with tools. */
    count: z.int().min(0).optional(),
  }),
  /** Says that a message must not be shown any more [M7]; these lines have a log of their own. */
  redact: z.object({ ts, entryId: z.string() }),
  aside: asideSchema,
} satisfies { readonly [Kind in Exclude<ChatKind, "message" | DecisionEntry["type"]>]: z.ZodObject };

/** A line as its schema reads it; what a newer version has written beside stays in it. */
type LineOf<Kind extends keyof typeof kinds> = { readonly type: Kind } & Fields<z.output<(typeof kinds)[Kind]>>;
type Fields<Line> = { readonly [Name in keyof Line]: Readonly<Line[Name]> };

export type RecalledLine = LineOf<"recalled">;
export type TranscriptLine = LineOf<"transcript">;
export type StepsLine = LineOf<"steps">;
export type AlternateLine = LineOf<"alternate">;
export type ResultLine = LineOf<"result">;
export type PinLine = LineOf<"pin">;
export type RedactedLine = LineOf<"redacted">;

/** A line of a kind that this version does not know: builds skip it, and it stays as it is [V5]. */
interface OtherLine {
  readonly type: "other";
  readonly ts: number;
  readonly line: Readonly<Record<string, unknown>>;
}

/** Typed lines that stay with the messages around them, also in an archive [V5]. */
export type KeptLine =
  | OtherLine
  | StepsLine
  | AlternateLine
  | LineOf<"stopped">
  | ResultLine
  | LineOf<"runtime-init">
  | AsideLine
  | PinLine
  | RedactedLine;

/** What a build decided: what goes, where an injection stands for good [C14], which lorebook entries stay [K2]. */
export type DecisionEntry = CompactionEntry | InjectionEntry | ActivationEntry;

export interface DecisionLine {
  readonly type: "decision";
  readonly ts: number;
  readonly entry: DecisionEntry;
}

export type ChatLine =
  | { readonly type: "message"; readonly message: ChatMessage }
  | RecalledLine
  | TranscriptLine
  | DecisionLine
  | KeptLine
  | LineOf<"redact">;

/** Reads one line, or says with an error what is wrong with it. */
export function parseChatLine(text: string): ChatLine {
  const line = JSON.parse(text) as Record<string, unknown> | null;
  if (typeof line !== "object" || line === null) throw new Error("it is not an object");
  const { v, ts, role, content, type, summaryOf, failed, turn, said, sillytavern } = line;
  if (typeof v === "number" && v > formatVersion) throw newerError(v);
  if (v !== formatVersion) throw new Error("it has no version");
  if (type !== undefined) return parseTyped(line, type);
  if (typeof ts !== "number" || (role !== "user" && role !== "assistant")) throw new Error("it is not a message");
  const imported = said === undefined && sillytavern === undefined ? {} : importedSchema.parse({ said, sillytavern });
  const outcome = {
    ...(failed === true ? { failed } : {}),
    ...(typeof turn === "string" ? { turn } : {}),
    ...imported,
  };
  // Plain text is what nearly all lines hold; only parts are worth a schema.
  if (typeof content === "string") {
    const source = typeof summaryOf === "string" ? { summaryOf } : {};
    return { type: "message", message: { ts, role, content, ...source, ...outcome } };
  }
  if (!messageSchema.safeParse({ role, content }).success) throw new Error("its content is not a list of parts");
  return { type: "message", message: { ts, role, content: content as ChatPart[], ...outcome } };
}

export function isChatLine(text: string): boolean {
  try {
    parseChatLine(text);
    return true;
  } catch {
    return false;
  }
}

const parsers: ReadonlyMap<unknown, z.ZodObject> = new Map(
  Object.entries<z.ZodObject>(kinds).map(([kind, schema]) => [kind, schema.loose()]),
);

function parseTyped(line: Record<string, unknown>, type: unknown): ChatLine {
  if (type === "compaction" || type === "injection" || type === "activation") return parseDecision(line);
  const parser = parsers.get(type);
  return parser ? ({ ...parser.parse(line), type } as ChatLine) : { type: "other", ts: Number(line["ts"]), line };
}

function parseDecision(line: Record<string, unknown>): DecisionLine {
  const { v: _, ...entry } = line;
  return { type: "decision", ts: Number(line["ts"]), entry: sessionEntrySchema.parse(entry) as DecisionEntry };
}

export function newerError(version: number, path?: string): GalleyError {
  const what = path === undefined ? "The data" : path;
  return new GalleyError("DataNewer", `${what} has version ${version}; this Galley reads up to ${formatVersion}.`, {
    path,
    hint: "Use the newer Galley that wrote it. Nothing was changed.",
  });
}

export function formatMessage(message: ChatMessage): string {
  const { ts, role, content, summaryOf, failed, turn, said, sillytavern } = message;
  return `${JSON.stringify({ v: formatVersion, ts, role, content, summaryOf, failed, turn, said, sillytavern })}\n`;
}

/** The type comes first: readers look for it at the start of a line, however long that is. */
export function formatLine(given: RecalledLine | TranscriptLine | KeptLine | RedactedLine): string {
  if (given.type === "other") return `${JSON.stringify(given.line)}\n`;
  return `${JSON.stringify(Object.assign({ v: formatVersion, type: given.type }, given))}\n`;
}

export function formatDecision(entry: DecisionEntry, ts: number): string {
  return `${JSON.stringify({ v: formatVersion, ...entry, ts })}\n`;
}

/** Names a message by what it is: stored lines carry no ids, and those of other programs have one as well. */
export function messageId(message: ChatMessage): string {
  const { ts, role, content } = message;
  for (const known of lastNamed) {
    if (known.ts === ts && known.role === role && known.content === content) return known.id;
  }
  const id = nameOf(message);
  if (typeof content === "string" && content.length <= maxNamedLength) {
    lastNamed[nextNamed] = { ts, role, content, id };
    nextNamed = (nextNamed + 1) % maxNamed;
  }
  return id;
}

/** A turn names its two messages several times. */
const lastNamed: { readonly ts: number; readonly role: string; readonly content: string; readonly id: string }[] = [];
const maxNamed = 4;
/** What is longer is not kept in memory for this. */
const maxNamedLength = 10_000;
let nextNamed = 0;

function nameOf({ ts, role, content }: ChatMessage): string {
  const named = [ts, role, content];
  // Of texts and numbers, plain JSON is the canonical form, and quicker to write.
  const json = typeof content === "string" ? JSON.stringify(named) : canonicalJson(named);
  return `m_${hash("sha256", json, "hex").slice(0, 20)}`;
}

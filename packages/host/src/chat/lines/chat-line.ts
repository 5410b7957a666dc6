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
import {
  alternateSchema,
  pinSchema,
  recalledSchema,
  redactSchema,
  redactedSchema,
  resultSchema,
  runtimeInitSchema,
  stepsSchema,
  transcriptSchema,
} from "./line-schemas.ts";
import { type AsideLine, type ImportedFields, asideSchema, importedSchema } from "./aside-line.ts";

export { isContextId } from "./line-schemas.ts";

/** The version of every line and file that is written here. */
export const formatVersion = 1;

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

/** A typed line: its kind is one of the register [V5], and programs that know messages only skip it. */
interface LineOf<Kind extends ChatKind> {
  readonly type: Kind;
  readonly ts: number;
}

/** The first line of an active context that was recalled from an archive. */
export interface RecalledLine extends LineOf<"recalled"> {
  /** Names this recall: the same archive may be recalled again. */
  readonly contextId: string;
  /** The archive that it came from, and goes back to [A10]. */
  readonly from: string;
  readonly mode: RecallMode;
  /** Where some were left out: the message behind which the recalled ones stood, or `null` if they were the first. */
  readonly after?: string | null | undefined;
  /** How many messages, as handles count them, stood before those that follow; lines of earlier versions do not say it [R1]. */
  readonly before?: number | undefined;
  /** How many of the messages that follow were recalled. */
  readonly messageCount: number;
  /** The language of the label before them. */
  readonly language: Language;
  /** The note of the archive, which comes before them [A7]. */
  readonly note?: string | undefined;
  /** The call of a tool that recalled it, if one did. */
  readonly call?: string | undefined;
}

/** The first line of an active context that began with the end of the transcript [W12]. */
export interface TranscriptLine extends LineOf<"transcript"> {
  /** The language of the label before it. */
  readonly language: Language;
  /** What was said, oldest first; by the ids a redaction finds it here as well [M7]. */
  readonly said: readonly { readonly id: string; readonly role: ChatMessage["role"]; readonly text: string }[];
}

/** Calls of tools and their results between a question and its reply [T8]. */
export interface StepsLine extends LineOf<"steps"> {
  /** The ids of question and reply: a redaction of either takes the steps along. */
  readonly of: readonly string[];
  /** How many messages they are, and what they cost as they were counted then. */
  readonly count: number;
  readonly tokens: number;
  /** The messages, where the chat keeps them. */
  readonly messages?: readonly ModelMessage[];
}

/** Another answer to a question; the one that was chosen stands as the message [T13]. */
export interface AlternateLine extends LineOf<"alternate"> {
  /** The id of the question. */
  readonly of: string;
  readonly message: ChatMessage;
  /** What led to it. */
  readonly steps?: Pick<StepsLine, "count" | "tokens" | "messages">;
  readonly isStopped?: boolean;
}

/** Says that a person stopped the run of this message [T17]. */
interface StoppedLine extends LineOf<"stopped"> {
  readonly entryId: string;
}

/** What another agent gave for a task, in front of the question of the turn that got it [A1]. */
export interface ResultLine extends LineOf<"result"> {
  readonly taskId: string;
  /** The question of the turn that asked for it. */
  readonly anchor?: string | undefined;
  /** As it is sent to the model: it says whose text it is. */
  readonly content: string;
}

/** What this context was begun with: it stands behind the system prompt of every build [F11, T5]. */
interface RuntimeInitLine extends LineOf<"runtime-init"> {
  readonly id: string;
  readonly data: JsonObject;
}

/** Keeps a message or a sentence in every build, or takes that back [R6]. */
export interface PinLine extends LineOf<"pin"> {
  readonly id: string;
  /** The message that is meant, or the pin that is taken back. */
  readonly entryId?: string | undefined;
  readonly text?: string | undefined;
  readonly by?: "person" | "model" | undefined;
  readonly isUndone?: boolean | undefined;
  /** The message itself: it may lie further back than a build reads. */
  readonly message?: ChatMessage | undefined;
  /** Which message of the context it is, from 1. */
  readonly ordinal?: number | undefined;
}

/** Where something stood that is not shown any more: the handles of what follows stay what they were [M7, R1]. */
export interface RedactedLine extends LineOf<"redacted"> {
  readonly entryId: string;
  /** How many messages stood there, of steps with tools. */
  readonly count?: number | undefined;
}

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
  | StoppedLine
  | ResultLine
  | RuntimeInitLine
  | AsideLine
  | PinLine
  | RedactedLine;

/** How much of an archived context comes back: every message, the last ones, or the summary. */
export type RecallMode = "full" | "recent" | "summary";

/** What a build decided: what goes, where an injection stands for good [C14], which lorebook entries stay [K2]. */
export type DecisionEntry = CompactionEntry | InjectionEntry | ActivationEntry;

export interface DecisionLine {
  readonly type: "decision";
  readonly ts: number;
  readonly entry: DecisionEntry;
}

/** Says that a message must not be shown any more [M7]; these lines have a log of their own. */
interface RedactLine extends LineOf<"redact"> {
  readonly entryId: string;
}

export type ChatLine =
  | { readonly type: "message"; readonly message: ChatMessage }
  | RecalledLine
  | TranscriptLine
  | DecisionLine
  | KeptLine
  | RedactLine;

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

/** Whether a text is one whole line. */
export function isChatLine(text: string): boolean {
  try {
    parseChatLine(text);
    return true;
  } catch {
    return false;
  }
}

type Parser = (line: Record<string, unknown>) => ChatLine;

/** How each kind of typed line is read: one that the register has and this has not does not compile [V5]. */
const parsers: { readonly [Kind in Exclude<ChatKind, "message">]: Parser } = {
  recalled: (line) => ({ ...recalledSchema.parse(line), type: "recalled" }),
  transcript: (line) => ({ ...transcriptSchema.parse(line), type: "transcript" }),
  redact: (line) => ({ ...redactSchema.parse(line), type: "redact" }),
  redacted: (line) => ({ ...redactedSchema.parse(line), type: "redacted" }),
  steps: (line) => ({ ...stepsSchema.parse(line), type: "steps" }),
  alternate: (line) => ({ ...alternateSchema.parse(line), type: "alternate" }) as AlternateLine,
  result: (line) => ({ ...resultSchema.parse(line), type: "result" }),
  pin: (line) => ({ ...pinSchema.parse(line), type: "pin" }) as PinLine,
  aside: (line) => ({ ...asideSchema.parse(line), type: "aside" }),
  stopped: (line) => ({ ...redactSchema.parse(line), type: "stopped" }),
  "runtime-init": (line) => ({ ...runtimeInitSchema.parse(line), type: "runtime-init" }),
  compaction: parseDecision,
  injection: parseDecision,
  activation: parseDecision,
};

function parseTyped(line: Record<string, unknown>, type: unknown): ChatLine {
  const isKnown = typeof type === "string" && Object.hasOwn(parsers, type);
  return isKnown ? parsers[type as keyof typeof parsers](line) : { type: "other", ts: Number(line["ts"]), line };
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

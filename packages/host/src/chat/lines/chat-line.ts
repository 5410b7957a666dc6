import { hash } from "node:crypto";
import { type CompactionEntry, GalleyError, type InjectionEntry, type Language, canonicalJson } from "@galley/engine";
import type { FilePart, ImagePart, TextPart } from "@galley/engine/messages";
import { messageSchema, sessionEntrySchema } from "@galley/engine/schemas";
import * as z from "zod";

const idPattern = /^c_\d{8}_[A-Za-z0-9_-]{1,64}$/;

/** Whether a text can be the id of a context, and so the name of a file. */
export function isContextId(text: string): boolean {
  return idPattern.test(text);
}

/** The version of every line and file that is written here. */
export const formatVersion = 1;

export type ChatPart = TextPart | ImagePart | FilePart;

/** A message of a chat as it is stored: user and assistant only, without tools and reasoning [W2]. */
export interface ChatMessage {
  readonly ts: number;
  readonly role: "user" | "assistant";
  readonly content: string | ChatPart[];
  /** The archive that it sums up, for a summary that was recalled in the place of its messages. */
  readonly summaryOf?: string;
  /** A question whose run failed or was aborted: it is in the transcript only [W11]. */
  readonly failed?: boolean;
}

/** The first line of an active context that was recalled from an archive. */
export interface RecalledLine {
  readonly type: "recalled";
  readonly ts: number;
  /** The context's own id. */
  readonly contextId: string;
  /** The archive that it came from. */
  readonly from: string;
  readonly mode: RecallMode;
  /** How many of the messages that follow were recalled. */
  readonly messageCount: number;
  /** The language of the label before them. */
  readonly language: Language;
}

/** The first line of an active context that began with the end of the transcript [W12]. */
export interface TranscriptLine {
  readonly type: "transcript";
  readonly ts: number;
  /** The language of the label before it. */
  readonly language: Language;
  /** What was said, oldest first; by the ids a redaction finds it here as well [M7]. */
  readonly said: readonly { readonly id: string; readonly role: ChatMessage["role"]; readonly text: string }[];
}

/** How much of an archived context comes back: every message, the last ones, or the summary. */
export type RecallMode = "full" | "recent" | "summary";

/** What a build decided: what goes, or where an injection stands for good [C14]. */
export type DecisionEntry = CompactionEntry | InjectionEntry;

export interface DecisionLine {
  readonly type: "decision";
  readonly ts: number;
  readonly entry: DecisionEntry;
}

/** Where a message stood whose bytes were removed [M7]. */
export interface RedactedLine {
  readonly type: "redacted";
  readonly ts: number;
  readonly entryId: string;
}

/** Says that a message must not be shown any more [M7]; these lines have a log of their own. */
interface RedactLine {
  readonly type: "redact";
  readonly ts: number;
  readonly entryId: string;
}

/** A line of a kind that this version does not know: kept and skipped. */
interface OtherLine {
  readonly type: "other";
}

export type ChatLine =
  | { readonly type: "message"; readonly message: ChatMessage }
  | RecalledLine
  | TranscriptLine
  | DecisionLine
  | RedactedLine
  | RedactLine
  | OtherLine;

const language = z.enum(["en", "zh"]);

const recalledSchema = z.looseObject({
  ts: z.number(),
  contextId: z.string().refine(isContextId),
  from: z.string().refine(isContextId),
  mode: z.enum(["full", "recent", "summary"]),
  messageCount: z.number(),
  // Lines of earlier versions do not say it.
  language: language.default("en"),
});

const transcriptSchema = z.looseObject({
  ts: z.number(),
  language,
  said: z.array(z.object({ id: z.string(), role: z.enum(["user", "assistant"]), text: z.string() })),
});

const redactSchema = z.looseObject({ ts: z.number(), entryId: z.string() });

/** Reads one line, or says with an error what is wrong with it. */
export function parseChatLine(text: string): ChatLine {
  const line = JSON.parse(text) as Record<string, unknown> | null;
  if (typeof line !== "object" || line === null) throw new Error("it is not an object");
  const { v, ts, role, content, type, summaryOf, failed } = line;
  if (typeof v === "number" && v > formatVersion) throw newerError(v);
  if (v !== formatVersion) throw new Error("it has no version");
  if (type !== undefined) return parseTyped(line, type);
  if (typeof ts !== "number" || (role !== "user" && role !== "assistant")) throw new Error("it is not a message");
  const outcome = failed === true ? { failed } : {};
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

function parseTyped(line: Record<string, unknown>, type: unknown): ChatLine {
  if (type === "recalled") return { ...recalledSchema.parse(line), type };
  if (type === "transcript") return { ...transcriptSchema.parse(line), type };
  if (type === "redact") return { ...redactSchema.parse(line), type };
  if (type === "redacted") return { type, ts: Number(line["ts"]), entryId: String(line["entryId"]) };
  if (type !== "compaction" && type !== "injection") return { type: "other" };
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

export function formatMessage({ ts, role, content, summaryOf, failed }: ChatMessage): string {
  return `${JSON.stringify({ v: formatVersion, ts, role, content, summaryOf, failed })}\n`;
}

export function formatLine(line: RecalledLine | TranscriptLine | RedactedLine): string {
  return `${JSON.stringify({ v: formatVersion, ...line })}\n`;
}

export function formatDecision(entry: DecisionEntry, ts: number): string {
  return `${JSON.stringify({ v: formatVersion, ...entry, ts })}\n`;
}

/** Names a message by what it is: stored lines carry no ids, and those of other programs have one as well. */
export function messageId({ ts, role, content }: ChatMessage): string {
  return `m_${hash("sha256", canonicalJson([ts, role, content]), "hex").slice(0, 20)}`;
}

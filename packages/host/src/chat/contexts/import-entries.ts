import {
  GalleyError,
  type JsonObject,
  type MessageEntry,
  type Secrets,
  type SessionEntry,
  redactSecrets,
} from "@galley/engine";
import { entrySchemaFor } from "@galley/engine/schemas";
import { type ChatFile, detachFiles } from "../lines/chat-files.ts";
import type { AsideLine } from "../lines/aside-line.ts";
import { type ChatMessage, type DecisionEntry, messageId } from "../lines/chat-line.ts";
import { toChatMessage } from "../lines/chat-message.ts";
import type { StoredItem } from "../lines/kept-lines.ts";

export interface ImportedLines {
  readonly transcript: readonly StoredItem[];
  readonly active: readonly StoredItem[];
  readonly files: readonly ChatFile[];
  /** Which lorebook entries stay, and which stay away [K2]. */
  readonly effects: DecisionEntry | undefined;
  /** Entries that a chat does not keep. */
  readonly left: number;
}

/**
 * The entries of an import as lines of a chat [X1b]: what user and assistant said with the speakers' names, other versions of
 * an answer as alternates of its question [T13], narrators and hidden lines as asides.
 */
export function importedLines(
  entries: readonly SessionEntry[],
  nextTime: () => number,
  secrets: Secrets,
): ImportedLines {
  const transcript: StoredItem[] = [];
  const active: StoredItem[] = [];
  const files: ChatFile[] = [];
  let effects: DecisionEntry | undefined;
  let question: string | undefined;
  let left = 0;
  for (const [index, entry] of entries.entries()) {
    checkEntry(entry, index);
    if (entry.type === "activation") {
      effects = entry;
      continue;
    }
    const aside = asideOf(entry, nextTime);
    if (aside) {
      const line = redactSecrets(aside, secrets);
      transcript.push(line);
      active.push(line);
    } else if (entry.type !== "message" || !isKept(entry)) left += 1;
    else {
      const kept = detachFiles(messageOf(entry, nextTime(), secrets, `entries[${index}]`));
      files.push(...kept.files);
      transcript.push(kept.message);
      active.push(kept.message, ...alternatesOf(entry, question, nextTime, secrets));
      if (kept.message.role === "user") question = messageId(kept.message);
    }
  }
  return { transcript, active, files, effects, left };
}

function checkEntry(entry: unknown, index: number): void {
  const result = entrySchemaFor(entry).safeParse(entry);
  if (result.success) return;
  const [issue] = result.error.issues;
  const path = [`entries[${index}]`, ...(issue?.path ?? []).map(String)].join(".");
  throw new GalleyError("ContextInvalidInput", `${path}: ${issue?.message}`, {
    path,
    hint: "Give the entries of an import, as importTavern makes them.",
  });
}

/** What an import remembered of a line, under a name that sessions carry along. */
function memoryOf(entry: SessionEntry): JsonObject | undefined {
  const { sillytavern } = entry as { readonly sillytavern?: unknown };
  const isObject = typeof sillytavern === "object" && sillytavern !== null && !Array.isArray(sillytavern);
  return isObject ? (sillytavern as JsonObject) : undefined;
}

function asideOf(entry: SessionEntry, nextTime: () => number): AsideLine | undefined {
  const memory = memoryOf(entry);
  const kept = memory === undefined ? {} : { sillytavern: memory };
  if (entry.type === "message" && typeof entry.message.content === "string") {
    const { role, content } = entry.message;
    if (role !== "system" && (role === "tool" || content !== "")) return undefined;
    return { type: "aside", ts: nextTime(), role, content, ...(entry.said && { said: entry.said }), ...kept };
  }
  const hidden = memory?.["hidden"];
  if (entry.type !== "custom" || typeof hidden !== "object" || hidden === null || Array.isArray(hidden))
    return undefined;
  const { role, text } = hidden as JsonObject;
  return {
    type: "aside",
    ts: nextTime(),
    role: role === "user" || role === "assistant" ? role : "system",
    content: typeof text === "string" ? text : "",
    isHidden: true,
    ...kept,
  };
}

function isKept({ message: { role } }: MessageEntry): boolean {
  return role === "user" || role === "assistant";
}

function messageOf(entry: MessageEntry, ts: number, secrets: Secrets, path: string): ChatMessage {
  const memory = memoryOf(entry);
  return {
    ...toChatMessage(entry.message, ts, secrets, path),
    ...(entry.said && { said: redactSecrets(entry.said, secrets) }),
    ...(memory && { sillytavern: redactSecrets(memory, secrets) }),
  };
}

/** Other versions of an answer; those of a greeting, which answers nothing, stay with it. */
function alternatesOf(
  entry: MessageEntry,
  question: string | undefined,
  nextTime: () => number,
  secrets: Secrets,
): StoredItem[] {
  const swipes = memoryOf(entry)?.["swipes"];
  if (entry.message.role !== "assistant" || question === undefined || !Array.isArray(swipes)) return [];
  return swipes
    .filter((swipe): swipe is string => typeof swipe === "string" && swipe !== "")
    .map((content) => {
      const ts = nextTime();
      const message = {
        ...toChatMessage({ role: "assistant", content }, ts, secrets),
        ...(entry.said?.by !== undefined && { said: { by: entry.said.by } }),
      };
      return { type: "alternate", ts, of: question, message };
    });
}

import type { Preset } from "../../../compose/preset/preset.ts";
import type { MessageEntry, SessionEntry } from "../../../model/entries.ts";
import type { JsonObject, JsonValue, ModelMessage } from "../../../model/messages.ts";
import { activePath } from "../../../model/session-log.ts";
import { isJsonObject } from "../../../model/parse-json.ts";
import type { ImportReport } from "../../files/import-report.ts";
import { type FieldReader, readFields } from "../../files/read-fields.ts";
import type { SpeakerNames } from "../example-dialogue.ts";
import type { ExportItem } from "./export-items.ts";
import { readTimed } from "../read/read-tavern-chat.ts";

/** What was said as the lines of a chat. Lines that were imported are written as they were. */
export function exportChat(
  entries: readonly SessionEntry[],
  items: readonly ExportItem[],
  preset: Preset,
  memory: FieldReader,
  report: ImportReport,
): string {
  const path = activePath(entries);
  const redacted = new Set(path.flatMap((entry) => (entry.type === "redact" ? [entry.entryId] : [])));
  const names = { user: preset.variables?.["user"] ?? "User", character: preset.variables?.["char"] ?? "Assistant" };
  const lines = path.filter(({ id }) => !redacted.has(id)).flatMap((entry) => lineOf(entry, names));
  reportLeft(path, redacted, report);
  const header = headerOf(path, items, memory, names);
  return [...(header ? [header] : []), ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** What an import remembered of a line. */
function keptOf(entry: SessionEntry): JsonObject {
  const { sillytavern: kept } = entry as { readonly sillytavern?: unknown };
  return isJsonObject(kept) ? kept : {};
}

function lineOf(entry: SessionEntry, names: SpeakerNames): JsonObject[] {
  const { line } = keptOf(entry);
  const kept = isJsonObject(line) ? line : undefined;
  if (entry.type === "custom") return kept ? [kept] : [];
  if (entry.type !== "message") return [];
  const text = textOf(entry.message);
  if (kept) return [{ ...kept, ...(kept["mes"] === true ? { mes: text } : {}) }];
  const { role } = entry.message;
  if (role === "tool" || text === undefined) return [];
  const isUser = role === "user";
  const name = entry.said?.by ?? (isUser ? names.user : names.character);
  return [
    {
      name,
      is_user: isUser,
      is_system: false,
      send_date: entry.ts,
      mes: entry.said?.text ?? text,
      extra: role === "system" ? { type: "narrator" } : {},
      ...swipesOf(entry, text),
    },
  ];
}

/** Other answers to the same question, in front of the one that was chosen. */
function swipesOf(entry: MessageEntry, text: string): JsonObject {
  const others = readFields(keptOf(entry)).texts("swipes");
  return others.length === 0 ? {} : { swipe_id: others.length, swipes: [...others, text] };
}

/** All that a chat there can hold of a message; nothing where that is nothing. */
function textOf({ content }: ModelMessage): string | undefined {
  if (typeof content === "string") return content;
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === 0 ? undefined : texts.join("\n");
}

function reportLeft(path: readonly SessionEntry[], redacted: ReadonlySet<string>, report: ImportReport): void {
  const counts = new Map<string, number>();
  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  for (const entry of path) {
    if (redacted.has(entry.id)) count("redacted messages");
    else if (entry.type === "result") count("results of tasks");
    else if (entry.type === "compaction") count("compactions");
    else if (entry.type === "message" && typeof entry.message.content !== "string")
      for (const part of entry.message.content) if (part.type !== "text") count(`parts of the kind ${part.type}`);
  }
  for (const [what, number] of counts) report.unsupported("chat", `Chats there do not hold ${what}: ${number}.`);
}

/** The first line, with the note and the effects that hold now; nothing for a chat that had none. */
function headerOf(
  path: readonly SessionEntry[],
  items: readonly ExportItem[],
  memory: FieldReader,
  { user, character }: SpeakerNames,
): JsonObject | undefined {
  if (memory.source["chat"] === false) return undefined;
  const isKept = memory.has("chat");
  const first = path.find(({ type }) => type === "message")?.ts ?? 0;
  const header = isKept
    ? memory.fields("chat").source
    : { user_name: user, character_name: character, create_date: first, chat_metadata: {} };
  const metadata = readFields(header).fields("chat_metadata");
  const changes = { ...noteChanges(items), ...timedChanges(path, metadata) };
  if (Object.keys(changes).length === 0) return header;
  return { ...header, chat_metadata: { ...metadata.source, ...changes } };
}

function noteChanges(items: readonly ExportItem[]): JsonObject {
  const note = items.find(({ from }) => from === "note");
  const { imported } = note?.source ?? {};
  return note && imported !== undefined && imported !== note.content ? { note_prompt: note.content } : {};
}

/** Which entries stay and which stay away, where that has changed. */
function timedChanges(path: readonly SessionEntry[], metadata: FieldReader): JsonObject {
  const last = path.findLast(
    (entry) => entry.type === "activation" || (entry.type === "compaction" && entry.activation),
  );
  const now = last?.type === "activation" ? last : last?.type === "compaction" ? last.activation : undefined;
  if (!now) return {};
  const timed = { sticky: now.sticky ?? {}, cooldown: now.cooldown ?? {} };
  if (JSON.stringify(timed) === JSON.stringify(readTimed(metadata))) return {};
  return { timedWorldInfo: timed as unknown as JsonValue };
}

import {
  type ModelMessage,
  type Preset,
  type SessionEntry,
  importReport,
  importTavern,
  parsePreset,
  parseSession,
  readTavernFile,
} from "@galley/engine";
import type { ImportNote, TavernFile, TavernKind } from "@galley/engine/sillytavern";
import { type ErrorDetails, describeError } from "../../api/api-error.ts";

/** A file as it was dropped. */
export interface GivenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What the person says it is, where its content does not tell. */
  readonly as?: TavernKind;
}

export interface ImportChoices {
  readonly user: string;
  readonly entries: "constant" | "all";
  readonly useEmbeddedBook: boolean;
}

/** What a file turned out to be, or why it cannot be read. */
export interface ReadFile {
  readonly name: string;
  readonly kind?: TavernKind | "galley-preset" | "galley-session";
  readonly error?: ErrorDetails;
}

export interface ReadImport {
  readonly files: readonly ReadFile[];
  readonly preset?: Preset;
  readonly entries: readonly SessionEntry[];
  readonly notes: readonly ImportNote[];
  /** Why the files, each of them readable, do not go together. */
  readonly error?: ErrorDetails;
}

/** Reads what was dropped: SillyTavern's files in any number, or a preset and a session of Galley's own. */
export function readImport(given: readonly GivenFile[], choices: ImportChoices): ReadImport {
  const report = importReport();
  const files: ReadFile[] = [];
  const tavern: TavernFile[] = [];
  let preset: Preset | undefined;
  let entries: readonly SessionEntry[] = [];
  for (const { name, bytes, as } of given) {
    try {
      const own = as === undefined ? readOwn(name, bytes) : undefined;
      if (own) {
        preset = own.preset ?? preset;
        entries = own.entries ?? entries;
        files.push({ name, kind: own.preset ? "galley-preset" : "galley-session" });
        continue;
      }
      const options = { name: nameOf(name), ...(as && { as }) };
      const file = readTavernFile(bytes, options, report.at(`${name}: `));
      tavern.push(file);
      files.push({ name, kind: file.kind });
    } catch (error) {
      files.push({ name, error: describeError(error) });
    }
  }
  if (tavern.length === 0) return { files, ...(preset && { preset }), entries, notes: report.notes };
  try {
    const { user, entries: activated, useEmbeddedBook } = choices;
    const name = user.trim();
    const made = importTavern(tavern, { report, activated, useEmbeddedBook, ...(name !== "" && { user: name }) });
    return { files, preset: made.preset, entries: made.entries, notes: made.notes };
  } catch (error) {
    return { files, entries: [], notes: report.notes, error: describeError(error) };
  }
}

/** What the messages of an import are, for a chat: what was said, without tools. */
export function chatMessages(entries: readonly SessionEntry[]): readonly ModelMessage[] {
  return entries.flatMap((entry) => {
    if (entry.type !== "message") return [];
    const { message } = entry;
    return message.role === "user" || message.role === "assistant" ? [message] : [];
  });
}

/** A name for the library: the file's own, without what a name may not hold. */
export function nameFor(preset: Preset | undefined, files: readonly ReadFile[]): string {
  const wanted = preset?.name ?? nameOf(files[0]?.name ?? "");
  const safe = wanted.replaceAll(/[^\p{L}\p{N}._ -]/gu, "-").replace(/^[^\p{L}\p{N}]+/u, "");
  return safe.slice(0, 100) || "imported";
}

function nameOf(file: string): string {
  return file.replace(/\.[^.]*$/, "");
}

/** Galley's own files; nothing when it is none of them. */
function readOwn(
  name: string,
  bytes: Uint8Array,
): { readonly preset?: Preset; readonly entries?: readonly SessionEntry[] } | undefined {
  if (bytes[0] === 0x89 || bytes[0] === 0x50) return undefined;
  const text = new TextDecoder().decode(bytes);
  if (/"(?:contextRecipes|presetMessages)"/.test(text)) return { preset: parsePreset(text).preset };
  if (/\.jsonl$/i.test(name) && /^\s*\{[^\n]*"type"\s*:\s*"(?:message|session|compaction)"/.test(text)) {
    return { entries: parseSession(text).entries };
  }
  return undefined;
}

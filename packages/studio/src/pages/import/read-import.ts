import { type Preset, type SessionEntry, parsePreset, parseSession } from "@galley/engine";
import {
  type ImportNote,
  type TavernFile,
  type TavernKind,
  importReport,
  importTavern,
  readTavernFile,
} from "@galley/engine/sillytavern";
import type { ErrorDetails } from "galley/api/client";
import { describeError } from "../../api/describe-error.ts";

/** A file as it was dropped. */
export interface GivenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What the person says it is, where its content does not tell. */
  readonly as?: TavernKind;
}

export interface ImportChoices {
  readonly user: string;
  /** Which of the card's greetings begins the chat, from 1. */
  readonly greeting: number;
  /** Which persona speaks, where a file holds several; without it, the one that the file prefers. */
  readonly persona?: string;
  readonly useEmbeddedBook: boolean;
}

/** What a file turned out to be, or why it cannot be read. */
export interface ReadFile {
  readonly name: string;
  readonly kind?: TavernKind | "galley-preset" | "galley-session";
  readonly error?: ErrorDetails;
  /** It cannot be read, and is JSON: the person may say what it is. */
  readonly canBeNamed?: boolean;
}

export interface ReadImport {
  readonly files: readonly ReadFile[];
  readonly preset?: Preset;
  readonly entries: readonly SessionEntry[];
  readonly notes: readonly ImportNote[];
  /** The greetings of the card, where it has more than one and no chat says how it began. */
  readonly greetings?: readonly string[];
  /** The personas of a file that holds several, the one first that speaks unless another is chosen. */
  readonly personas?: readonly string[];
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
      const details = describeError(error);
      // A file that is called by its name is not one of these kinds.
      files.push({ name, error: details, canBeNamed: details.path === "as" && isObject(bytes) });
    }
  }
  if (tavern.length === 0) return { files, ...(preset && { preset }), entries, notes: report.notes };
  try {
    const { user, greeting, useEmbeddedBook } = choices;
    const name = user.trim();
    const [greetings, personas] = [greetingsOf(tavern), personasOf(tavern)];
    // A choice is forgotten with the file that it was made from.
    const persona = personas.find((one) => one === choices.persona);
    const options = { report, useEmbeddedBook, greeting: greeting - 1, ...(name !== "" && { user: name }) };
    const { preset: made, entries: said, notes } = importTavern(tavern, { ...options, ...(persona && { persona }) });
    return { files, preset: made, entries: said, notes, greetings, personas };
  } catch (error) {
    return { files, entries: [], notes: report.notes, error: describeError(error) };
  }
}

function greetingsOf(files: readonly TavernFile[]): readonly string[] {
  const card = files.find((file) => file.kind === "card");
  if (card?.kind !== "card" || card.otherGreetings.length === 0 || files.some((file) => file.kind === "chat"))
    return [];
  return [card.greeting, ...card.otherGreetings];
}

function personasOf(files: readonly TavernFile[]): readonly string[] {
  const persona = files.find((file) => file.kind === "persona");
  if (persona?.kind !== "persona" || !persona.others) return [];
  return [...new Set([persona, ...persona.others].map(({ name }) => name))];
}

/** What a chat would keep of an import: what the two said, and beside it narrators, hidden and empty lines. */
export function countLines(entries: readonly SessionEntry[]): { readonly messages: number; readonly others: number } {
  const isHidden = (entry: SessionEntry): boolean => entry.type === "custom" && "sillytavern" in entry;
  const isSaid = (entry: SessionEntry): boolean =>
    entry.type === "message" &&
    (entry.message.role === "user" || entry.message.role === "assistant") &&
    entry.message.content !== "";
  const isAside = (entry: SessionEntry): boolean =>
    entry.type === "message" && (entry.message.role === "system" || entry.message.content === "");
  return {
    messages: entries.filter(isSaid).length,
    others: entries.filter((entry) => isAside(entry) || isHidden(entry)).length,
  };
}

/** A name for the library: the file's own, without what a name may not hold. */
export function nameFor(preset: Preset | undefined, files: readonly ReadFile[]): string {
  const wanted = preset?.name ?? nameOf(files[0]?.name ?? "");
  const safe = wanted.replaceAll(/[^\p{L}\p{N}._ -]/gu, "-").replace(/^[^\p{L}\p{N}]+/u, "");
  return safe.slice(0, 100) || "imported";
}

function isObject(bytes: Uint8Array): boolean {
  return /^\s*\{/.test(new TextDecoder().decode(bytes.subarray(0, 1000)));
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

import { isDeepStrictEqual } from "node:util";
import { GalleyError } from "@galley/engine";
import { type InstallRecord, readRecord } from "./install-record.ts";
import type { McpClient, Place } from "./mcp-clients.ts";
import type { SettingsFile } from "./settings-file.ts";
import { type TextEdit, applyEdit } from "./text-edit.ts";

/** The name of the entry. */
const entryName = "galley";

/** A change of a settings file, before anything is written. */
export interface SettingsChange {
  /** The whole file afterwards; nothing when the file goes. */
  readonly text?: string;
  /** What comes into the file, and what goes from it. */
  readonly added: string;
  readonly removed: string;
  /** What to remember of an installation; of an uninstallation, what was remembered. */
  readonly record?: Omit<InstallRecord, "version" | "file">;
}

/** Adds the entry, or replaces it; nothing when it is there as it should be. */
export function planInstall(
  client: McpClient,
  { path, text: given }: SettingsFile,
  value: object,
): SettingsChange | undefined {
  const { format, section } = client;
  const place = [section, entryName] as const;
  const now = given ?? "";
  const before = reading(client, path, () => split(format.read(now), place));
  if (isSame(before.entry, value)) return undefined;
  // An earlier installation is taken back first: what was there before it is what an uninstallation brings back.
  const record = readRecord(path);
  const earlier = record && findEdit(now, record);
  const text = earlier ? applyEdit(now, earlier) : now;
  const edit = reading(client, path, () => format.set(text, place, value));
  const changed = applyEdit(text, edit);
  const after = reading(client, path, () => split(format.read(changed), place));
  if (!isSame(after.entry, value) || !isSame(after.rest, before.rest)) throw byHand(client, path);
  const replaced = text.slice(edit.start, edit.end);
  const isOwnFile = given === undefined || (earlier !== undefined && record?.isNewFile === true && text === "");
  // Of an installation that was cut off, the folders may be there already.
  const folders = earlier || given === undefined ? (record?.folders ?? []) : [];
  return {
    text: changed,
    added: edit.text,
    removed: earlier ? (record?.added ?? "") : replaced,
    record: { added: edit.text, replaced, isNewFile: isOwnFile, folders },
  };
}

/** Whether a person has put a server of ours into the settings, whatever it serves. */
export function hasOwnServer(client: McpClient, { path, text = "" }: SettingsFile): boolean {
  const { entry } = reading(client, path, () => split(client.format.read(text), [client.section, entryName]));
  const { command, args } = (entry ?? {}) as { readonly command?: unknown; readonly args?: unknown };
  const words = [command, args].flat();
  const isGalley = words.some((word) => typeof word === "string" && /(?:^|[\\/])galley(?:\.js)?$/.test(word));
  return isGalley && words.includes("mcp") && readRecord(path)?.by !== "attach";
}

/** Takes the entry out: to the last byte as it was before where that is known, and otherwise by its name. */
export function planUninstall(client: McpClient, { path, text }: SettingsFile): SettingsChange | undefined {
  if (text === undefined) return undefined;
  const { format, section } = client;
  const place = [section, entryName] as const;
  const record = readRecord(path);
  const known = record && findEdit(text, record);
  const before = reading(client, path, () => split(format.read(text), place));
  const removing = reading(client, path, () => format.remove(text, place));
  if (!known && !removing && before.entry === undefined) return undefined;
  for (const edit of [known, removing]) {
    if (!edit) continue;
    const changed = applyEdit(text, edit);
    const removed = text.slice(edit.start, edit.end);
    if (edit === known && record?.isNewFile && changed === "") return { added: "", removed, record };
    const after = tryToRead(() => split(format.read(changed), place));
    const isGone = after?.entry === undefined || edit === known;
    // What a person has added to the entry since then goes with it, and nothing else does.
    if (after && isGone && isSame(after.rest, before.rest)) return { text: changed, added: edit.text, removed };
  }
  throw byHand(client, path);
}

export function tryToRead<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

interface SplitDocument {
  readonly entry: unknown;
  readonly rest: Readonly<Record<string, unknown>>;
}

/** The entry, and everything else; a section that holds nothing else is not part of that. */
function split(document: Readonly<Record<string, unknown>>, [section, name]: Place): SplitDocument {
  const servers = document[section];
  if (typeof servers !== "object" || servers === null || Array.isArray(servers))
    return { entry: undefined, rest: document };
  const { [name]: entry, ...others } = servers as Record<string, unknown>;
  const { [section]: _, ...rest } = document;
  return { entry, rest: Object.keys(others).length === 0 ? rest : { ...rest, [section]: others } };
}

/** As JSON: parsers differ in what they make objects of. */
export function isSame(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(plain(a), plain(b));
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Where the file still holds what was put into it, and only once. */
export function findEdit(text: string, { added, replaced }: InstallRecord): TextEdit | undefined {
  const start = text.indexOf(added);
  if (start < 0 || text.indexOf(added, start + 1) >= 0) return undefined;
  return { start, end: start + added.length, text: replaced };
}

/** A program, and how its settings are read. */
export interface ReadProgram {
  readonly title: string;
  readonly format: { readonly name: string };
}

export function reading<Result>({ format, title }: ReadProgram, path: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    const why = cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause);
    throw new GalleyError("FileUnreadable", `${path} is not ${format.name} that can be changed: ${why}.`, {
      path,
      hint: `Nothing was written. Correct the file, which ${title} may not be able to read either, and try again.`,
      cause,
    });
  }
}

function byHand({ section, title }: McpClient, path: string): GalleyError {
  return new GalleyError("FileUnreadable", `${path} says ${section} in a way that is not changed here.`, {
    path,
    hint: `Nothing was written. Change the entry ${entryName} in the settings of ${title} by hand.`,
  });
}

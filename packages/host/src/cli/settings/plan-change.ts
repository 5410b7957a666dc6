import { isDeepStrictEqual } from "node:util";
import { GalleyError } from "@galley/engine";
import { type InstallRecord, readRecord } from "./install-record.ts";
import type { SettingsFile } from "./settings-file.ts";
import { type TextEdit, applyEdit, editBetween } from "./text-edit.ts";

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

/** What is ours in the settings of a program: one entry, or hooks. What cannot be read throws. */
export interface OwnSettings {
  readonly title: string;
  readonly format: string;
  /** What a person changes by hand, where these settings say it in a way that is not changed here. */
  readonly section: string;
  readonly byHand: string;
  readonly by?: InstallRecord["by"];
  /** Whether there is any of it. */
  isThere(text: string): boolean;
  /** Whether all of it is there as it should be. */
  isWanted(text: string): boolean;
  /** Everything else. */
  rest(text: string): unknown;
  /** Takes out what would stand beside what is added. */
  clear(text: string): string;
  add(text: string): TextEdit;
  remove(text: string): TextEdit | undefined;
}

/** Adds what is ours, or replaces it; nothing when it is there as it should be. */
export function planChange(own: OwnSettings, { path, text: given }: SettingsFile): SettingsChange | undefined {
  const now = given ?? "";
  if (reading(own, path, () => own.isWanted(now))) return undefined;
  // An earlier installation is taken back first: what was there before it is what an uninstallation brings back.
  const record = readRecord(path);
  const earlier = record && findEdit(now, record);
  const text = earlier ? applyEdit(now, earlier) : reading(own, path, () => own.clear(now));
  const edit = reading(own, path, () => own.add(text));
  const changed = applyEdit(text, edit);
  const isDone = reading(own, path, () => own.isWanted(changed) && isSame(own.rest(changed), own.rest(now)));
  if (!isDone) throw changeByHand(own, path);
  const replaced = text.slice(edit.start, edit.end);
  const cleared = editBetween(now, text);
  return {
    text: changed,
    added: edit.text,
    removed: earlier ? (record?.added ?? "") : now.slice(cleared.start, cleared.end) + replaced,
    record: {
      added: edit.text,
      replaced,
      isNewFile: given === undefined || (earlier !== undefined && record?.isNewFile === true && text === ""),
      // Of an installation that was cut off, the folders may be there already.
      folders: earlier || given === undefined ? (record?.folders ?? []) : [],
      ...(own.by ? { by: own.by } : {}),
    },
  };
}

/** Takes what is ours out: to the last byte as it was before where that is known, and otherwise by its name. */
export function planRemoval(own: OwnSettings, { path, text }: SettingsFile): SettingsChange | undefined {
  if (text === undefined) return undefined;
  const record = readRecord(path);
  const known = record && findEdit(text, record);
  const removing = reading(own, path, () => own.remove(text));
  if (!known && !removing && !reading(own, path, () => own.isThere(text))) return undefined;
  const before = reading(own, path, () => own.rest(text));
  for (const edit of [known, removing]) {
    if (!edit) continue;
    const changed = applyEdit(text, edit);
    const removed = text.slice(edit.start, edit.end);
    if (edit === known && record?.isNewFile && changed === "") return { added: "", removed, record };
    // What a person has added to it since then goes with it, and nothing else does.
    const isClean = tryToRead(() => (edit === known || !own.isThere(changed)) && isSame(own.rest(changed), before));
    if (isClean) return { text: changed, added: edit.text, removed };
  }
  throw changeByHand(own, path);
}

function tryToRead<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** As JSON: parsers differ in what they make objects of. */
export function isSame(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(plain(a), plain(b));
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Where the file still holds what was put into it, and only once. */
function findEdit(text: string, { added, replaced }: InstallRecord): TextEdit | undefined {
  const start = text.indexOf(added);
  if (start < 0 || text.indexOf(added, start + 1) >= 0) return undefined;
  return { start, end: start + added.length, text: replaced };
}

export function reading<Result>(
  { format, title }: Pick<OwnSettings, "format" | "title">,
  path: string,
  read: () => Result,
): Result {
  try {
    return read();
  } catch (cause) {
    const why = cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause);
    throw new GalleyError("FileUnreadable", `${path} is not ${format} that can be changed: ${why}.`, {
      path,
      hint: `Nothing was written. Correct the file, which ${title} may not be able to read either, and try again.`,
      cause,
    });
  }
}

function changeByHand({ section, title, byHand }: OwnSettings, path: string): GalleyError {
  return new GalleyError("FileUnreadable", `${path} says ${section} in a way that is not changed here.`, {
    path,
    hint: `Nothing was written. Change ${byHand} in the settings of ${title} by hand.`,
  });
}

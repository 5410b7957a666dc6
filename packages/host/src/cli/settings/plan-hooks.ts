import { GalleyError } from "@galley/engine";
import { type Hook, addHooks, hookCommands, removeHooks, withoutHooks } from "./hook-entries.ts";
import { readRecord } from "./install-record.ts";
import { readJsonDocument } from "./json-entry.ts";
import { type ReadProgram, type SettingsChange, findEdit, isSame, reading, tryToRead } from "./plan-change.ts";
import type { SettingsFile } from "./settings-file.ts";
import { applyEdit, editBetween } from "./text-edit.ts";

/** An agent, and which commands of its hooks are ours. */
export interface HookProgram extends ReadProgram {
  readonly isOwn: (command: string) => boolean;
}

/** Adds hooks, or puts them in the place of ours; nothing when they are there as they should be. */
export function planHooks(
  program: HookProgram,
  { path, text: given }: SettingsFile,
  hooks: readonly Hook[],
): SettingsChange | undefined {
  const now = given ?? "";
  const read = (text: string): Readonly<Record<string, unknown>> =>
    reading(program, path, () => readJsonDocument(text));
  const before = read(now);
  const wanted = hooks.map(({ event, command }) => `${event} ${command}`);
  const own = hookCommands(before).filter((line) => program.isOwn(line));
  if (isSame(own.toSorted(), wanted.toSorted())) return undefined;
  // What was put in earlier is taken out first: what was there before it is what `detach` brings back.
  const record = readRecord(path);
  const earlier = record && findEdit(now, record);
  const cleared = earlier ? applyEdit(now, earlier) : reading(program, path, () => removeHooks(now, program.isOwn));
  const changed = reading(program, path, () => addHooks(cleared, hooks));
  const after = read(changed);
  const isAdded = wanted.every((line) => hookCommands(after).includes(line));
  const rest = (document: typeof before): unknown => withoutHooks(document, program.isOwn);
  if (!isAdded || !isSame(rest(after), rest(before))) throw byHand(program, path);
  const edit = editBetween(cleared, changed);
  const isNewFile = given === undefined || (earlier !== undefined && record?.isNewFile === true && cleared === "");
  return {
    text: changed,
    added: edit.text,
    removed: own.join("\n"),
    record: {
      added: edit.text,
      replaced: cleared.slice(edit.start, edit.end),
      isNewFile,
      // Of one that was cut off, the folders may be there already.
      folders: earlier || given === undefined ? (record?.folders ?? []) : [],
      by: "attach",
    },
  };
}

/** Takes our hooks out: to the last byte as it was before where that is known, and otherwise by their commands. */
export function planHookRemoval(program: HookProgram, { path, text }: SettingsFile): SettingsChange | undefined {
  if (text === undefined) return undefined;
  const before = reading(program, path, () => readJsonDocument(text));
  if (!hookCommands(before).some((line) => program.isOwn(line))) return undefined;
  const record = readRecord(path);
  const known = record && findEdit(text, record);
  const candidates = [
    ...(known ? [applyEdit(text, known)] : []),
    reading(program, path, () => removeHooks(text, program.isOwn)),
  ];
  for (const [index, changed] of candidates.entries()) {
    const { start, end, text: added } = editBetween(text, changed);
    if (known && index === 0 && record.isNewFile && changed === "") return { added: "", removed: text, record };
    const after = tryToRead(() => readJsonDocument(changed));
    const isGone = after && !hookCommands(after).some((line) => program.isOwn(line));
    if (after && isGone && isSame(withoutHooks(after, program.isOwn), withoutHooks(before, program.isOwn)))
      return { text: changed, added, removed: text.slice(start, end) };
  }
  throw byHand(program, path);
}

function byHand({ title }: HookProgram, path: string): GalleyError {
  return new GalleyError("FileUnreadable", `${path} says hooks in a way that is not changed here.`, {
    path,
    hint: `Nothing was written. Change the hooks that run galley in the settings of ${title} by hand.`,
  });
}

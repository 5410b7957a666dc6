import { fileURLToPath } from "node:url";
import { GalleyError } from "@galley/engine";
import type { SettingsChange } from "../../settings/plan-change.ts";
import { readRecord, setRecord } from "../../settings/install-record.ts";
import {
  type SettingsFile,
  foldersToMake,
  openSettings,
  removeSettings,
  replaceSettings,
} from "../../settings/settings-file.ts";
import { askPerson, canAsk } from "../../terminal/ask-person.ts";
import { cleanLines } from "../../terminal/clean-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** The command itself, wherever it is installed. */
export const launcher = fileURLToPath(new URL("../../../../bin/galley.js", import.meta.url));

/** A change of a settings file of another program. */
export interface PlannedChange {
  readonly title: string;
  readonly file: SettingsFile;
  readonly change: SettingsChange;
}

interface WriteFlags {
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Shows what would change, asks the person who is there, and writes all of it; where one cannot be written, none is. */
export async function writeChanges(
  changes: readonly PlannedChange[],
  flags: WriteFlags,
  terminal: Terminal,
): Promise<void> {
  await confirmChanges(changes, flags, terminal);
  const done: { readonly planned: PlannedChange; readonly record: ReturnType<typeof readRecord> }[] = [];
  try {
    for (const planned of changes) {
      const { path } = planned.file;
      done.push({ planned, record: readRecord(path) });
      await writeChange(planned);
    }
  } catch (cause) {
    for (const { planned, record } of done.toReversed()) {
      const { file, change } = planned;
      const now = openSettings(file.path);
      await setRecord(file.path, record);
      if (now.text !== change.text || now.text === file.text) continue;
      if (file.text === undefined) removeSettings(file.path, []);
      else await replaceSettings(now, file.text);
    }
    throw cause;
  }
}

/** What was put in is noted before it is there: a process that ends in between must not leave what detach does not know. */
async function writeChange({ file, change: { text, record } }: PlannedChange): Promise<void> {
  const { path } = file;
  const folders = [...new Set([...(record?.folders ?? []), ...foldersToMake(path)])];
  if (text !== undefined && record) await setRecord(path, { version: 1, file: path, ...record, folders });
  if (text === undefined) removeSettings(path, record?.folders ?? []);
  else await replaceSettings(file, text);
  if (text === undefined || !record) await setRecord(path, undefined);
}

async function confirmChanges(
  changes: readonly PlannedChange[],
  { yes = false, json = false }: WriteFlags,
  terminal: Terminal,
): Promise<void> {
  if (!json) for (const change of changes) terminal.out(changeText(change));
  if (yes || changes.length === 0) return;
  if (!json && canAsk(terminal) && (await askPerson("Write this? [y/N] "))) return;
  const paths = changes.map(({ file }) => file.path);
  const [path = ""] = paths;
  const message = `${paths.join(" and ")} ${paths.length > 1 ? "were" : "was"} not changed.`;
  throw new GalleyError("BadUsage", message, { path, hint: "--yes writes it." });
}

function changeText({ title, file: { path, text }, change: { added, removed, ...change } }: PlannedChange): string {
  const kind = change.text === undefined ? "removed" : text === undefined ? "new file" : "changed";
  const marked = (mark: string, lines: string): string =>
    lines.trim() === ""
      ? ""
      : cleanLines(lines)
          .replace(/^,?\r?\n|\r?\n$/g, "")
          .replace(/^/gm, `${mark} `) + "\n";
  return `${title}: ${path} (${kind})\n${marked("-", removed)}${marked("+", added)}`;
}

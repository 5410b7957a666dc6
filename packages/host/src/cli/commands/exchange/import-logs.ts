import { basename, extname } from "node:path";
import { GalleyError } from "@galley/engine";
import { type LogFormat, type LogImport, importLog } from "@galley/engine/logs";
import type { ImportNote } from "@galley/engine/sillytavern";
import { type NamedFile, readNamedText, sizeOf } from "../../../disk/named-files.ts";
import { inSmallHeap } from "../../../limits/small-heap.ts";
import { type AppendEntries, withAppend } from "../../input/connect.ts";
import type { FolderFlags } from "../../input/options.ts";
import { interruptible } from "../../terminal/until-signal.ts";
import { importText } from "../../print/import-text.ts";
import { printResult } from "../../terminal/report.ts";
import type { Terminal } from "../../terminal/terminal.ts";

export interface LogFile extends NamedFile {
  /** Its content tells where it is not known. */
  readonly format: LogFormat | undefined;
}

interface ImportedLog {
  readonly file: string;
  readonly log: LogImport;
}

/**
 * Reads logs into sessions of the data folder [L1]. A signal stops it between two pieces; what was read by then is there.
 * @param fail asks for an exit code
 */
export async function importLogs(
  files: readonly LogFile[],
  flags: FolderFlags & { readonly json?: boolean },
  terminal: Terminal,
  fail: (code: number) => void,
): Promise<void> {
  const imported: ImportedLog[] = [];
  await interruptible(fail, async (signalled) => {
    const checkStop = stopAt(signalled);
    await withAppend(flags, async (append) => {
      for (const file of files) {
        const log = await inSmallHeap(() => importOne(file, append, terminal, checkStop));
        imported.push({ file: file.path, log });
      }
    });
  });
  const sessions = imported.flatMap(({ file, log }) => log.sessions.map((session) => ({ ...session, file })));
  const notes = imported.flatMap(({ file, log }) => log.notes.map((note) => located(note, basename(file))));
  printResult(terminal, flags, { sessions, notes }, () => importText(sessions, notes, terminal));
}

/** Throws once a signal has come. */
function stopAt(signalled: Promise<NodeJS.Signals>): () => void {
  let isStopped = false;
  void signalled.then(() => (isStopped = true));
  return () => {
    if (isStopped) throw new GalleyError("RunAborted", "The import was stopped.");
  };
}

async function importOne(
  { path, format }: LogFile,
  append: AppendEntries,
  terminal: Terminal,
  checkStop: () => void,
): Promise<LogImport> {
  const name = path === "-" ? "stdin" : basename(path, extname(path));
  try {
    const text = path === "-" ? terminal.readPieces() : readNamedText(path);
    const onProgress = await progressOf(path, terminal);
    return await importLog(text, append, { name, as: format, onProgress, checkStop });
  } catch (error) {
    if (!(error instanceof GalleyError) || error.code !== "ImportFailed") throw error;
    throw new GalleyError(error.code, `${path}: ${error.message}`, { path, hint: error.hint, cause: error });
  }
}

/** A file that takes longer than a moment says how far it is. */
const largeFile = 20_000_000;

async function progressOf(path: string, terminal: Terminal): Promise<((characters: number) => void) | undefined> {
  const size = path === "-" ? 0 : await sizeOf(path);
  if (size < largeFile) return undefined;
  let told = 0;
  return (characters) => {
    const tenths = Math.floor((10 * characters) / size);
    if (tenths <= told) return;
    told = tenths;
    terminal.err(`${basename(path)}: ${Math.min(100, tenths * 10)} % of ${Math.round(size / 1_000_000)} MB\n`);
  };
}

function located(note: ImportNote, file: string): ImportNote {
  return { ...note, path: note.path === "" ? file : `${file}: ${note.path}` };
}

import { dirname } from "node:path";
import { GalleyError, type Problem } from "@galley/engine";
import { type ChatFile, storeFiles } from "./chat-files.ts";
import { type TranscriptLine, formatLine, isChatLine } from "./chat-line.ts";
import { type StoredItem, formatStored } from "./kept-lines.ts";
import { type ChatPaths, type KnownPaths, makeChatFolder } from "./chat-paths.ts";
import type { Appended } from "./context-memory.ts";
import { folderLock, sweepLock } from "../../disk/folder-lock.ts";
import { groupCommit } from "./group-commit.ts";
import { type Appending, type LineLog, lineLog } from "../../disk/line-log.ts";
import { type OpenedFolder, checkOpened, rememberFolder } from "../../disk/opened-folders.ts";
import { mapInSlices } from "../../limits/in-slices.ts";
import { removeFiles, withFile } from "../../disk/data-files.ts";
import { readAt } from "../../disk/read-lines.ts";
import { abandonedDrafts } from "../../disk/replace-file.ts";
import { warningOf } from "../../disk/storage-error.ts";
import { syncFolder } from "../../disk/private-folder.ts";

/** All that changes a chat's files goes through here, one holder of the lock at a time. */
export interface ChatWriter {
  /** Resolves when the messages are durable, in the order of the calls; all of one call or none. */
  append(lines: LogMessages, files: readonly ChatFile[]): Promise<void>;
  /** Appends a line to one of the chat's logs; an active context that does not exist yet begins with `head`. */
  appendLine(log: "active" | "redactions", line: string, head?: TranscriptLine): Promise<void>;
  /** Sets aside half a line that a writer which was stopped has left. */
  mend(): Promise<void>;
  /** Runs `work` while no other writer can write; it may append by itself. */
  hold<Result>(work: (append: ChatWriter["append"]) => Promise<Result>): Promise<Result>;
  /** Closes files that are kept open between writes; the next write opens them again. */
  closeIdleFiles(): Promise<void>;
  close(): Promise<void>;
}

export type Target = "both" | "transcript";

/** What either log gets. */
export interface LogMessages {
  readonly transcript: readonly StoredItem[];
  readonly active: readonly StoredItem[];
  /** With this an active context begins that does not exist yet. */
  readonly head?: TranscriptLine | undefined;
  /** Lines of decisions of builds, in front of what the active context gets. */
  readonly decided?: string | undefined;
}

interface Pending extends LogMessages {
  readonly files: readonly ChatFile[];
}

export interface ChatWriterOptions {
  readonly paths: KnownPaths;
  readonly patience: number;
  readonly report: (problem: Problem) => void;
  /** Called when the active context was appended to. */
  readonly onAppend?: ((appended: Appended) => void) | undefined;
}

export function chatWriter({ paths, patience, report, onAppend }: ChatWriterOptions): ChatWriter {
  const lock = folderLock(paths.lock, { patience });
  const transcript = lineLog(paths.transcript, { isLine: isChatLine, report });
  const active = lineLog(paths.active, { isLine: isChatLine, report });
  const redactions = lineLog(paths.redactions, { isLine: isChatLine, report });
  const logs = [transcript, active, redactions];
  let isSwept = false;
  let opened: OpenedFolder | undefined;

  const headOf = (head: TranscriptLine | undefined): string => (head && !active.exists() ? formatLine(head) : "");
  const write = async (items: readonly Pending[]): Promise<void> => {
    for (const { files } of items) await storeFiles(files, paths.files);
    const { said, kept, lines } = await writeOut(items);
    const heard = items.find((item) => item.active.length > 0);
    const first = headOf(heard?.head) + (heard?.decided ?? "");
    await appendAll([
      { log: transcript, lines: said },
      { log: active, lines: first + lines, onAppend, items: first === "" ? kept : undefined },
    ]);
  };
  const hold = async <Result>(work: (append: ChatWriter["append"]) => Promise<Result>): Promise<Result> => {
    checkOpened(paths.folder);
    return lock.hold(async () => {
      await makeChatFolder(paths);
      opened ??= rememberFolder(dirname(dirname(paths.folder)));
      if (!isSwept) sweep(paths);
      isSwept = true;
      const result = await work((lines, files) => write([{ ...lines, files }]));
      checkOpened(paths.folder);
      return result;
    });
  };
  const commits = groupCommit<Pending>((items) => hold(() => write(items)));
  return {
    append: (lines, files) => commits.add({ ...lines, files }),
    appendLine: (name, line, head) =>
      hold(() => {
        const part =
          name === "active" ? { log: active, lines: headOf(head) + line, onAppend } : { log: redactions, lines: line };
        return appendAll([part]);
      }),
    mend: () =>
      hold(async () => {
        for (const log of logs) if (log.exists()) log.begin();
      }),
    hold,
    async closeIdleFiles() {
      await commits.idle();
      // Under the lock, so that no other process writes to them meanwhile.
      if (logs.some((log) => log.isOpen())) await lock.hold(async () => logs.forEach((log) => log.close()));
      lock.closeIdleFiles();
      opened = opened?.forget();
    },
    async close() {
      await commits.idle();
      await lock.close();
      for (const log of logs) log.close();
      opened = opened?.forget();
    },
  };
}

/** A chat whose last writer was stopped in the middle of a line is mended when it is opened, if the disk permits. */
export async function repairTornLines(files: readonly string[], writer: ChatWriter): Promise<readonly Problem[]> {
  if (!files.some(hasOpenEnd)) return [];
  try {
    await writer.mend();
    return [];
  } catch (error) {
    if (!(error instanceof GalleyError) || error.code !== "StorageFailed") throw error;
    return [warningOf(error, error.path ?? "")];
  }
}

function hasOpenEnd(file: string): boolean {
  return withFile(file, (handle, size) => size > 0 && readAt(handle, size - 1, 1)[0] !== 10) ?? false;
}

interface AppendedPart extends Partial<Pick<Appended, "items">>, Pick<ChatWriterOptions, "onAppend"> {
  readonly log: LineLog;
  readonly lines: string;
}

/** Writes to several logs so that all of it is durable, or none of it stays. */
async function appendAll(given: readonly AppendedPart[]): Promise<void> {
  const parts = given.filter(({ lines }) => lines !== "");
  const begun: Appending[] = [];
  try {
    for (const { log } of parts) begun.push(log.begin());
    for (const [index, { lines }] of parts.entries()) await begun[index]?.write(lines);
    await settleAll(begun.map((appending) => appending.sync()));
    for (const [index, { onAppend, lines, items }] of parts.entries()) {
      const appending = begun[index];
      if (appending) onAppend?.({ before: appending.before, after: appending.state(), lines, items });
    }
  } catch (error) {
    for (const appending of begun) quietly(() => appending.undo());
    throw error;
  }
}

/** Waits for all of them, also when one fails: what is under way must not meet an undo. */
async function settleAll(work: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) if (result.status === "rejected") throw result.reason;
}

/** What could not be taken back is half a line at worst, which the next writer sets aside. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The error that led here says more.
  }
}

/** The lines for both logs. Most of what is said is heard as well, and is written out once. */
async function writeOut(pending: readonly LogMessages[]) {
  const said = pending.flatMap((item) => item.transcript);
  const kept = pending.flatMap((item) => item.active);
  const isSame = kept.length === said.length && kept.every((item, index) => item === said[index]);
  const lines = await linesOf(said);
  return { said: lines, kept, lines: isSame ? lines : await linesOf(kept) };
}

async function linesOf(items: readonly StoredItem[]): Promise<string> {
  return (await mapInSlices(items, formatStored)).join("");
}

/** Removes what writers that were killed have left behind. */
function sweep(paths: ChatPaths): void {
  sweepLock(paths.lock);
  for (const folder of [paths.folder, paths.contexts, paths.files, dirname(paths.transcript)]) {
    const drafts = abandonedDrafts(folder);
    removeFiles(...drafts);
    if (drafts.length > 0) syncFolder(folder);
  }
}

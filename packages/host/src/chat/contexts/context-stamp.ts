import { GalleyError } from "@galley/engine";
import * as z from "zod";
import { archiveFile } from "./archive-file.ts";
import { exists, statFile, withFile } from "../../disk/data-files.ts";
import { linesFromEnd } from "../../disk/read-lines.ts";
import { messageId } from "../lines/chat-line.ts";
import type { ChatPaths, KnownPaths } from "../lines/chat-paths.ts";
import { parseAt, readWindow } from "../lines/read-window.ts";
import { activeContextId } from "./scan-active.ts";
import { nothingRedacted } from "../lines/redactions.ts";
import { type FileState, isSameFile, isSameState, stateOf } from "../../disk/line-log.ts";

/** Which context is active, and where it ends: what a turn was opened with [T6]. */
export const contextStampSchema = z.object({
  /** The id under which it would be archived; absent while it holds no message. */
  contextId: z.string().optional(),
  /** The archive that it was loaded from. */
  from: z.string().optional(),
  /** The id of its last message. */
  last: z.string().optional(),
});

export type ContextStamp = Readonly<z.infer<typeof contextStampSchema>>;

export interface ContextStampReader {
  /** Reads it again only after the file has changed, and only its end while it is the same file. */
  read(): ContextStamp;
  /** Told of the file behind each append of this process. */
  appended(file: FileState): void;
  /** Told by who has read it and then appended a message of this id, all under the chat's lock: that need not be read back. */
  wrote(last: string): void;
  /** The same for a turn that is opened now: what it was opened in is known of it later. */
  open(): ContextStamp;
  /** Told of each switch: the context that was active became this archive, or none because it held nothing. */
  switched(archive: string | undefined): void;
  /** What became of the context that a turn was opened in; nothing where this process has not switched since, or has not opened it. */
  leftAs(opened: ContextStamp): { readonly archive: string | undefined } | undefined;
}

export function contextStampReader(paths: KnownPaths): ContextStampReader {
  const { active } = paths;
  let known: { readonly file: FileState; readonly stamp: ContextStamp } | undefined;
  const read = (): ContextStamp => {
    const found = statFile(active);
    if (!found) return {};
    const file = stateOf(found);
    const before = known && isSameFile(known.file, file) ? known : undefined;
    if (before && isSameState(before.file, file)) return before.stamp;
    // A context has its id from its first lines, which stay while the file only grows.
    const isGrown = before?.stamp.contextId !== undefined && file.size > before.file.size;
    const stamp = isGrown ? { ...before.stamp, last: lastMessageId(active) } : readStamp(paths);
    known = { file, stamp };
    return stamp;
  };
  let appended: FileState | undefined;
  const wrote = (last: string): void => {
    if (known?.stamp.contextId === undefined || !appended || !isSameFile(known.file, appended)) return;
    known = { file: stateOf(appended), stamp: { ...known.stamp, last } };
  };
  const switches: { readonly archive: string | undefined }[] = [];
  const counts = new WeakMap<ContextStamp, number>();
  return {
    read,
    appended: (file) => void (appended = file),
    wrote,
    open() {
      const opened = { ...read() };
      counts.set(opened, switches.length);
      return opened;
    },
    switched: (archive) => void switches.push({ archive }),
    leftAs: (opened) => switches[counts.get(opened) ?? Infinity],
  };
}

function readStamp(paths: KnownPaths): ContextStamp {
  const { active } = paths;
  const { recalled } = readWindow(active, { maxMessages: 1 }, nothingRedacted);
  return { contextId: activeContextId(paths), from: recalled?.from, last: lastMessageId(active) };
}

/** Also of one that was redacted: it was said, and its place is not that of something new. */
function lastMessageId(active: string): string | undefined {
  return withFile(active, (handle, size) => {
    for (const { bytes, start, isEnded } of linesFromEnd(handle, size)) {
      if (!isEnded || bytes.length === 0) continue;
      const line = parseAt(active, handle, start, bytes);
      if (line.type === "message") return messageId(line.message);
    }
    return undefined;
  });
}

/** Where an exchange goes: into the active context, or into the archive of the context that its turn was opened in. */
export type Destination =
  | { readonly kind: "active"; readonly isMoved: boolean }
  | { readonly kind: "archive"; readonly contextId?: string };

/** An exchange that is to be written, where its turn was opened, and what is there now. */
interface OpenedExchange {
  readonly opened: ContextStamp;
  readonly present: ContextStamp;
  readonly isAppended: boolean;
  /** What the context became that the turn was opened in, where that is known. */
  readonly left: { readonly archive: string | undefined } | undefined;
  /** The first context that was begun since the turn was opened and put away again. */
  readonly begunSince: () => Promise<string | undefined>;
}

/**
 * Says where the exchange of a turn goes, and that it may not be written when its place has got a message or a switch since
 * the turn was opened [T6]. Called while the chat's lock is held.
 */
export async function destinationOf(
  paths: ChatPaths,
  { opened, present, isAppended, left, begunSince }: OpenedExchange,
): Promise<Destination> {
  const hadNothing = opened.contextId === undefined;
  const isLeftEmpty = hadNothing && left !== undefined && left.archive === undefined;
  const isUnmoved = present.contextId === opened.contextId && present.last === opened.last && !isLeftEmpty;
  if (isUnmoved) return { kind: "active", isMoved: false };
  // One that held nothing has no id. Where another process has switched, it was the first that was begun since, if that was put away.
  const begun = hadNothing ? (left ? left.archive : await begunSince()) : undefined;
  const isEmptyStill = hadNothing && present.from === undefined && begun === undefined && !isLeftEmpty;
  const isSame = hadNothing ? isEmptyStill : present.contextId === opened.contextId;
  if (!isAppended) throw movedOn(isSame);
  const own = [opened.contextId, opened.from, begun].filter((id) => id !== undefined);
  if (isSame || (present.from !== undefined && own.includes(present.from))) return { kind: "active", isMoved: true };
  const contextId = own.find((id) => exists(archiveFile(paths.archive, id)));
  if (contextId !== undefined) return { kind: "archive", contextId };
  // One that held nothing had nothing to put away. One that did was cleared or cut, and is still the active one.
  return hadNothing ? { kind: "archive" } : { kind: "active", isMoved: true };
}

/** A place that has moved on while a turn was open. */
export function movedOn(isSame: boolean): GalleyError {
  const what = isSame ? "A message was written here" : "The context was switched";
  return new GalleyError(
    "SessionConflict",
    `${what} since this turn was opened. Nothing was written, and the turn is open.`,
    {
      path: "onConflict",
      hint: 'Commit with onConflict: "append" to put this exchange behind what is there now, or abort the turn and ask again.',
    },
  );
}

import { hash } from "node:crypto";
import { GalleyError } from "@galley/engine";
import { exists } from "../../disk/data-files.ts";
import type { RecalledLine } from "../lines/chat-line.ts";
import {
  type Archive,
  archiveFile,
  dayOf,
  newContextId,
  nextNotes,
  titleOfNote,
  withoutRedacted,
} from "./archive-file.ts";
import type { ArchivedContext } from "./context-types.ts";
import { findArchive, readArchive, updateArchive, writeArchive } from "./read-archive.ts";
import type { SwitchScope } from "./scan-active.ts";

/** What is said of an archive when it is made. */
export interface AboutArchive {
  readonly title?: string | undefined;
  readonly reason: string;
  readonly note?: string | undefined;
}

/**
 * Keeps a note where there are no messages to put away [A7]: with the archive that the active context was recalled from, unless
 * the title names another subject; otherwise as an archive of its own.
 */
export async function archiveNote(
  scope: SwitchScope,
  recalled: RecalledLine | undefined,
  about: AboutArchive,
): Promise<ArchivedContext | undefined> {
  const { paths, now } = scope;
  const { note, title } = about;
  if (note === undefined) return undefined;
  const source = recalled && findArchive(paths, recalled.from);
  if (source && (!title || isSameTitle(title, source.title))) return renewNote(scope, source.contextId, about);
  const contextId = idOfNote(scope, { ...about, note });
  const archive = {
    contextId,
    title: title || titleOfNote(note),
    createdAt: now,
    archivedAt: now,
    archiveReason: about.reason,
    note,
    messageCount: 0,
  };
  await writeArchive(paths, { ...archive, lines: [] });
  return { contextId, title: archive.title, messageCount: 0 };
}

/** Gives an archive a new note; the one before is kept with it. */
export async function renewNote(
  { paths, now, redactions }: SwitchScope,
  contextId: string,
  { title, reason, note }: AboutArchive,
): Promise<ArchivedContext> {
  const found = readArchive(paths, contextId);
  if (!found) throw unknownContext(contextId);
  if (note === undefined) {
    const hint = "Without contextId, the active context is put away.";
    throw new GalleyError("ContextInvalidInput", `What ${contextId} should say is missing.`, { path: "note", hint });
  }
  const { note: before, earlierNotes } = withoutRedacted(found, redactions);
  const renewed: Archive = {
    ...found,
    ...nextNotes({ note: before, earlierNotes }, note),
    title: title || found.title,
    archivedAt: now,
    archiveReason: reason,
  };
  await updateArchive(paths, contextId, () => renewed);
  return { contextId, title: renewed.title, messageCount: found.messageCount };
}

/** The same note of the same day is one archive, so that a call that is made again after a crash makes no second one. */
function idOfNote({ paths, now }: SwitchScope, { title, note }: AboutArchive): string {
  const content = JSON.stringify([paths.chatKey, "note", title ?? "", note]);
  const contextId = `c_${dayOf(now)}_${hash("sha256", content, "hex").slice(0, 10)}`;
  if (!exists(archiveFile(paths.archive, contextId))) return contextId;
  const there = findArchive(paths, contextId);
  return there?.messageCount === 0 && there.note === note ? contextId : newContextId(now);
}

function isSameTitle(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

export function unknownContext(contextId: string): GalleyError {
  return new GalleyError("NotFound", `There is no archived context ${contextId}.`, {
    path: "contextId",
    hint: "chat_context_list (galley chat list) shows those that are there.",
  });
}

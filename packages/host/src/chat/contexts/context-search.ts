import { GalleyError } from "@galley/engine";
import { type Archive, isoTime, withoutRedacted } from "./archive-file.ts";
import type { ArchiveIndex, ArchiveListing } from "./archive-index.ts";
import {
  type ArchiveDocument,
  type ArchiveMatch,
  type ArchiveSearch,
  openArchiveSearch,
} from "../../search/archive-search.ts";
import type { ChatPaths } from "../lines/chat-paths.ts";
import { isContextId } from "../lines/chat-line.ts";
import { readArchive } from "./read-archive.ts";
import { textOf } from "../lines/read-window.ts";
import type { Redactions } from "../lines/redactions.ts";
import { exists } from "../../disk/data-files.ts";
import { sqliteError } from "../../disk/open-sqlite.ts";
import { errorCode, storageError } from "../../disk/storage-error.ts";

interface FindOptions {
  readonly limit: number;
  readonly exclude: readonly string[];
}

/** Finds archives of a chat by what they say [W8]. */
export interface ContextSearch {
  find(query: string, options: FindOptions): Promise<readonly ArchiveMatch[]>;
  /** Takes what has changed out of an index that is there: nothing of it stays in the file. */
  refresh(): Promise<void>;
  close(): void;
}

export function contextSearch(
  paths: ChatPaths,
  chatKey: string,
  index: ArchiveIndex,
  redactions: () => Redactions,
): ContextSearch {
  let search: ArchiveSearch | undefined;
  let indexed: ArchiveListing | undefined;
  const read = (contextId: string): ArchiveDocument | undefined => {
    const archive = readableArchive(paths, contextId, chatKey);
    return archive && documentOf(withoutRedacted(archive, redactions()));
  };
  return {
    async find(query, options) {
      const listing = await index.list();
      if (listing.items.length === 0) return [];
      try {
        search ??= openArchiveSearch(paths.search);
        if (listing !== indexed) search.reconcile(listing.items, read);
        indexed = listing;
        return searchMended(search, query, options, () => search?.reconcile(listing.items, read));
      } catch (cause) {
        throw searchError(cause, paths.search);
      }
    },
    async refresh() {
      if (!exists(paths.search)) return;
      const listing = await index.list();
      try {
        search ??= openArchiveSearch(paths.search);
        search.reconcile(listing.items, read);
        indexed = listing;
      } catch (cause) {
        throw searchError(cause, paths.search);
      }
    },
    close() {
      search?.close();
      search = undefined;
    },
  };
}

/** What SQLite or the system refused, as one of our errors; every other error as it is. */
function searchError(cause: unknown, file: string): unknown {
  const known = sqliteError(cause, file);
  return errorCode(known) === undefined ? known : storageError(known, file, "read");
}

/** Nothing for an archive that cannot be read: it must not keep the others from being found. */
function readableArchive(paths: ChatPaths, contextId: string, chatKey: string): Archive | undefined {
  // The index is a file as well, and what it calls an archive need not be one.
  if (!isContextId(contextId)) return undefined;
  try {
    return readArchive(paths.archive, contextId, chatKey);
  } catch (error) {
    const isUnreadable =
      error instanceof GalleyError && ["DataDamaged", "DataNewer", "UnsafePath"].includes(error.code);
    if (isUnreadable) return undefined;
    throw error;
  }
}

/** An index that turns out to be damaged is filled again, once. */
function searchMended(
  search: ArchiveSearch,
  query: string,
  options: FindOptions,
  mend: () => void,
): readonly ArchiveMatch[] {
  try {
    return search.search(query, options);
  } catch (error) {
    if (!(error instanceof GalleyError) || error.code !== "IndexDamaged") throw error;
    mend();
    return search.search(query, options);
  }
}

function documentOf({ contextId, title, summary, archivedAt, messages }: Archive): ArchiveDocument {
  return {
    contextId,
    title,
    summary,
    archivedAt: isoTime(archivedAt),
    messages: piecesOf(messages),
  };
}

/** How many characters of an archive are searched: more would take seconds and a gigabyte of memory for each. */
const maxCharacters = 2_000_000;
/** A text without any break is handed over in pieces: one of millions is more than a pattern can match. */
const maxPieceLength = 100_000;

function piecesOf(messages: Archive["messages"]): ArchiveDocument["messages"] {
  const pieces: ArchiveDocument["messages"][number][] = [];
  let left = maxCharacters;
  for (const message of messages) {
    const text = textOf(message).slice(0, left);
    left -= text.length;
    for (let start = 0; start < text.length; start += maxPieceLength) {
      pieces.push({ role: message.role, content: text.slice(start, start + maxPieceLength) });
    }
    if (left <= 0) break;
  }
  return pieces;
}

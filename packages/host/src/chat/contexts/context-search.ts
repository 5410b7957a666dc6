import { GalleyError } from "@galley/engine";
import { type Archive, isoTime, withoutRedacted } from "./archive-file.ts";
import type { ArchiveIndex, ArchiveItem, ArchiveListing } from "./archive-index.ts";
import {
  type ArchiveDocument,
  type ArchiveMatch,
  type ArchiveSearch,
  openArchiveSearch,
} from "../../search/archive-search.ts";
import type { KnownPaths } from "../lines/chat-paths.ts";
import { isContextId } from "../lines/chat-line.ts";
import { readArchive } from "./read-archive.ts";
import { textOf } from "../lines/read-window.ts";
import type { Redactions } from "../lines/redactions.ts";
import { exists } from "../../disk/data-files.ts";
import { oneAtATime } from "../../limits/one-at-a-time.ts";
import { letOthersRun } from "../../limits/in-slices.ts";
import { searchError } from "../../search/search-file.ts";

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

export function contextSearch(paths: KnownPaths, index: ArchiveIndex, redactions: () => Redactions): ContextSearch {
  let search: ArchiveSearch | undefined;
  let indexed: ArchiveListing | undefined;
  const read = (contextId: string): ArchiveDocument | undefined => {
    const redacted = redactions();
    // What may be shown of an archive depends on all of it where something was redacted.
    const length = redacted.ids.size === 0 ? maxCharacters : Infinity;
    const archive = readableArchive(paths, contextId, length);
    return archive && documentOf(withoutRedacted(archive, redacted));
  };
  const open = (): ArchiveSearch => (search ??= openArchiveSearch(paths.search));
  const reconcile = async (listing: ArchiveListing): Promise<ArchiveSearch> => {
    await reconcileInBatches(open, listing, read);
    indexed = listing;
    return open();
  };
  // One after the other: what one has read must not get into the index after another has found that it is to go.
  const next = oneAtATime();
  const found = async (query: string, options: FindOptions): Promise<readonly ArchiveMatch[]> => {
    const listing = await index.list();
    if (listing.items.length === 0) return [];
    try {
      const opened = listing === indexed ? open() : await reconcile(listing);
      const copies = listing.topics.filter((topic) => topic.copies !== undefined);
      const wider = searchedWith(copies, options);
      const matches = searchMended(opened, query, wider, () => opened.reconcile(listing.items, read));
      return onePerTopic(matches, copies).slice(0, options.limit);
    } catch (cause) {
      throw searchError(cause, paths.search);
    }
  };
  return {
    find: (query, options) => next(() => found(query, options)),
    refresh: () =>
      next(async () => {
        if (!exists(paths.search)) return;
        try {
          await reconcile(await index.list());
        } catch (cause) {
          throw searchError(cause, paths.search);
        }
      }),
    close() {
      search?.close();
      search = undefined;
    },
  };
}

/** Takes what is new into the index, batch by batch: others have their turn in between. */
async function reconcileInBatches(
  open: () => ArchiveSearch,
  { items }: ArchiveListing,
  read: (contextId: string) => ArchiveDocument | undefined,
): Promise<void> {
  for (let [left, before] = [Infinity, Infinity]; left > 0;) {
    await letOthersRun();
    // Archives that cannot be read are left over each time: who gets no further goes through to the end.
    const isStuck = left === before && left !== Infinity;
    [before, left] = [left, 0];
    open().reconcile(items, read, (done, total) => {
      left = total - done;
      return isStuck;
    });
  }
  await letOthersRun();
}

/** A topic is left out with all of its copies, and copies must not push other topics out. */
function searchedWith(topics: readonly ArchiveItem[], { limit, exclude }: FindOptions): FindOptions {
  const ids = topics.map(({ contextId, copies = [] }) => [contextId, ...copies]);
  const left = ids.filter((all) => all.some((id) => exclude.includes(id)));
  return { limit: limit + ids.flat().length - ids.length, exclude: [...exclude, ...left.flat()] };
}

/** Each topic once [A10]: its newest archive if that matches, else the copy that does. */
function onePerTopic(matches: readonly ArchiveMatch[], topics: readonly ArchiveItem[]): readonly ArchiveMatch[] {
  const newest = new Map(topics.flatMap(({ contextId, copies = [] }) => copies.map((copy) => [copy, contextId])));
  const found = new Map(matches.map((match) => [match.contextId, match]));
  const byTopic = new Map<string, ArchiveMatch>();
  for (const match of matches) {
    const topic = newest.get(match.contextId) ?? match.contextId;
    if (!byTopic.has(topic)) byTopic.set(topic, found.get(topic) ?? match);
  }
  return [...byTopic.values()];
}

/** Nothing for an archive that cannot be read: it must not keep the others from being found. */
function readableArchive(paths: KnownPaths, contextId: string, length: number): Archive | undefined {
  // The index is a file as well, and what it calls an archive need not be one.
  if (!isContextId(contextId)) return undefined;
  try {
    return readArchive(paths, contextId, length);
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

function documentOf(archive: Archive): ArchiveDocument {
  const { contextId, title, summary, note, earlierNotes = [], archivedAt, messages } = archive;
  const about = [note, summary, ...earlierNotes].filter((text) => text !== undefined);
  return {
    contextId,
    title,
    summary: about.join("\n\n"),
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

import { join } from "node:path";
import { GalleyError, type Problem } from "@galley/engine";
import * as z from "zod";
import { onOneLine } from "../../limits/short-text.ts";
import { type Archive, previewText, recentMessages, withoutRedacted } from "./archive-file.ts";
import { formatVersion, isContextId, messageId } from "../lines/chat-line.ts";
import { exists, findDocument, namesIn, stampOf } from "../../disk/data-files.ts";
import type { KnownPaths } from "../lines/chat-paths.ts";
import { readArchiveInSlices } from "./read-archive.ts";
import type { Redactions } from "../lines/redactions.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { errorCode, storageError, warningOf } from "../../disk/storage-error.ts";

/** What a list shows of an archived context [W5]. */
export interface ArchiveItem {
  readonly contextId: string;
  readonly title: string;
  readonly createdAt: number;
  readonly archivedAt: number;
  readonly messageCount: number;
  readonly summaryPreview: string;
  /** Older archives of the same topic, newest first; those are left out of lists [A10]. */
  readonly copies?: readonly string[];
}

export interface IndexedItem extends ArchiveItem {
  /** Changes when the archive's file does, or what may be shown of it. */
  readonly stamp: string;
  /** How it begins: by the ids of its first messages; the archive that it sums up, for a summary. */
  readonly opening: string;
  /** How the messages begin that `recent` would recall, where others stand before them. */
  readonly recent?: string | undefined;
}

export interface ArchiveListing {
  /** Newest first. */
  readonly items: readonly IndexedItem[];
  /** The same, with the copies of one topic under the newest. */
  readonly topics: readonly IndexedItem[];
  /** Archives that cannot be used. */
  readonly problems: readonly Problem[];
}

const indexSchema = z.looseObject({
  v: z.literal(formatVersion),
  items: z.array(
    z.object({
      contextId: z.string(),
      title: z.string(),
      createdAt: z.number(),
      archivedAt: z.number(),
      messageCount: z.number(),
      summaryPreview: z.string(),
      stamp: z.string(),
      opening: z.string(),
      recent: z.string().optional(),
    }),
  ),
});

export interface ArchiveIndex {
  /** The archives that are there now. Reads only those that `index.json` does not know in their present state [W7]. */
  list(): Promise<ArchiveListing>;
}

export function archiveIndex(paths: KnownPaths, redactions: () => Redactions): ArchiveIndex {
  let known: ArchiveListing | undefined;
  let knownStamp = "";
  const list = async (): Promise<ArchiveListing> => {
    const before = folderStamp(paths.archive, redactions().stamp);
    if (known && before !== undefined && before === knownStamp) return known;
    // The index is derived: a damaged one is made again.
    const saved = findDocument(paths.index, indexSchema)?.items;
    const listing = await listArchives(paths, redactions(), known?.items ?? saved ?? []);
    if (!isSame(saved, listing.items) && (saved || listing.items.length > 0 || exists(paths.index)))
      await saveIndex(paths.index, listing.items);
    known = listing;
    knownStamp = before ?? "";
    return listing;
  };
  return {
    async list() {
      try {
        return await list();
      } catch (cause) {
        // Only what the system refused: a mistake of ours must not look like one of the disk.
        throw errorCode(cause) === undefined ? cause : storageError(cause, paths.archive, "read");
      }
    },
  };
}

/** Within this time two changes of a folder may bear the same time, in ms. */
const clockStep = 100;

/** Changes with every archive that comes, goes or is replaced; nothing while that cannot be told. */
function folderStamp(folder: string, redactions: string): string | undefined {
  const found = stampOf(folder);
  if (!found || Date.now() - found.mtimeMs < clockStep) return undefined;
  return `${found.stamp}-${redactions}`;
}

async function listArchives(
  paths: KnownPaths,
  redactions: Redactions,
  before: readonly IndexedItem[],
): Promise<ArchiveListing> {
  const known = new Map(before.map((item) => [item.contextId, item]));
  const items: IndexedItem[] = [];
  const problems: Problem[] = [];
  for (const contextId of archivedIds(paths.archive)) {
    const found = stampOf(join(paths.archive, `${contextId}.json`));
    if (!found) continue;
    const stamp = `${found.stamp}-${redactions.stamp}`;
    const item = known.get(contextId);
    if (item?.stamp === stamp) {
      items.push(item);
      continue;
    }
    try {
      const read = await readArchiveInSlices(paths, contextId);
      if (read) items.push(itemOf(withoutRedacted(read, redactions), stamp));
    } catch (error) {
      if (!(error instanceof GalleyError)) throw error;
      problems.push(warningOf(error, paths.archive));
    }
  }
  items.sort((a, b) => b.archivedAt - a.archivedAt || (a.contextId < b.contextId ? 1 : -1));
  return { items, topics: groupByTopic(items), problems };
}

export function archivedIds(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => name.endsWith(".json") && isContextId(name.slice(0, -5)))
    .map((name) => name.slice(0, -5));
}

const maxPreviewLength = 160;

function itemOf(archive: Archive, stamp: string): IndexedItem {
  const { contextId, title, createdAt, archivedAt, messageCount, messages } = archive;
  const summaryPreview = onOneLine(previewText(archive), maxPreviewLength);
  // Two, because contexts of different topics may begin with the same one.
  const startOf = (from: number): string =>
    messages
      .slice(from, from + 2)
      .map(messageId)
      .join();
  return {
    contextId,
    title,
    createdAt,
    archivedAt,
    messageCount,
    summaryPreview,
    stamp,
    opening: messages[0]?.summaryOf ?? (startOf(0) || contextId),
    ...(messages.length > recentMessages ? { recent: startOf(messages.length - recentMessages) } : {}),
  };
}

/**
 * The archives with the copies of one topic under the newest of them [A10]: until a topic had one archive, each time that it was
 * put away left a copy. Two are of one topic when they begin with the same message, or when one begins where the other's last
 * messages, or its summary, were recalled. Newest first, as they come in.
 */
function groupByTopic(items: readonly IndexedItem[]): readonly IndexedItem[] {
  const byId = new Map(items.map((item) => [item.contextId, item]));
  const byRecent = new Map(items.flatMap((item) => (item.recent === undefined ? [] : [[item.recent, item] as const])));
  const topicOf = ({ opening: first }: IndexedItem): string => {
    let opening = first;
    for (const seen = new Set<string>(); !seen.has(opening);) {
      seen.add(opening);
      opening = (byId.get(opening) ?? byRecent.get(opening))?.opening ?? opening;
    }
    return opening;
  };
  return [...Map.groupBy(items, topicOf).values()].map(([newest, ...copies]) => {
    return copies.length === 0 ? newest : { ...newest, copies: copies.map(({ contextId }) => contextId) };
  }) as IndexedItem[];
}

function isSame(saved: readonly IndexedItem[] | undefined, items: readonly IndexedItem[]): boolean {
  if (saved?.length !== items.length) return false;
  return saved.every(({ contextId, stamp }, index) => {
    const item = items[index];
    return item?.stamp === stamp && item.contextId === contextId;
  });
}

async function saveIndex(file: string, items: readonly IndexedItem[]): Promise<void> {
  try {
    await replaceFile(file, [`${JSON.stringify({ v: formatVersion, items }, null, 1)}\n`]);
  } catch (error) {
    // A disk that takes nothing must not prevent reading.
    if (!(error instanceof GalleyError) || error.code !== "StorageFailed") throw error;
  }
}

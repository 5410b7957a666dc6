import { setTimeout as sleep } from "node:timers/promises";
import { type Compactor, type Problem, extractiveCompactor } from "@galley/engine";
import { statFile } from "../../disk/data-files.ts";
import { letOthersRun, sliceEnd } from "../../limits/in-slices.ts";
import { toModelMessage } from "../lines/chat-message.ts";
import type { KnownPaths } from "../lines/chat-paths.ts";
import type { ChatWriter } from "../lines/chat-writer.ts";
import type { Redactions } from "../lines/redactions.ts";
import { type Archive, archiveFile, withoutRedacted } from "./archive-file.ts";
import { readArchiveInSlices, updateArchive } from "./read-archive.ts";
import { messageOf } from "../../disk/storage-error.ts";

/** Gives archives their summaries, once a switch has happened [A8]. */
export interface ArchiveSummaries {
  /**
   * Adds a summary. One that is extracted from a short archive is there when this resolves; what takes longer, as a model does,
   * comes later and takes its place.
   */
  add(contextId: string, compactor: Compactor): Promise<readonly Problem[]>;
  /** Waits for those that are under way, for a while. */
  idle(): Promise<void>;
}

export interface SummariesInput {
  readonly paths: KnownPaths;
  readonly writer: ChatWriter;
  readonly redactions: () => Redactions;
  /** Told of what fails later. */
  readonly report: (problem: Problem) => void;
}

/** In bytes of the archive's file; what is longer takes more than some 50 ms. */
const maxAtOnce = 300_000;
const maxSummaryTokens = 300;
/** How long a chat that is closed waits for a model. */
const idleLimitMs = 10_000;

export function archiveSummaries(input: SummariesInput): ArchiveSummaries {
  const { paths, report } = input;
  const underWay = new Set<Promise<unknown>>();
  const summarise = async (contextId: string, compactor: Compactor): Promise<readonly Problem[]> => {
    try {
      await addSummary(input, contextId, compactor);
      return [];
    } catch (cause) {
      const message = `The archive ${contextId} has no summary by ${compactor.id}: ${messageOf(cause).replace(/\.?$/, ".")}`;
      return [{ severity: "warning", code: "CompactionFailed", message, path: contextId }];
    }
  };
  return {
    async add(contextId, compactor) {
      const extractive = extractiveCompactor({ pause: sliceEnd() });
      const found = statFile(archiveFile(paths.archive, contextId));
      if (!found) return [];
      const isShort = found.size <= maxAtOnce;
      const problems = isShort ? await summarise(contextId, extractive) : [];
      const rest = [...(isShort ? [] : [extractive]), ...(compactor.id === extractive.id ? [] : [compactor])];
      const work = (async () => {
        for (const next of rest) {
          // Each reads the archive, which may be long.
          await letOthersRun();
          (await summarise(contextId, next)).forEach(report);
        }
      })();
      underWay.add(work);
      void work.finally(() => underWay.delete(work));
      return problems;
    },
    async idle() {
      if (underWay.size === 0) return;
      const ended = new AbortController();
      const all = Promise.all(underWay).finally(() => ended.abort());
      await Promise.race([all, sleep(idleLimitMs, undefined, { signal: ended.signal }).catch(() => undefined)]);
    },
  };
}

async function addSummary(
  { paths, writer, redactions }: SummariesInput,
  contextId: string,
  compactor: Compactor,
): Promise<void> {
  // What was redacted is shown to no model; a summary of the rest would be dropped with it.
  const isOpen = (one: Archive): boolean => withoutRedacted(one, redactions()) === one;
  const archive = await readArchiveInSlices(paths, contextId);
  if (!archive || !isOpen(archive)) return;
  const summary = await summarise(archive, compactor);
  if (summary === undefined) return;
  await letOthersRun();
  // Nor does a summary come too late: what was redacted and purged while it was made is in it, and a newer version has another.
  const isSame = ({ archivedAt, messageCount }: Archive): boolean =>
    archivedAt === archive.archivedAt && messageCount === archive.messageCount;
  const add = (whole: Archive): Archive => (isOpen(whole) && isSame(whole) ? { ...whole, summary } : whole);
  await writer.hold(() => updateArchive(paths, contextId, add));
}

/** Makes a summary of an archive, or gives nothing when there is none that can be used. */
async function summarise(archive: Archive, compactor: Compactor): Promise<string | undefined> {
  const messages = archive.messages.map(toModelMessage);
  const countTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3);
  const summary = (await compactor.compact({ messages, maxTokens: maxSummaryTokens, countTokens })).trim();
  return summary === "" || !isLonger(archive, summary.length) ? undefined : summary;
}

function isLonger({ messages }: Archive, length: number): boolean {
  let size = 0;
  return messages.some(({ content }) => (size += JSON.stringify(content).length) > length);
}

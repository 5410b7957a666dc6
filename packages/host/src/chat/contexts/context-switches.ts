import { type Compactor, GalleyError, type Problem, redactSecrets } from "@galley/engine";
import * as z from "zod";
import { type Archive, withoutRedacted } from "./archive-file.ts";
import type { ArchiveIndex, ArchiveItem, IndexedItem } from "./archive-index.ts";
import type { ArchiveMatch } from "../../search/archive-search.ts";
import type { ChatMessage } from "../lines/chat-line.ts";
import type { ChatOptions, ContextSwitches, LoadInput } from "./context-types.ts";
import { toModelMessage } from "../lines/chat-message.ts";
import type { ChatPaths } from "../lines/chat-paths.ts";
import type { ChatWriter } from "../lines/chat-writer.ts";
import type { ContextSearch } from "./context-search.ts";
import { parseInput } from "../lines/parse-input.ts";
import { readArchive, updateArchive } from "./read-archive.ts";
import { readWindow } from "../lines/read-window.ts";
import { newestLanguage } from "../lines/reference-label.ts";
import type { Redactions } from "../lines/redactions.ts";
import { type SwitchScope, activeContextId } from "./scan-active.ts";
import { storageError } from "../../disk/storage-error.ts";
import { type ArchivedContext, clearContext, recallContext, startContext } from "./switch-context.ts";

export interface SwitchesInput {
  readonly dataFolder: string;
  readonly paths: ChatPaths;
  readonly chatKey: string;
  readonly writer: ChatWriter;
  readonly index: ArchiveIndex;
  readonly search: ContextSearch;
  readonly redactions: () => Redactions;
  readonly now: () => number;
  readonly options: ChatOptions;
}

const limitSchema = z.int().min(1).max(200).default(20);
const alternativeCount = 5;
/** How far back the language of the user is looked for. */
const languageWindow = { maxMessages: 20 };

/** What a chat's tools and its pages do with its contexts. */
export function contextSwitches(input: SwitchesInput): ContextSwitches {
  const { paths, chatKey, writer, index, redactions, now, options } = input;
  const scope = (isInRun = false): SwitchScope => ({ paths, chatKey, now: now(), isInRun, redactions: redactions() });
  return {
    async newContext(about = {}, { isInRun } = {}) {
      const named = redactSecrets(about, options.secrets ?? {});
      const result = await writer.hold(() => startContext(scope(isInRun), named));
      return { ...result, problems: await afterwards(input, result.archived) };
    },
    async loadContext(request, { isInRun, input: asked } = {}) {
      const { contextId, alternatives } = await choose(input, request);
      if (contextId === undefined) return { alternatives, problems: [] };
      const { mode = "full" } = request;
      const language = newestLanguage([...saidLately(input), ...(asked ? [asked] : [])]);
      const recall = { contextId, mode, language };
      const { archived, recalled, title } = await writer.hold(() => recallContext(scope(isInRun), recall));
      const { messageCount } = recalled;
      return {
        loaded: { contextId, title, mode, messageCount, language },
        archived,
        alternatives,
        problems: await afterwards(input, archived),
      };
    },
    async listContexts(limit) {
      const count = parseInput(limitSchema, limit, "limit");
      const { items, problems } = await index.list();
      const own = ownArchive(input);
      const shown = items.filter((item) => item.contextId !== own);
      const contexts = shown.slice(0, count).map(withoutStamp);
      return { contexts, total: shown.length, problems };
    },
    async searchContexts(query, limit) {
      const own = ownArchive(input);
      const max = parseInput(limitSchema, limit, "limit");
      const matches = await input.search.find(query, { limit: max, exclude: own === undefined ? [] : [own] });
      const { items } = await index.list();
      const byId = new Map(items.map((item) => [item.contextId, withoutStamp(item)]));
      return matches.flatMap(({ contextId, score, snippet }) => {
        const item = byId.get(contextId);
        return item ? [{ ...item, score, snippet }] : [];
      });
    },
    clearActive: ({ isInRun } = {}) => writer.hold(() => clearContext(scope(isInRun))),
  };
}

/** The newest messages of the transcript; a damaged one must not make the archives unreachable. */
function saidLately({ paths, redactions }: SwitchesInput): readonly ChatMessage[] {
  try {
    return readWindow(paths.transcript, languageWindow, redactions()).messages;
  } catch {
    return [];
  }
}

function withoutStamp({ stamp: _stamp, ...item }: IndexedItem): ArchiveItem {
  return item;
}

/** By id, or the best match and those behind it [W4]. */
async function choose(
  input: SwitchesInput,
  { query, contextId }: LoadInput,
): Promise<{ readonly contextId?: string; readonly alternatives: readonly ArchiveMatch[] }> {
  const hasQuery = query !== undefined && query.trim() !== "";
  if (contextId === undefined && !hasQuery) {
    const hint = "Give what to look for, or the id of a context; chat_context_list shows them.";
    throw new GalleyError("ContextInvalidInput", "Neither query nor contextId was given.", { path: "query", hint });
  }
  const exclude = [...(contextId === undefined ? currentContexts(input) : [contextId])];
  const limit = contextId === undefined ? alternativeCount + 1 : alternativeCount;
  const matches = hasQuery ? await input.search.find(query, { limit, exclude }) : [];
  if (contextId !== undefined) return { contextId, alternatives: matches };
  const [best, ...alternatives] = matches;
  return { contextId: best?.contextId, alternatives };
}

/** The archives that are the active context itself: what a switch that was cut short has left, and where it came from. */
function currentContexts(input: SwitchesInput): string[] {
  const own = ownArchive(input);
  const { recalled } = readWindow(input.paths.active, { maxMessages: 1 }, input.redactions());
  return [...(own === undefined ? [] : [own]), ...(recalled?.mode === "full" ? [recalled.from] : [])];
}

function ownArchive({ paths, chatKey }: SwitchesInput): string | undefined {
  try {
    return activeContextId(paths.active, chatKey);
  } catch {
    // A damaged active context must not make the archives unreachable.
    return undefined;
  }
}

/** What may fail without harm once a switch has happened: the summary and the index. */
async function afterwards(
  { paths, chatKey, writer, index, redactions, options }: SwitchesInput,
  archived: ArchivedContext | undefined,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const { compactor, countTokens = (text) => Math.ceil(Buffer.byteLength(text) / 3) } = options;
  if (archived && compactor) {
    try {
      const archive = readArchive(paths.archive, archived.contextId, chatKey);
      // What was redacted is shown to no model; a summary of the rest would be dropped with it.
      const isOpen = (one: Archive): boolean => withoutRedacted(one, redactions()) === one;
      const summary = archive && isOpen(archive) ? await summarise(archive, compactor, countTokens) : undefined;
      if (summary !== undefined) {
        // Nor does a summary come too late: what was redacted and purged while it was made is in it.
        const add = (whole: Archive): Archive =>
          isOpen(whole) && whole.messageCount === archive?.messageCount ? { ...whole, summary } : whole;
        await writer.hold(() => updateArchive(paths, chatKey, archived.contextId, add));
      }
    } catch (cause) {
      const detail = cause instanceof Error ? cause.message : String(cause);
      const message = `The archive ${archived.contextId} has no summary: ${detail.replace(/\.?$/, ".")}`;
      problems.push({ severity: "warning", code: "CompactionFailed", message, path: archived.contextId });
    }
  }
  try {
    await index.list();
  } catch (cause) {
    const { code, message, path = paths.archive } = storageError(cause, paths.archive, "read");
    problems.push({ severity: "warning", code, message, path });
  }
  return problems;
}

/** Makes a summary of an archive, or gives nothing when there is none that can be used. */
async function summarise(
  { messages }: Archive,
  compactor: Compactor,
  countTokens: (text: string) => number,
): Promise<string | undefined> {
  const plain = messages.map(toModelMessage);
  const summary = (await compactor.compact({ messages: plain, maxTokens: 300, countTokens })).trim();
  const size = messages.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0);
  return summary === "" || summary.length >= size ? undefined : summary;
}

import { GalleyError, type Problem, extractiveCompactor, redactSecrets } from "@galley/engine";
import * as z from "zod";
import { parseAs } from "../../api/parse-as.ts";
import { maxNoteLength } from "./archive-file.ts";
import type { ArchiveIndex, ArchiveItem, IndexedItem } from "./archive-index.ts";
import type { ArchiveMatch } from "../../search/archive-search.ts";
import type { ChatMessage, RecalledLine } from "../lines/chat-line.ts";
import type {
  ArchivedContext,
  ChatOptions,
  ContextSwitches,
  LoadInput,
  SwitchOptions,
  SwitchSettings,
} from "./context-types.ts";
import type { ArchiveSummaries } from "./archive-summaries.ts";
import type { KnownPaths } from "../lines/chat-paths.ts";
import type { ChatWriter } from "../lines/chat-writer.ts";
import type { ContextSearch } from "./context-search.ts";
import { readWindow } from "../lines/read-window.ts";
import { newestLanguage } from "../lines/reference-label.ts";
import type { Redactions } from "../lines/redactions.ts";
import { type SwitchScope, activeContextId } from "./scan-active.ts";
import { messageOf, storageError } from "../../disk/storage-error.ts";
import { letOthersRun } from "../../limits/in-slices.ts";
import { clearContext, recallContext, startContext } from "./switch-context.ts";

export interface SwitchesInput {
  readonly dataFolder: string;
  readonly paths: KnownPaths;
  readonly writer: ChatWriter;
  readonly index: ArchiveIndex;
  readonly search: ContextSearch;
  readonly summaries: ArchiveSummaries;
  /** Takes what may fail without harm. */
  readonly report: (problem: Problem) => void;
  readonly redactions: () => Redactions;
  readonly now: () => number;
  readonly options: ChatOptions;
  readonly onSwitch: SwitchScope["onSwitch"];
}

const defaultSettings: SwitchSettings = { compactor: extractiveCompactor() };
const aboutSchema = z.strictObject({
  title: z.string().optional(),
  reason: z.string().optional(),
  note: z.string().trim().max(maxNoteLength).optional(),
  contextId: z.string().optional(),
});
const limitSchema = z.int().min(1).max(200).default(20);
const alternativeCount = 5;
/** How far back the language of the user is looked for. */
const languageWindow = { maxMessages: 20 };

/** What a chat's tools and its pages do with its contexts. */
export function contextSwitches(input: SwitchesInput): ContextSwitches {
  const { paths, writer, index, redactions, now, options, onSwitch } = input;
  const fixed = { paths, onSwitch };
  const scope = (isInRun = false): SwitchScope => ({ ...fixed, now: now(), isInRun, redactions: redactions() });
  return {
    async newContext(about = {}, { isInRun, settings } = {}) {
      const inForce = settings ?? (await settingsNow(input));
      const named = redactSecrets(
        parseAs(aboutSchema, about, "newContext", "ContextInvalidInput"),
        options.secrets ?? {},
      );
      const result = await writer.hold(() => startContext(scope(isInRun), named));
      return { ...result, problems: await afterwards(input, result.archived, inForce) };
    },
    async loadContext(request, { isInRun, input: asked, settings, mayBeActive, call } = {}) {
      const { contextId, alternatives } = await choose(input, request, { mayBeActive, call });
      if (contextId === undefined) return { alternatives, problems: [] };
      const inForce = settings ?? (await settingsNow(input));
      const { mode = "full" } = request;
      const language = inForce.language ?? newestLanguage([...saidLately(input), ...(asked ? [asked] : [])]);
      const recall = { contextId, mode, language, call };
      const { archived, recalled, title } = await writer.hold(() => recallContext(scope(isInRun), recall));
      const { messageCount, note } = recalled;
      return {
        loaded: { contextId, title, mode: recalled.mode, messageCount, language, note },
        archived,
        alternatives,
        problems: await afterwards(input, archived, inForce),
      };
    },
    async listContexts(limit) {
      const count = parseAs(limitSchema, limit, "limit", "ContextInvalidInput");
      const { topics, problems } = await index.list();
      const own = ownArchive(input);
      const shown = topics.filter((item) => item.contextId !== own);
      const contexts = shown.slice(0, count).map(asShown);
      return { contexts, total: shown.length, problems };
    },
    async searchContexts(query, limit) {
      const own = ownArchive(input);
      const max = parseAs(limitSchema, limit, "limit", "ContextInvalidInput");
      const matches = await input.search.find(query, { limit: max, exclude: own === undefined ? [] : [own] });
      const { items } = await index.list();
      const byId = new Map(items.map((item) => [item.contextId, asShown(item)]));
      return matches.flatMap(({ contextId, score, snippet }) => {
        const item = byId.get(contextId);
        return item ? [{ ...item, score, snippet }] : [];
      });
    },
    clearActive: ({ isInRun } = {}) => writer.hold(() => clearContext(scope(isInRun))),
  };
}

/** What the chat's settings say. Those that cannot be used must not keep a context from being switched. */
async function settingsNow({ options, report }: SwitchesInput): Promise<SwitchSettings> {
  try {
    return (await options.settings?.()) ?? defaultSettings;
  } catch (cause) {
    const message = `The settings cannot be used for this switch: ${messageOf(cause)}`;
    report({ severity: "warning", code: "CompactionFailed", message, path: "context" });
    return defaultSettings;
  }
}

/** The newest messages of the transcript; a damaged one must not make the archives unreachable. */
function saidLately({ paths, redactions }: SwitchesInput): readonly ChatMessage[] {
  try {
    return readWindow(paths.transcript, languageWindow, redactions()).messages;
  } catch {
    return [];
  }
}

function asShown({ stamp: _stamp, opening: _opening, recent: _recent, ...item }: IndexedItem): ArchiveItem {
  return item;
}

/** By id, or the best match and those behind it [W4]. */
async function choose(
  input: SwitchesInput,
  { query, contextId: asked }: LoadInput,
  { mayBeActive = false, call }: Pick<SwitchOptions, "mayBeActive" | "call">,
): Promise<{ readonly contextId?: string; readonly alternatives: readonly ArchiveMatch[] }> {
  const hasQuery = query !== undefined && query.trim() !== "";
  const recalled = asked === undefined ? recalledLine(input) : undefined;
  const contextId = asked ?? (call !== undefined && call === recalled?.call ? recalled.from : undefined);
  if (contextId === undefined && !hasQuery) {
    const hint = "Give what to look for, or the id of a context; chat_context_list shows them.";
    throw new GalleyError("ContextInvalidInput", "Neither query nor contextId was given.", { path: "query", hint });
  }
  const exclude = contextId === undefined ? currentContexts(input, mayBeActive, recalled) : [contextId];
  const limit = contextId === undefined ? alternativeCount + 1 : alternativeCount;
  const matches = hasQuery ? await input.search.find(query, { limit, exclude }) : [];
  if (contextId !== undefined) return { contextId, alternatives: matches };
  const [best, ...alternatives] = matches;
  return { contextId: best?.contextId, alternatives };
}

/** The archives that are the active context itself: what a switch that was cut short has left, and where it came from. */
function currentContexts(input: SwitchesInput, mayBeActive: boolean, recalled: RecalledLine | undefined): string[] {
  const own = ownArchive(input);
  const source = !mayBeActive && recalled?.mode === "full" ? recalled.from : undefined;
  return [own, source].filter((id) => id !== undefined);
}

function recalledLine({ paths, redactions }: SwitchesInput): RecalledLine | undefined {
  return readWindow(paths.active, { maxMessages: 1 }, redactions()).recalled;
}

function ownArchive({ paths }: SwitchesInput): string | undefined {
  try {
    return activeContextId(paths);
  } catch {
    // A damaged active context must not make the archives unreachable.
    return undefined;
  }
}

/** What may fail without harm once a switch has happened: the summary. The index is brought up to date by who asks for it. */
async function afterwards(
  { paths, summaries }: SwitchesInput,
  archived: ArchivedContext | undefined,
  { compactor }: SwitchSettings,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  try {
    // A long context was read twice by now, and is read once more: others have their turn in between.
    if (archived) await letOthersRun();
    if (archived && archived.messageCount > 0 && compactor)
      problems.push(...(await summaries.add(archived.contextId, compactor)));
  } catch (cause) {
    const { code, message, path = paths.archive } = storageError(cause, paths.archive, "read");
    problems.push({ severity: "warning", code, message, path });
  }
  return problems;
}

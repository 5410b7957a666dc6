import {
  type SessionEntry,
  type TokenAccount,
  digestItem,
  digestOf,
  tokenAccount,
  tokenizerForModel,
} from "@galley/engine";
import { type ModelCatalogue, loadModels } from "@galley/engine/models";
import { type LoggedCall, loggedBuild, loggedCalls, tokensBySource } from "@galley/engine/proof";
import { sha256 } from "../disk/sha256.ts";
import type { BuildItem, BuildUsage, StoredBuild } from "./ports/build-store.ts";
import type { Store } from "./ports/ports.ts";
import type { SessionRef } from "./ports/session-store.ts";

// An imported session has no recorded builds: its log is the record of what its agent's calls have read [L4].

/** The calls of a session: those that were recorded, or else those that its log tells of. */
export async function callsOf({ builds, sessions }: Store, session: SessionRef): Promise<readonly BuildItem[]> {
  const recorded = await builds.list(session);
  if (recorded.length > 0) return recorded;
  const entries = await sessions.read(session);
  if (!isImported(entries)) return [];
  const [account, models] = [await accountFor(entries), await loadModels()];
  return loggedCalls(entries, account).map((call) => itemOf(call, account, models));
}

/** One call whole; `n` is the newest where none is named. */
export async function callOf(store: Store, session: SessionRef, n?: number): Promise<StoredBuild | undefined> {
  const newest = n ?? (await store.builds.list(session, { last: 1 })).at(-1)?.n;
  const recorded = newest === undefined ? undefined : await store.builds.read(session, newest);
  if (recorded) return recorded;
  const entries = await store.sessions.read(session);
  if (!isImported(entries)) return undefined;
  const account = await accountFor(entries);
  const calls = loggedCalls(entries, account);
  const call = n === undefined ? calls.at(-1) : calls[n - 1];
  const build = call && loggedBuild(entries, call.n, account);
  if (!call || !build) return undefined;
  const { messages, tools, ledger, stats, stablePrefix, problems } = build;
  const hashes = messages.map((message) => digestItem(message, { sha256 }));
  const digest = digestOf(build, { sha256 });
  const content = { messages, tools, ledger, stats, stablePrefix, problems, hashes, digest };
  return {
    ...itemOf(call, account, await loadModels()),
    ...content,
    bySource: tokensBySource(build, account),
    removed: [],
    raw: null,
  };
}

/** Only what came from a log: in other sessions, calls that were not recorded are not known. */
function isImported(entries: readonly SessionEntry[]): boolean {
  return entries.some((entry) => entry.type === "custom" && entry["kind"] === "log");
}

/** Counts as the last model of the log does. */
async function accountFor(entries: readonly SessionEntry[]): Promise<TokenAccount> {
  const last = entries.findLast((entry) => entry.type === "message" && entry.call?.model !== undefined);
  return tokenAccount(await tokenizerForModel(last?.type === "message" ? last.call?.model : undefined));
}

function itemOf(
  call: LoggedCall,
  { tokenizer: { id: tokenizer, exactness } }: TokenAccount,
  models: ModelCatalogue,
): BuildItem {
  const { n, turn, callOfTurn, entryId, ts, model = "", compacted, cachedPrefix } = call;
  const { inputTokens, messageCount, dropped, summaryTokens } = call;
  return {
    n,
    turn,
    callOfTurn,
    key: entryId,
    at: Date.parse(String(ts)) || Number(ts) || 0,
    model,
    digest: "",
    stats: { inputTokens, messageCount, droppedMessagesCount: dropped, exactness, tokenizer },
    stablePrefix: messageCount,
    budget: models.find(model).window,
    problems: [],
    bySource: { summary: summaryTokens, history: inputTokens - summaryTokens },
    compacted,
    cachedPrefix,
    usage: usageOf(call),
    isLogged: true,
  };
}

function usageOf({ usage }: LoggedCall): BuildUsage | null {
  if (!usage) return null;
  const { inputTokens = 0, outputTokens, cachedInputTokens = 0 } = usage;
  return { inputTokens, outputTokens, cachedInputTokens };
}

import { GalleyError } from "@galley/engine";
import { isPlainSession } from "../api/place-id.ts";
import { sliceEnd } from "../limits/in-slices.ts";
import { type FindOptions, type FoundLog, findLogs } from "./agent-homes.ts";
import { type FactsCache, factsCache } from "./facts-cache.ts";
import { type LogFacts, factsOf } from "./log-facts.ts";
import { readFound, readHead } from "./read-found.ts";

/** A session of an agent: on this machine, in the store, or both. */
interface LogItem extends LogFacts {
  readonly agent: string;
  /** The file that holds it; absent where only the store has it. */
  readonly file?: string | undefined;
  /** In bytes, with the files of its sub-agents. */
  readonly size?: number | undefined;
  /** When it was last written, in milliseconds since 1970. */
  readonly updatedAt: number;
  readonly isStored: boolean;
  /** Sub-agents that have files of their own. */
  readonly subagents: number;
}

/** A session of the store, as far as a list needs it. */
export interface StoredLog {
  readonly id: string;
  readonly entries: number;
  readonly updatedAt: number;
}

export interface ListLogsOptions extends FindOptions {
  /** Reads every file whose figures are not known yet; otherwise the newest ones, up to a limit. */
  readonly readAll?: boolean | undefined;
}

/** What a list works on beside the agents' folders. */
export interface LogSources {
  readonly stored: readonly StoredLog[];
  /** What the store knows of one of its sessions. */
  readonly factsOfStored: (id: string) => Promise<LogFacts>;
  /** Which store that is, for what is kept of its sessions. */
  readonly storeName: string;
  /** The person's own by default. */
  readonly cache?: FactsCache | undefined;
}

export interface LogList {
  /** Newest first, each once. */
  readonly logs: readonly LogItem[];
  /** Logs of which nothing but name and size is known yet. */
  readonly unread: number;
  /** What is there and cannot be read, in words. */
  readonly problems: readonly string[];
}

/** What one list reads at most, newest first: files whole, then the starts of others. */
const maxWholeBytes = 64 * 1024 * 1024;
const maxHeads = 500;

/** The sessions of agents on this machine and of the store, newest first [L3]. What was learned is kept for the next time. */
export async function listLogs(sources: LogSources, options: ListLogsOptions = {}): Promise<LogList> {
  const cache = sources.cache ?? factsCache();
  const problems: string[] = [];
  const found = findAll(options, cache, problems).toSorted((a, b) => b.mtimeMs - a.mtimeMs);
  const known = await learn(found, cache, options.readAll === true);
  const items = new Map<string, LogItem>();
  const subagents: [FoundLog, LogFacts][] = [];
  let at = 0;
  for (const log of found) {
    const facts = known[at++] ?? guess(log);
    if (facts.parent !== undefined) subagents.push([log, facts]);
    // The newest file of a session says the most; an agent may keep older copies.
    else if (!items.has(facts.id)) items.set(facts.id, itemOf(facts, log));
  }
  for (const [log, facts] of subagents) addSubagent(items, log, facts);
  for (const stored of sources.stored) if (isPlainSession(stored.id)) await addStored(items, stored, sources, cache);
  await cache.save();
  const logs = [...items.values()].sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1));
  return { logs, unread: logs.filter(({ isWhole }) => !isWhole).length, problems };
}

/** The logs in the agents' folders; what is there and cannot be read is said. */
function findAll(options: FindOptions, cache: FactsCache, problems: string[]): readonly FoundLog[] {
  const { sizeAt: knownSize } = cache;
  return findLogs({ ...options, knownSize, onProblem: (problem) => problems.push(problem) });
}

/** The files of a session: its own, and those of its sub-agents. */
export async function filesOfLog(
  id: string,
  options: FindOptions,
  cache: FactsCache = factsCache(),
): Promise<readonly FoundLog[]> {
  const problems: string[] = [];
  const all = findAll(options, cache, problems);
  const belongs = (log: FoundLog, facts: LogFacts | undefined): boolean => {
    const { id: own, parent } = facts ?? guess(log);
    return own === id || parent === id;
  };
  const byName = all.filter((log) => belongs(log, cache.find(log)));
  const hasOwn = byName.some((log) => (cache.find(log) ?? guess(log)).id === id);
  if (hasOwn) return byName;
  // Its path does not tell its id: the starts of the agent's files do.
  const agent = id.slice(0, id.indexOf(":"));
  const own = all.filter((log) => log.agent === agent);
  const known = await learn(own, cache, false, Infinity);
  await cache.save();
  const files = own.filter((log, at) => belongs(log, known[at]));
  if (files.length > 0) return files;
  throw new GalleyError("NotFound", `No agent on this machine has a session ${JSON.stringify(id)}.`, {
    path: "id",
    hint: ["`galley logs` lists those that there are; --home names another home folder.", ...problems].join(" "),
  });
}

/** What is known of each log; what is not is read, newest first, as far as one call should. */
async function learn(
  logs: readonly FoundLog[],
  cache: FactsCache,
  readAll: boolean,
  headLimit = maxHeads,
): Promise<readonly (LogFacts | undefined)[]> {
  const known = logs.map((log) => cache.find(log));
  const pause = sliceEnd();
  let [bytes, heads] = [readAll ? Infinity : maxWholeBytes, readAll ? Infinity : headLimit];
  for (const [at, log] of logs.entries()) {
    const facts = known[at];
    if (facts?.isWhole) continue;
    const isWhole = log.size <= bytes;
    if (!isWhole && (facts !== undefined || heads <= 0)) continue;
    if (isWhole) bytes -= log.size;
    else heads -= 1;
    // One of which nothing is understood is not looked at again before it changes.
    const read = (await factsIn(log, isWhole).catch(() => undefined)) ?? { ...guess(log), isWhole };
    cache.keep(log, read);
    known[at] = read;
    await pause();
  }
  return known;
}

async function factsIn(log: FoundLog, isWhole: boolean): Promise<LogFacts | undefined> {
  const options = { name: log.ownId, as: log.agent };
  if (isWhole) return factsOf(readFound(log), { ...options, isWhole });
  const head = await readHead(log);
  return head && factsOf(ReadableStream.from([head.text]), { ...options, isWhole: head.isWhole });
}

/** What the path alone says. */
function guess({ agent, ownId, parent, title, folder }: FoundLog): LogFacts {
  // Sub-agents of opencode are sessions like any other; those of Claude Code are named after the one that started them.
  const id = parent === undefined || agent === "opencode" ? `${agent}:${ownId}` : `${parent}/${ownId}`;
  return { id, parent, title, folder, isWhole: false };
}

function itemOf({ id, parent, title, folder, tokens, compactions, isWhole }: LogFacts, log: FoundLog): LogItem {
  const { agent, path: file, size, mtimeMs: updatedAt } = log;
  const [isStored, subagents] = [false, 0];
  return { id, parent, title, folder, tokens, compactions, isWhole, agent, file, size, updatedAt, isStored, subagents };
}

/** A sub-agent counts for the session that started it, and stands alone where that is gone. */
function addSubagent(items: Map<string, LogItem>, log: FoundLog, facts: LogFacts): void {
  const { size, mtimeMs } = log;
  const parent = items.get(facts.parent ?? "");
  if (parent) {
    const { size: before = 0, subagents, updatedAt } = parent;
    const own = { size: before + size, subagents: subagents + 1, updatedAt: Math.max(updatedAt, mtimeMs) };
    items.set(parent.id, { ...parent, ...own });
  } else if (!items.has(facts.id)) items.set(facts.id, itemOf(facts, log));
}

async function addStored(
  items: Map<string, LogItem>,
  { id, entries, updatedAt }: StoredLog,
  { factsOfStored, storeName }: LogSources,
  cache: FactsCache,
): Promise<void> {
  const onDisk = items.get(id);
  if (onDisk) {
    items.set(id, { ...onDisk, isStored: true });
    return;
  }
  const stamp = { path: `${storeName}#${id}`, size: entries, mtimeMs: updatedAt };
  let facts = cache.find(stamp);
  if (!facts) {
    facts = await factsOfStored(id);
    cache.keep(stamp, facts);
  }
  // Those of sub-agents are found from the session that started them.
  if (facts.parent !== undefined && items.has(facts.parent)) return;
  const [agent = ""] = id.split(":", 1);
  items.set(id, { ...facts, agent: id.includes(":") ? agent : "galley", updatedAt, isStored: true, subagents: 0 });
}

import { type RecallAnswer, type RecallRequest, recall as recallEntries } from "../fit/recall/recall.ts";
import { runBuild } from "../fit/run-build.ts";
import type { BuildStats } from "../fit/types.ts";
import type { BuildRequest } from "../fit/window/build-request.ts";
import { wrongInput } from "../model/check/input.ts";
import type { CompactionEntry, MessageEntry, SessionEntry } from "../model/entries.ts";
import { GalleyError, type Problem } from "../model/check/errors.ts";
import type { LedgerRow } from "../model/ledger.ts";
import type { TokenAccount } from "../tokens/account.ts";
import { fillerText } from "../wire/shared/segments.ts";
import { type FitOptions, accountFor, budgetOf, compactorOf, optionsCheck, toolsOf } from "./fit-options.ts";
import { type FitMemory, memoryOf, memoryVersion, recallDecision } from "./fit-memory.ts";
import { isSameData } from "./same-data.ts";
import { type ReadList, checkList, checkMessages, readList } from "./read-list.ts";
import { type WrittenList, writeList } from "./write-list.ts";

/** A list that fits, with the reason for everything in it and out of it. */
export interface FitResult<Message> {
  /** What to send: the same shape, and the same objects where nothing was changed. */
  readonly messages: Message[];
  /** One row for each message of the list: sent, shortened or left out, and why. `describeLedger` puts it into words. */
  readonly ledger: readonly LedgerRow[];
  /** What this call has decided; empty while the decision before it holds. */
  readonly decisions: readonly CompactionEntry[];
  readonly stats: BuildStats;
  /** Pass it to the next call on the same list. */
  readonly memory: FitMemory;
  /** What went wrong without stopping the fit, such as a compactor that failed. */
  readonly problems: readonly Problem[];
}

/** What a call found out, kept beside the memory that it gave, so that the next one reads only what is new. */
interface Session {
  readonly list: ReadList;
  /** The log that builds read: from the first message that is kept on, with the decision behind it. */
  readonly log: SessionEntry[];
  /** How many of the list's entries are in it or lie before it. */
  logged: number;
  decision: CompactionEntry | undefined;
}

const sessions = new WeakMap<FitMemory, Session>();

/**
 * Fits a list of messages into a number of tokens, in the shape that it came in: AI SDK, OpenAI Chat, OpenAI Responses or
 * Anthropic. Whole groups of the oldest messages go, never a call without its result; old results of tools become notes
 * first. Pass `memory` back, and what was cut stays cut until the budget is reached again [J1].
 *
 * @example
 * const messages = [{ role: "system", content: "Be brief." }, { role: "user", content: "Hello" }];
 * const first = await fit(messages, { budget: 8000 });
 * first.messages[1] === messages[1]; // → true
 * const more = [...messages, { role: "assistant", content: "Hi." }, { role: "user", content: "And now?" }];
 * const second = await fit(more, { budget: 8000, memory: first.memory });
 * second.stats.messageCount; // → 4
 */
export async function fit<Message extends object>(
  messages: readonly Message[],
  options: FitOptions,
): Promise<FitResult<Message>> {
  optionsCheck(options, "options");
  checkList(messages);
  const [account, budget] = await Promise.all([accountFor(options.model), budgetOf(options)]);
  const tools = toolsOf(options);
  const session = openSession(messages, options);
  const isIgnored = options.memory !== undefined && options.memory !== null && session.isForeign;
  const request = { account, systemPrompt: options.system, tools, model: options.model };
  try {
    const fitted = await fitSession(session, request, budget, options);
    const memory = keepSession(session, fitted.build.entriesToAppend, options.memory);
    const { stats } = fitted.build;
    const { written } = fitted;
    let ledger: readonly LedgerRow[] | undefined;
    return {
      messages: written.messages as Message[],
      get ledger() {
        ledger ??= isIgnored ? [ignoredMemory, ...written.ledger()] : written.ledger();
        return ledger;
      },
      decisions: fitted.build.entriesToAppend.filter((entry) => entry.type === "compaction"),
      stats: { ...stats, inputTokens: stats.inputTokens + fitted.fillerTokens, messageCount: written.messages.length },
      memory,
      problems: fitted.problems,
    };
  } catch (error) {
    throw explainError(error, session.list, account);
  }
}

/**
 * Whether a list goes on from the one that a memory of this process was made for, as far as its decision speaks of it; while
 * nothing was decided, all of it: conversations may begin with the same words.
 */
export function continues(memory: FitMemory, messages: readonly unknown[]): boolean {
  const list = sessions.get(memory)?.list;
  if (!list) return false;
  const last = list.units[list.unitOf[Math.max(0, memory.messages - 1)] ?? 0];
  const count = memory.decision ? Math.max(last?.to ?? 0, 1) : list.items.length;
  if (messages.length < count) return false;
  for (let index = 0; index < count; index += 1) if (!isSameData(list.items[index], messages[index])) return false;
  // The fit that follows need not look again.
  list.compared = { items: messages, count };
  return true;
}

/**
 * What left the window of the list that a memory of this process was made for, by handle or by words: text for the model
 * that asks, in which whatever cannot be given is said [R2].
 *
 * @example
 * const messages = [1, 2, 3, 4].map((n) => ({ role: "user", content: `Note ${n}: ` + "sail ".repeat(40) }));
 * const { memory } = await fit(messages, { budget: 150, recall: true });
 * (await recallFitted(memory, { handle: "§1" })).text.includes("Note 1: sail"); // → true
 */
export async function recallFitted(memory: FitMemory, request: RecallRequest): Promise<RecallAnswer> {
  if (typeof memory !== "object" || memory === null)
    throw wrongInput("memory", "what a call of fit gave", memory, { hint: "Pass the `memory` of its result." });
  const session = sessions.get(memory);
  const entries: SessionEntry[] = [...(session?.list.entries ?? [])];
  const { decision } = session ?? {};
  // One that keeps nothing stands behind the messages that it speaks of: handles are told from it.
  if (decision) entries.splice(decision.firstKeptEntryId === null ? memory.messages : entries.length, 0, decision);
  return recallEntries(entries, request, { account: await accountFor(undefined) });
}

const ignoredMemory: LedgerRow = {
  kind: "generated",
  id: "memory",
  role: "system",
  fate: "generated",
  rule: "memory-ignored",
  count: 0,
};

interface OpenSession extends Session {
  /** The memory that was passed says nothing about this list. */
  readonly isForeign: boolean;
}

function openSession(messages: readonly unknown[], { memory, shape }: FitOptions): OpenSession {
  const known = memory && sessions.get(memory);
  // Taken out while it is used: a call that comes in between reads the memory.
  if (memory) sessions.delete(memory);
  const before = known?.list.entries.length ?? 0;
  const last = known?.list.entries.at(-1);
  const list = readList(messages, shape, known?.list);
  checkMessages(list);
  const isGrown =
    known?.list === list && list.entries.length >= before && (before === 0 || list.entries[before - 1] === last);
  if (known && isGrown) return { ...appendNew(known), isForeign: false };
  const decision = memory && recallDecision(memory, list);
  const isEmpty = memory?.version === memoryVersion && memory.decision === undefined;
  const isForeign = memory !== undefined && decision === undefined && !isEmpty;
  return { ...newSession(list, decision), isForeign };
}

function appendNew(session: Session): Session {
  for (; session.logged < session.list.entries.length; session.logged += 1)
    session.log.push(session.list.entries[session.logged] as MessageEntry);
  return session;
}

/** The log of a list under a decision: what the decision leaves out is not in it. */
function newSession(list: ReadList, decision: CompactionEntry | undefined): Session {
  if (!decision) return appendNew({ list, log: [], logged: 0, decision });
  const { firstKeptEntryId: first } = decision;
  const from = first === null ? list.entries.length : (list.indexOf.get(first) ?? 0);
  const log: SessionEntry[] = [...list.entries.slice(from, from + 1), decision];
  return appendNew({ list, log, logged: from + 1, decision });
}

type Shared = Pick<BuildRequest, "account" | "systemPrompt" | "tools" | "model">;

interface Fitted {
  readonly build: Awaited<ReturnType<typeof runBuild>>["build"];
  readonly written: WrittenList;
  readonly fillerTokens: number;
  readonly problems: readonly Problem[];
}

async function fitSession(session: Session, shared: Shared, budget: number, options: FitOptions): Promise<Fitted> {
  const compactor = compactorOf(options);
  const { recall = false } = options;
  const config = { maxInputTokens: budget, enableCompaction: compactor !== undefined, recall };
  const { build, tried } = await runBuild({ ...shared, entries: session.log, config }, compactor);
  const written = writeList(session.list, build, recall);
  const fillerTokens = written.hasFiller ? shared.account.countPlain(fillerText) : 0;
  // A message in front of the cut is a few tokens more than was planned with.
  if (build.stats.inputTokens + fillerTokens > budget)
    return fitSession(session, shared, budget - fillerTokens, options);
  return {
    build,
    written,
    fillerTokens,
    problems: tried?.problem ? [...build.problems, tried.problem] : build.problems,
  };
}

/** The memory after a call: that of the call before, unless something new was decided. */
function keepSession(
  session: OpenSession,
  appended: readonly SessionEntry[],
  before: FitMemory | undefined,
): FitMemory {
  const { list } = session;
  const decision = appended.findLast((entry) => entry.type === "compaction");
  const next = decision ? newSession(list, decision) : session;
  const isKnown = before !== undefined && !session.isForeign;
  const memory = decision
    ? memoryOf(decision, list)
    : isKnown
      ? before
      : { version: memoryVersion, messages: 0, seal: "" };
  const { log, logged } = next;
  sessions.set(memory as FitMemory, { list, log, logged, decision: next.decision });
  return memory as FitMemory;
}

/** Errors of the build in the words of the caller: paths lead into the list, and the budget is the caller's. */
function explainError(error: unknown, { entries, units, unitOf }: ReadList, account: TokenAccount): unknown {
  if (!(error instanceof GalleyError)) return error;
  const { code, message, problems, cause } = error;
  if (code === "ContextOverflow") {
    const hint = "Raise the budget, or shorten the newest message, the system text or the tools.";
    return new GalleyError(code, message, { path: "options.budget", hint, problems });
  }
  for (const [index, entry] of entries.entries()) {
    try {
      account.countMessage(entry.message);
    } catch {
      const path = `messages[${units[unitOf[index] ?? 0]?.from ?? 0}]`;
      return new GalleyError(code, `${path}: ${message}`, { path, hint: error.hint ?? "", problems, cause });
    }
  }
  return error;
}

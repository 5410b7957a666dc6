import type { BuildStats, LedgerRow, ModelMessage, Problem, ToolSpec } from "@galley/engine";
import type { WriteOptions } from "./run-store.ts";
import type { SessionRef } from "./session-store.ts";

/** What a provider says that a call has cost. */
export interface BuildUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  /** How long the reply took, in ms; absent where somebody else made the call. */
  readonly ms?: number;
}

/** What is known of a build besides what was sent. */
export interface BuildFacts {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly model: string;
  readonly digest: string;
  readonly stats: BuildStats;
  /** Length of the prefix that appends do not change, in messages. */
  readonly stablePrefix: number;
  readonly recipe?: { readonly id: string; readonly pattern: string; readonly rule: string };
  readonly presetId?: string;
  readonly budget: number;
  readonly problems: readonly Problem[];
  /** Tokens by where they come from. */
  readonly bySource: Readonly<Record<string, number>>;
  /** Whether something was summarised or dropped for good in this build. */
  readonly compacted: boolean;
  /** Length of the prefix that is unchanged since the build before, in tokens. */
  readonly cachedPrefix: number;
  readonly runId?: string;
  /** The first message of its context: calls with the same one go on in one context [T10]. */
  readonly contextStart?: string;
  /** The turn that the call belongs to: a run, a task, or one that somebody else carries out. Absent in records from before version 6. */
  readonly turnId?: string;
  /** The context settings that somebody had set, with where each came from [T3]. */
  readonly settings?: readonly RecordedSetting[];
}

/** A context setting as a record keeps it. */
interface RecordedSetting {
  readonly key: string;
  readonly value?: unknown;
  readonly from: string;
  readonly keys?: Readonly<Record<string, string>> | undefined;
}

/** One call of a model: exactly what it reads. The caller has redacted secrets, and changes no message in place. */
export interface NewBuild extends BuildFacts {
  /** Chosen by the caller, e.g. `<runId>/<iteration>`: what is recorded twice with one key is there once. */
  readonly key: string;
  /** The key begins with it, so that the calls of a turn are found by their keys. */
  readonly turnId: string;
  /** The turn's id was made just now: no call of it can be there. */
  readonly isNewTurn?: boolean;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  readonly ledger: readonly LedgerRow[];
  /** The `digestItem` of each message, where the caller knows them. */
  readonly hashes?: readonly string[];
}

/** How people name a recorded call: "call 2 of turn 5" [V1]. */
export interface CallNumbers {
  /** Among the calls of the session; 1 for the first. */
  readonly n: number;
  /** The number of its turn among the turns of the session. */
  readonly turn: number;
  /** Its place among the calls of its turn. */
  readonly callOfTurn: number;
}

/** A build in a list. */
export interface BuildItem extends BuildFacts, CallNumbers {
  readonly key: string;
  /** `null` until the provider has answered. */
  readonly usage: BuildUsage | null;
  /** The log of an agent tells of it [L4]: what the agent sent besides the messages is not known. */
  readonly isLogged?: boolean;
}

/** A build whole. */
export interface StoredBuild extends BuildItem {
  /** As they were sent; bytes have become base64 text. */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  readonly ledger: readonly LedgerRow[];
  /** The SHA-256 of each message when it was sent [P2]; `null` where its content was removed since. */
  readonly hashes: readonly (string | null)[];
  /** The positions of messages whose content was removed since [M7]; a note stands in their place. */
  readonly removed: readonly number[];
  /** The request's body as it went out; `null` when it is not among the latest, or was never noted. */
  readonly raw: string | null;
}

/** Which builds of a session are listed. */
export interface BuildWindow {
  /** At most this many, taken from the end; the order stays that of the numbers. */
  readonly last?: number;
  /** Only builds with a smaller number. */
  readonly before?: number;
}

/** A session that has builds. */
export interface BuiltSession {
  readonly id: string;
  /** How many builds it has. */
  readonly calls: number;
  /** When the last one was made; its model and its size. */
  readonly updatedAt: number;
  readonly model: string;
  readonly inputTokens: number;
}

/**
 * What each call of a model has read [P2]. Every message is kept once for a project, and a build as the numbers of what it
 * sent. A session's id may be any text of 1 to 600 characters.
 */
export interface BuildStore {
  /** Numbers the build: 1, 2, 3 … in its session. A key that is there already gives its numbers and changes nothing. */
  record(session: SessionRef, build: NewBuild): Promise<CallNumbers>;
  /**
   * Keeps the request's body as it goes out, for the session's latest 20 builds. `NotFound` when there is no such build. Late,
   * it waits up to ten seconds, for what is written when the call has ended.
   */
  noteSent(session: SessionRef, n: number, raw: string, options?: WriteOptions): Promise<void>;
  /** `NotFound` when there is no such build. */
  noteUsage(session: SessionRef, n: number, usage: BuildUsage, options?: WriteOptions): Promise<void>;
  /** In the order of their numbers; none when the session does not exist. */
  list(session: SessionRef, window?: BuildWindow): Promise<readonly BuildItem[]>;
  read(session: SessionRef, n: number): Promise<StoredBuild | undefined>;
  /** Where a turn has its first build, and when that was made. */
  findTurn(projectId: string, turnId: string): Promise<{ readonly sessionId: string; readonly at: number } | undefined>;
  /** The project's sessions with builds, the one that was used last first. */
  sessions(projectId: string): Promise<readonly BuiltSession[]>;
  /**
   * Removes content for good [M7]: that of the messages with these hashes (`digestItem`) from every build of the session, and
   * the requests that may hold it; or `everything` that the session has. Other sessions keep theirs. Gives the number of
   * messages that were removed, or of builds.
   */
  purge(session: SessionRef, what: readonly string[] | "everything"): Promise<number>;
}

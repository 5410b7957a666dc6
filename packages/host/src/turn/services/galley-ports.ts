import type { SessionMatch } from "../../logs/session-search.ts";
import type { Build, Problem, SessionEntry } from "@galley/engine";
import type { ContextSettings } from "../../config/settings-in-force.ts";
import type { Chat } from "../../chat/chat.ts";
import type { MessageMatch } from "../../chat/find-in-chat.ts";
import type { Removal } from "../../disk/store-files.ts";
import type { Caller } from "../../handover/options/caller.ts";
import type { FoundProfile } from "../../handover/pack/profiles.ts";
import type { HandoverOptions, ProfileSettings } from "../../handover/options/handover-options.ts";
import type { Delegated } from "../../handover/plan/results.ts";
import type { CardRow } from "../../handover/work/card-ledger.ts";
import type { ResultField } from "../../handover/cards/result-fields.ts";
import type { StoredBuild } from "../../store/ports/build-store.ts";
import type { Task } from "../../store/ports/task-store.ts";

/** What a chat uses unless a turn says otherwise. */
export interface ChatSettings {
  /** What lists call the chat; without one, its first question does. */
  readonly title?: string;
  /** The chat, and its last message that this one began with. */
  readonly forkedFrom?: ForkOrigin;
  readonly model?: string;
  readonly preset?: string;
  /** Its context settings; `null` stands for the built-in default [T3]. */
  readonly context?: ContextSettings;
}

export interface ForkOrigin {
  readonly chat: string;
  readonly message: string;
}

/** What changes of a chat's settings; `null` takes one away. */
export interface ChatChanges {
  readonly title?: string | null | undefined;
  readonly model?: string | null | undefined;
  readonly preset?: string | null | undefined;
  /** Each key that is given gets its value; those that are not given stay. `null` takes all away. */
  readonly context?: ContextSettings | null | undefined;
  /** Keys of the context settings that the chat shall not set any more. */
  readonly unset?: readonly string[] | undefined;
}

/** A chat as lists show it. */
export interface ChatItem {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** How many contexts were put away. */
  readonly contexts: number;
  /** The beginning of what was said last. */
  readonly preview: string;
  /** As it was named, else its first question, else its key. */
  readonly title: string;
  readonly forkedFrom?: ForkOrigin;
}

/** A message of some chat that was searched for. */
export interface FoundMessage extends MessageMatch {
  readonly chat: string;
  /** The chat's title. */
  readonly title: string;
}

/** Where a fork begins. */
export interface ForkInput {
  /** The last message that it begins with; default: the newest of the active context. */
  readonly message?: string | undefined;
  /** The key of the new chat; default: the key of this one with a number behind it. */
  readonly to?: string | undefined;
}

/** The chats of a data folder. */
export interface GalleyChats {
  /** A handle that stays open until Galley is closed: ask for it as often as you like, and do not close it. */
  open(key: string): Promise<Chat>;
  /** The one that was used last first. */
  list(): Promise<{ readonly chats: readonly ChatItem[]; readonly problems: readonly Problem[] }>;
  settings(key: string): Promise<ChatSettings>;
  /** Sets what is given; `null` takes a setting away. */
  configure(key: string, settings: ChatChanges): Promise<void>;
  /** Looks through the active and the archived contexts of every chat, the chat that was used last first. */
  find(query: string, limit?: number): Promise<readonly FoundMessage[]>;
  /** Begins another chat with the active context of this one, up to a message, and with its settings. */
  fork(key: string, input?: ForkInput): Promise<{ readonly key: string; readonly messageCount: number }>;
  /** Deletes a chat for good; its key is asked for again. */
  delete(key: string, confirmation: string): Promise<Removal>;
}

/** A session as lists show it. */
export interface SessionSummary {
  readonly id: string;
  /** Of a plain session: what its log is called, or what was asked first. */
  readonly title?: string;
  /** Entries of its log; none where only calls were recorded, as for chats. */
  readonly entries: number;
  /** Recorded calls of a model. */
  readonly calls: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** Of the last call. */
  readonly model?: string;
  readonly inputTokens?: number;
}

/** What changes of a session's settings. */
export type SessionChanges = Pick<ChatChanges, "context" | "unset">;

/** The plain sessions of a project: their logs, settings and recorded calls [V6]. */
export interface GalleySessions {
  /** The one that was used last first. */
  list(): Promise<readonly SessionSummary[]>;
  /** The log; empty when there is none. */
  entries(id: string): Promise<readonly SessionEntry[]>;
  /** Appends to a log, e.g. what an agent's own says [L1]. Entries that are there already are skipped; secrets are masked [P6]. */
  append(
    id: string,
    entries: readonly SessionEntry[],
  ): Promise<{ readonly added: number; readonly tail: string | null }>;
  /** Sessions in which something was said, the best first [L4]; 10 unless said otherwise. */
  search(query: string, options?: { readonly limit?: number }): Promise<readonly SessionMatch[]>;
  /** Its own context settings [T3]. */
  settings(id: string): Promise<ContextSettings>;
  configure(id: string, changes: SessionChanges): Promise<void>;
  /** Deletes a session for good, with its records; its id is asked for again. */
  delete(id: string, confirmation: string): Promise<Removal>;
}

/** What the model of a task has read, or would read, with a row for every card. */
export interface TaskBuild extends Pick<Build, "messages" | "tools" | "stats" | "ledger" | "stablePrefix"> {
  readonly model: string;
  readonly digest: string;
  readonly cards: readonly CardRow[];
  /** What the result must hold, where the task says so. */
  readonly contract: readonly ResultField[] | undefined;
  /** The newest call of the task; absent while no call was made, and it is what the first one would read. */
  readonly call?: Pick<StoredBuild, "n" | "turn" | "callOfTurn" | "at" | "usage" | "budget">;
}

/** A task that a person gives. */
interface PersonTask {
  readonly profile: string;
  readonly instruction: string;
  /** Boxes whose cards it inherits. */
  readonly boxes?: readonly string[];
  /** `chat:KEY`, `agent:NAME` or the id of a session: it also reads what was said there, and its result returns there [A3a]. */
  readonly place?: string;
  /** Instead of the profile's own model. */
  readonly model?: string;
}

/** Handing work to others: what chats use, and what a person uses who delegates directly. */
export interface GalleyHandover {
  readonly options: HandoverOptions;
  /** A person, who may use every box of the project. */
  readonly person: Caller;
  /** Says under a name who an agent is; gives the id of its box. A name that is taken gets the new text. */
  saveProfile(name: string, profile: string | ProfileSettings): Promise<string>;
  /** Takes a saved profile away. Tasks that were given to it keep its text. */
  removeProfile(name: string): Promise<void>;
  /** The profiles that tasks can be given to: those of the configuration, and those that were saved. */
  profiles(): Promise<readonly FoundProfile[]>;
  /** Gives a task to a profile; the embedded worker runs it. */
  delegate(task: PersonTask): Promise<Delegated>;
  /** Waits until a task has ended, in any process; `result` is its answer, `error` says why it has none. */
  waitFor(taskId: string, options?: { readonly signal?: AbortSignal }): Promise<Task>;
  /** Tells listeners of these tasks until they have ended, in whatever process that happens [A1]. */
  watch(taskIds: readonly string[]): void;
  /** What the newest call of a task has read, as it was recorded; what its first call would read, while there is none [T14]. */
  buildOf(taskId: string): Promise<TaskBuild>;
  /** Starts the embedded worker, which otherwise starts with the first task. */
  start(): Promise<void>;
}

import type { Problem } from "@galley/engine";
import type { Chat } from "../../chat/chat.ts";
import type { Removal } from "../../disk/store-files.ts";
import type { Caller } from "../../handover/options/caller.ts";
import type { HandoverOptions } from "../../handover/options/handover-options.ts";
import type { Delegated } from "../../handover/plan/results.ts";
import type { Task } from "../../store/ports/task-store.ts";

/** What a chat uses unless a turn says otherwise. */
export interface ChatSettings {
  readonly model?: string;
  readonly preset?: string;
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
}

/** The chats of a data folder. */
export interface GalleyChats {
  /** A handle that stays open until Galley is closed: ask for it as often as you like, and do not close it. */
  open(key: string): Promise<Chat>;
  /** The one that was used last first. */
  list(): Promise<{ readonly chats: readonly ChatItem[]; readonly problems: readonly Problem[] }>;
  settings(key: string): Promise<ChatSettings>;
  /** Sets what is given; `null` takes a setting away. */
  configure(key: string, settings: { readonly [Name in keyof ChatSettings]?: string | null }): Promise<void>;
  /** Deletes a chat for good; its key is asked for again. */
  delete(key: string, confirmation: string): Promise<Removal>;
}

/** Handing work to others: what chats use, and what a person uses who delegates directly. */
export interface GalleyHandover {
  readonly options: HandoverOptions;
  /** A person, who may use every box of the project. */
  readonly person: Caller;
  /** Says under a name who an agent is; gives the id of its box. A name that is taken gets the new text. */
  saveProfile(name: string, text: string): Promise<string>;
  /** Gives a task to a profile; the embedded worker runs it. */
  delegate(task: {
    readonly profile: string;
    readonly instruction: string;
    readonly boxes?: readonly string[];
  }): Promise<Delegated>;
  /** Waits until a task has ended, in any process; `result` is its answer, `error` says why it has none. */
  waitFor(taskId: string, options?: { readonly signal?: AbortSignal }): Promise<Task>;
  /** Starts the embedded worker, which otherwise starts with the first task. */
  start(): Promise<void>;
}

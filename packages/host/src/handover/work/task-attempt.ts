import type { JsonValue, ModelMessage } from "@galley/engine";
import type { ToolCallPart } from "@galley/engine/messages";
import type { Task } from "../../store/ports/task-store.ts";
import type { TaskBuild } from "./build-task.ts";
import type { Caller } from "../options/caller.ts";

/** One attempt at a task, as whoever runs it sees it. */
export interface TaskAttempt {
  readonly task: Task;
  /** What the model reads now. */
  readonly build: TaskBuild;
  /** Calls of this task that have no result yet: an earlier attempt made them, or they waited for a fork. Serve them first. */
  readonly openCalls: readonly ToolCallPart[];
  /** Whom to name when a tool is called; the id of the call belongs in it. */
  readonly caller: Caller;
  /** Aborted when the task is lost, cancelled, past its deadline, or the worker stops. */
  readonly signal: AbortSignal;
  /** Keeps messages of this task for good, so that another attempt goes on behind them; gives what the model reads then. */
  record(messages: readonly ModelMessage[]): Promise<TaskAttempt>;
}

/** How an attempt ends; when it throws, the task is tried again. */
export type TaskOutcome =
  | {
      readonly status: "done";
      /** The last messages, which are recorded together with the result. */
      readonly messages?: readonly ModelMessage[];
      /** Without one, it is taken from the last message. */
      readonly result?: JsonValue;
    }
  /** A tool has parked the task; it is run again when what it waits for is there. */
  | { readonly status: "suspended" };

/** Runs one attempt at a task. The agent loop plugs in here. */
export type RunTask = (run: TaskAttempt) => Promise<TaskOutcome>;

/** The calls among messages that have no result, in order. */
export function openCallsOf(messages: readonly ModelMessage[]): ToolCallPart[] {
  const open: ToolCallPart[] = [];
  for (const { role, content } of messages) {
    if (role === "user") open.length = 0;
    if (typeof content === "string") continue;
    for (const part of content) {
      if (part.type === "tool-call" && !part.providerExecuted) open.push(part);
      if (part.type !== "tool-result") continue;
      const answered = open.findLastIndex((call) => call.toolCallId === part.toolCallId);
      if (answered >= 0) open.splice(answered, 1);
    }
  }
  return open;
}

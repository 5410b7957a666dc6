import {
  type AssistantMessage,
  GalleyError,
  type ModelMessage,
  type SessionEntry,
  type UserMessage,
} from "@galley/engine";
import type { Keep } from "./lines/keep-messages.ts";

/** Where a run of an agent in a chat stands. */
export interface RunState {
  readonly phase: "open" | "committed" | "failed";
  /** What the user said; it reaches the disk at the end. */
  readonly input: UserMessage;
  /** The working context with which the run goes on. */
  readonly context: readonly SessionEntry[];
  /** What the run has added: assistant messages with tool calls, and their results. */
  readonly steps: readonly ModelMessage[];
}

export type RunEvent =
  | { readonly type: "step"; readonly messages: readonly ModelMessage[] }
  | { readonly type: "switched"; readonly context: readonly SessionEntry[] }
  | { readonly type: "committed" }
  | { readonly type: "failed" };

export function startRun(input: UserMessage, context: readonly SessionEntry[]): RunState {
  return { phase: "open", input, context, steps: [] };
}

/** The state after something has happened. A run that has ended takes nothing more. */
export function nextState(state: RunState, event: RunEvent): RunState {
  if (state.phase !== "open") {
    throw new GalleyError("EditNotAllowed", `The run was ${state.phase} already.`, {
      hint: "Begin a new run for the next message.",
    });
  }
  switch (event.type) {
    case "step":
      return { ...state, steps: [...state.steps, ...event.messages] };
    case "switched":
      // The step that holds the switching call follows; what came before it belongs to the other context [W11].
      return { ...state, context: event.context, steps: [] };
    case "committed":
      return { ...state, phase: "committed" };
    case "failed":
      return { ...state, phase: "failed" };
  }
}

/** What the model reads next, without the system text: context, current user message, and what the run has added. */
export function runMessages({ context, input, steps }: RunState): readonly ModelMessage[] {
  const before = context.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  return [...before, input, ...steps];
}

/** What a run leaves behind [W11]: a failed one only the user's message, and that only in the transcript. */
export function runResult({ input }: RunState, reply: AssistantMessage | undefined, nextTime: () => number): Keep {
  const said = { ts: nextTime(), message: input };
  if (!reply) return { transcript: [{ ...said, failed: true }], active: [] };
  const both = [said, { ts: nextTime(), message: reply }];
  return { transcript: both, active: both };
}

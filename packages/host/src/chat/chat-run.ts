import type { AssistantMessage, ModelMessage, SessionEntry, UserMessage } from "@galley/engine";
import type { Chat } from "./chat.ts";
import { type ChatTool, chatTools } from "./chat-tools.ts";
import type { WindowLimits } from "./read-window.ts";
import { type RunEvent, nextState, runMessages, runResult, startRun } from "./run-state.ts";

/** One run of an agent in a chat: begun before the model is called, committed or failed after. */
export interface ChatRun {
  /** The context tools, bound to this run: a switch takes effect on the next call of the model [W11]. */
  readonly tools: readonly ChatTool[];
  /** The working context, for a build. */
  context(): readonly SessionEntry[];
  /** The current user message and what the run has added, for a build. */
  inputMessages(): readonly ModelMessage[];
  /** Both as one list, without the system text. */
  messages(): readonly ModelMessage[];
  /** Takes in a step: an assistant message with tool calls, together with their results. */
  add(messages: readonly ModelMessage[]): void;
  /** Writes the user's message and the reply to transcript and active context. After an error it may be called again. */
  commit(reply: AssistantMessage): Promise<void>;
  /** Writes the user's message to the transcript only. */
  fail(): Promise<void>;
}

/** Begins a run. Nothing is written before it ends, except by the tools. */
export function beginRun(chat: Chat, input: UserMessage, limits: WindowLimits = {}): ChatRun {
  let state = startRun(input, chat.entries(limits));
  const take = (event: RunEvent): void => {
    state = nextState(state, event);
  };
  const end = async (event: RunEvent, reply?: AssistantMessage): Promise<void> => {
    const open = state;
    const { messages, to } = runResult(open, reply);
    // At once, so that a second end does not write again; open once more when nothing could be written.
    state = nextState(open, event);
    try {
      await chat.append(messages, to);
    } catch (error) {
      state = open;
      throw error;
    }
  };
  return {
    tools: chatTools(chat, {
      isInRun: true,
      onSwitch: () => take({ type: "switched", context: chat.entries(limits) }),
    }),
    context: () => state.context,
    inputMessages: () => [state.input, ...state.steps],
    messages: () => runMessages(state),
    add: (messages) => take({ type: "step", messages }),
    commit: (reply) => end({ type: "committed" }, reply),
    fail: () => end({ type: "failed" }),
  };
}

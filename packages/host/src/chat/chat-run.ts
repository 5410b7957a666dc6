import {
  type AssistantMessage,
  GalleyError,
  type ModelMessage,
  type SessionEntry,
  type UserMessage,
} from "@galley/engine";
import type { RuntimeInitEntry } from "@galley/engine/messages";
import type { Tally } from "@galley/engine";
import type { Tool } from "../tools/tool.ts";
import type { Chat } from "./chat.ts";
import type { ContextStamp } from "./contexts/context-stamp.ts";
import type { DecisionEntry, ResultLine, TranscriptLine } from "./lines/chat-line.ts";
import { contextTools } from "./context-tools.ts";
import type { Exchange } from "./contexts/commit-exchange.ts";
import type { SwitchSettings } from "./contexts/context-types.ts";
import type { WindowLimits } from "./lines/read-window.ts";
import { entriesOfLine } from "./lines/session-entries.ts";

/** One run of an agent in a chat: begun before the model is called, committed or failed after. */
export interface ChatRun {
  /** The context tools, bound to this run: a switch takes effect on the next call of the model [W11]. */
  readonly tools: readonly Tool[];
  /** The working context, for a build. */
  context(): readonly SessionEntry[];
  /** Steps of earlier turns that the context has not kept [T8]. */
  unkept(): Tally;
  /** Where the run was opened, or the context that it switched to since [T6]. */
  opened(): ContextStamp;
  /** The current user message and what the run has added, for a build. */
  inputMessages(): readonly ModelMessage[];
  /** Both as one list, without the system text. */
  messages(): readonly ModelMessage[];
  /** Takes in a step: an assistant message with tool calls, together with their results. */
  add(messages: readonly ModelMessage[]): void;
  /** Keeps what a build decided about the working context. */
  recordDecision(entry: DecisionEntry): Promise<void>;
  /** Keeps what the working context was begun with [T5]. */
  recordRuntimeInit(entry: RuntimeInitEntry): Promise<void>;
  /** Writes the user's message and the reply to transcript and active context. After an error it may be called again. */
  commit(reply: AssistantMessage): Promise<void>;
  /** Writes the user's message to the transcript only. */
  fail(): Promise<void>;
}

export interface BeginRunOptions extends WindowLimits {
  /** The run goes on before the message of this id, which it regenerates or edits [M6]. */
  readonly cutFrom?: string | undefined;
  /** The id that the user's message will have in the chat. */
  readonly inputId?: string;
  /** What came back from tasks: it stands behind the context, in front of the user's message [A1]. */
  readonly results?: readonly ResultLine[];
  /** What is in force when a context is switched; what the chat says if absent. */
  readonly settings?: SwitchSettings | undefined;
  /** Writes what the run leaves behind, instead of a plain append. */
  readonly write?: (reply: AssistantMessage | undefined, state: RunEnd) => Promise<void>;
}

interface RunEnd {
  readonly hasSwitched: boolean;
  /** With this the active context begins, if there is none yet [W12]. */
  readonly head: TranscriptLine | undefined;
}

/** Begins a run. Nothing is written before it ends, except by the tools. */
export function beginRun(chat: Chat, input: UserMessage, options: BeginRunOptions = {}): ChatRun {
  const { cutFrom, inputId, results = [], write, settings, ...limits } = options;
  let hasSwitched = false;
  // Before the context is read: what is said in between is a conflict rather than unseen.
  let opened = chat.stamp();
  const asked = { input, inputId, cutFrom, language: settings?.language };
  const { entries, head, ...context } = chat.context(limits, asked);
  let { unkept } = context;
  const returned = results.flatMap((line) => entriesOfLine(line));
  const withResults = (before: readonly SessionEntry[]): readonly SessionEntry[] =>
    returned.length === 0 ? before : [...before, ...returned];
  let state = startRun(input, withResults(entries));
  const take = (event: RunEvent): void => {
    state = nextState(state, event);
  };
  const end = async (event: RunEvent, reply?: AssistantMessage): Promise<void> => {
    const open = state;
    // At once, so that a second end does not write again; open once more when nothing could be written.
    state = nextState(open, event);
    try {
      if (write) await write(reply, { hasSwitched, head });
      else
        await chat.commitExchange({
          ...runResult(open, reply, () => chat.nextTime()),
          head,
          ...(reply ? { results } : {}),
        });
    } catch (error) {
      state = open;
      throw error;
    }
  };
  return {
    tools: contextTools(chat, {
      isInRun: true,
      input,
      settings,
      onSwitch: () => {
        hasSwitched = true;
        opened = chat.stamp();
        const next = chat.context(limits, {});
        unkept = next.unkept;
        take({ type: "switched", context: withResults(next.entries) });
      },
    }),
    context: () => state.context,
    unkept: () => unkept,
    opened: () => opened,
    inputMessages: () => [state.input, ...state.steps],
    messages: () => runMessages(state),
    add: (messages) => take({ type: "step", messages }),
    recordDecision: (entry) => chat.recordDecision(entry, head),
    recordRuntimeInit: (entry) => chat.recordRuntimeInit(entry, head),
    commit: (reply) => end({ type: "committed" }, reply),
    fail: () => end({ type: "failed" }),
  };
}

/** Where a run of an agent in a chat stands. */
interface RunState {
  readonly phase: "open" | "committed" | "failed";
  /** What the user said; it reaches the disk at the end. */
  readonly input: UserMessage;
  /** The working context with which the run goes on. */
  readonly context: readonly SessionEntry[];
  /** What the run has added: assistant messages with tool calls, and their results. */
  readonly steps: readonly ModelMessage[];
}

type RunEvent =
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
function runResult({ input }: RunState, reply: AssistantMessage | undefined, nextTime: () => number): Exchange {
  const said = { ts: nextTime(), message: input };
  if (!reply) return { transcript: [{ ...said, failed: true }], active: [] };
  const both = [said, { ts: nextTime(), message: reply }];
  return { transcript: both, active: both };
}

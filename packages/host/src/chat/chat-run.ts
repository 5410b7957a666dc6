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
  let working = withResults(entries);
  /** Assistant messages with tool calls, and their results. */
  let steps: readonly ModelMessage[] = [];
  let phase: "open" | "committed" | "failed" = "open";
  const checkOpen = (): void => {
    if (phase !== "open") throw endedRun(phase);
  };
  const end = async (how: "committed" | "failed", reply?: AssistantMessage): Promise<void> => {
    checkOpen();
    // At once, so that a second end does not write again; open once more when nothing could be written.
    phase = how;
    try {
      if (write) await write(reply, { hasSwitched, head });
      else await chat.commitExchange({ ...plainExchange(chat, input, reply), head, ...(reply && { results }) });
    } catch (error) {
      phase = "open";
      throw error;
    }
  };
  return {
    tools: contextTools(chat, {
      isInRun: true,
      input,
      settings,
      onSwitch: () => {
        checkOpen();
        hasSwitched = true;
        opened = chat.stamp();
        const next = chat.context(limits, {});
        unkept = next.unkept;
        working = withResults(next.entries);
        // The step that holds the switching call follows; what came before it belongs to the other context [W11].
        steps = [];
      },
    }),
    context: () => working,
    unkept: () => unkept,
    opened: () => opened,
    inputMessages: () => [input, ...steps],
    messages: () => [...working.flatMap((entry) => (entry.type === "message" ? [entry.message] : [])), input, ...steps],
    add(messages) {
      checkOpen();
      steps = [...steps, ...messages];
    },
    recordDecision: (entry) => chat.recordDecision(entry, head),
    recordRuntimeInit: (entry) => chat.recordRuntimeInit(entry, head),
    commit: (reply) => end("committed", reply),
    fail: () => end("failed"),
  };
}

function endedRun(how: string): GalleyError {
  return new GalleyError("EditNotAllowed", `The run was ${how} already.`, {
    hint: "Begin a new run for the next message.",
  });
}

/** What a run leaves behind [W11]: a failed one only the user's message, and that only in the transcript. */
function plainExchange(chat: Chat, input: UserMessage, reply: AssistantMessage | undefined): Exchange {
  const said = { ts: chat.nextTime(), message: input };
  if (!reply) return { transcript: [{ ...said, failed: true }], active: [] };
  const both = [said, { ts: chat.nextTime(), message: reply }];
  return { transcript: both, active: both };
}

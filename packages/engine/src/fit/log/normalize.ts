import type { MessageEntry } from "../../model/entries.ts";
import type { Rule } from "../../model/ledger.ts";
import type { ModelMessage, ToolCallPart, ToolPart } from "../../model/messages.ts";
import { callKey, isCallKey, openCalls } from "../../model/open-calls.ts";
import { type Shape, shapeOf } from "./measure.ts";

/** A history that a provider can be sent, with what had to be done for it. */
export interface Normalized {
  /** The system messages that the session begins with. */
  readonly head: readonly MessageEntry[];
  /** All that follows them. */
  readonly history: readonly MessageEntry[];
  /** What was taken out, and why. */
  readonly removed: readonly { readonly entry: MessageEntry; readonly rule: Rule }[];
  /** Ids of messages in `history` that the build made up: results for calls that never got one. */
  readonly made: ReadonlySet<string>;
}

/**
 * Takes out empty messages and results without a call, and gives calls that were never answered a result that says so
 * [F3]. Calls that the last assistant message made may still be answered and are left open. The first `headLength` messages
 * are the session's head. A preset may want blank messages to stay.
 */
export function normalize(messages: readonly MessageEntry[], headLength: number, keepsBlank = false): Normalized {
  const head: MessageEntry[] = [];
  let seen = 0;
  const history: MessageEntry[] = [];
  const removed: { entry: MessageEntry; rule: Rule }[] = [];
  const made = new Set<string>();
  /** Open calls, by the index in `history` of the message that made them. */
  const open = openCalls();

  /** Gives a result to every call that was made before `before` and has none. */
  const closeCalls = (before: number): void => {
    const unanswered = new Map<number, Set<string>>();
    for (const [key, index] of open.entries()) {
      if (index < before && isCallKey(key)) unanswered.set(index, (unanswered.get(index) ?? new Set()).add(key));
    }
    // From the back, so that the indexes in front stay right.
    for (const [index, keys] of [...unanswered].sort(([a], [b]) => b - a)) {
      const entry = missingResults(history[index] as MessageEntry, keys);
      made.add(entry.id);
      history.splice(endOfResults(history, index), 0, entry);
    }
    open.clear();
  };

  for (const entry of messages) {
    seen += 1;
    const { message } = entry;
    const shape = shapeOf(message);
    if (shape.isBlank && !keepsBlank) {
      removed.push({ entry, rule: "empty" });
      continue;
    }
    if (seen <= headLength) {
      head.push(entry);
      continue;
    }
    if (message.role === "user" && !open.isEmpty) closeCalls(history.length);
    for (const key of shape.opens) open.open(key, history.length);
    const orphans = shape.answers.filter(({ key }) => open.answer(key) === undefined);
    const rest = orphans.length === 0 ? message : withoutParts(message, orphans);
    if (rest) history.push(rest === message ? entry : { ...entry, message: rest });
    else removed.push({ entry, rule: "orphan" });
  }
  if (!open.isEmpty) closeCalls(history.findLastIndex((entry) => entry.message.role === "assistant"));
  return { head, history, removed, made };
}

function withoutParts(message: ModelMessage, parts: Shape["answers"]): ModelMessage | undefined {
  if (typeof message.content === "string") return message;
  const indexes = new Set(parts.map(({ part }) => part));
  const content = message.content.filter((_, index) => !indexes.has(index));
  return content.length > 0 ? ({ ...message, content } as ModelMessage) : undefined;
}

function missingResults(entry: MessageEntry, keys: ReadonlySet<string>): MessageEntry {
  const parts = typeof entry.message.content === "string" ? [] : entry.message.content;
  const calls = parts.filter((part): part is ToolCallPart => part.type === "tool-call" && keys.has(callKey(part)));
  const content = calls.map(({ toolCallId, toolName }): ToolPart => ({
    type: "tool-result",
    toolCallId,
    toolName,
    output: { type: "error-text", value: "[no result was recorded]" },
  }));
  return { id: `${entry.id}:missing-result`, ts: entry.ts, type: "message", message: { role: "tool", content } };
}

/** Behind the call and the results that it has already. */
function endOfResults(history: readonly MessageEntry[], index: number): number {
  let end = index + 1;
  while (history[end]?.message.role === "tool") end += 1;
  return end;
}

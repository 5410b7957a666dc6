import type { ContextManager } from "../fit/context-manager.ts";
import { anyListCheck, numberCheck, fieldsCheck, functionCheck } from "../model/check/input.ts";
import type { SessionEntry } from "../model/entries.ts";
import { type HandleRange, parseHandle, recallToolName } from "../model/handle.ts";
import { isMessageEntry } from "../model/message-entry.ts";
import type { ModelMessage } from "../model/messages.ts";
import { saidIn } from "../model/names.ts";
import { type TokenAccount, accountCheck } from "../tokens/account.ts";
import { checkedPath } from "./checked-path.ts";
import type { InputOf, Reaches } from "./retention.ts";
import { windowAfter } from "./window-after.ts";

/**
 * What was said in a log's active path, without what an agent with this budget would not have had: messages of a person or
 * model that are larger than half of it. Tool results stay, whatever their size. System messages and what models thought are
 * not said again, and left out too.
 */
export function replayedMessages(
  entries: readonly SessionEntry[],
  account: TokenAccount,
  budget: number,
): readonly ModelMessage[] {
  anyListCheck(entries, "entries");
  accountCheck(account, "account");
  numberCheck(budget, "budget");
  return checkedPath(entries)
    .filter(isMessageEntry)
    .flatMap(({ message }) => withoutReasoning(message))
    .filter(({ role }) => role !== "system")
    .filter((message) => message.role === "tool" || account.countMessage(message) <= budget / 2);
}

function withoutReasoning(message: ModelMessage): readonly ModelMessage[] {
  if (message.role !== "assistant" || typeof message.content === "string") return [message];
  const content = message.content.filter(({ type }) => type !== "reasoning" && type !== "reasoning-file");
  return content.length === message.content.length ? [message] : content.length === 0 ? [] : [{ ...message, content }];
}

/** What an agent's log says that its calls had read, its own compactions included: for `measureRetention`. */
export function loggedInputs(entries: readonly SessionEntry[]): {
  readonly messages: readonly ModelMessage[];
  readonly inputOf: InputOf;
} {
  anyListCheck(entries, "entries");
  const path = checkedPath(entries);
  const messages: ModelMessage[] = [];
  const windows: Window[] = [];
  let window: Window = { base: [], from: 0 };
  for (const [at, entry] of path.entries()) {
    if (entry.type === "compaction") window = { base: inputAfter(path.slice(0, at + 1)), from: messages.length };
    if (!isMessageEntry(entry)) continue;
    windows.push(window);
    messages.push(entry.message);
  }
  const inputOf = (index: number): readonly ModelMessage[] => {
    const { base, from } = windows[index] ?? { base: [], from: index };
    return base.concat(messages.slice(from, index));
  };
  return { messages, inputOf };
}

/** What a compaction left, and where the messages begin that came after it. */
interface Window {
  readonly base: readonly ModelMessage[];
  readonly from: number;
}

function inputAfter(path: readonly SessionEntry[]): readonly ModelMessage[] {
  const { summary, messages } = windowAfter(path);
  return summary ? [{ role: "user", content: summary }, ...messages] : messages;
}

const managerCheck = fieldsCheck({ buildContext: functionCheck }, ["buildContext"]);

/**
 * What a manager would send before each message; what its builds decide is kept, as a host would keep it. With `recall` in its
 * configuration, `reaches` says what the handles in an input lead to.
 */
export function fittedInputs(
  messages: readonly ModelMessage[],
  manager: ContextManager,
): { readonly inputOf: InputOf; readonly reaches: Reaches } {
  anyListCheck(messages, "messages");
  managerCheck(manager, "manager");
  const log: SessionEntry[] = [];
  let read = 0;
  const inputOf: InputOf = async (index) => {
    for (; read < index; read += 1) {
      log.push({ id: `m${read + 1}`, ts: 0, type: "message", message: messages[read] as ModelMessage });
    }
    const { modelMessages, entriesToAppend } = await manager.buildContext({ sessionEntries: log });
    for (const entry of entriesToAppend) log.push(entry);
    return modelMessages;
  };
  return { inputOf, reaches: handlesReach };
}

const handlesIn = new WeakMap<readonly ModelMessage[], readonly HandleRange[]>();

/** Handles open for a model that is told of the tool, and count messages from 1 [R1]. */
function handlesReach(input: readonly ModelMessage[], places: readonly number[]): boolean {
  let handles = handlesIn.get(input);
  if (!handles) {
    const text = input.map(saidIn).join("\n");
    const written = text.includes(`(${recallToolName})`) ? text.matchAll(/§\d+(?:–§\d+)?/gu) : [];
    handles = Array.from(written, ([handle]) => parseHandle(handle)).filter((handle) => handle !== undefined);
    handlesIn.set(input, handles);
  }
  return handles.some(({ first, last }) => places.some((place) => place + 1 >= first && place + 1 <= last));
}

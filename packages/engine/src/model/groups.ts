import { anyListCheck, explain, functionCheck, listCheck } from "./check/input.ts";
import { lastWhere } from "./last.ts";
import { messageCheck } from "./message-schema.ts";
import type { ModelMessage } from "./messages.ts";
import { type OpenCalls, approvalKey, callKey, openCalls } from "./open-calls.ts";

/**
 * The indexes at which groups start, ascending. A group is the smallest thing that may be kept, moved or dropped: one
 * plain message, or an assistant message with its reasoning and tool calls, all of their results and whatever stands
 * between them.
 *
 * Calls and results are paired by position within the turn, because ids are reused in the wild [M4]: a result belongs to
 * the nearest call before it that has its id and no result yet, and a user message ends the search.
 */
export function groupStarts<Item>(items: readonly Item[], messageOf: (item: Item) => ModelMessage): number[] {
  try {
    return findStarts(items, messageOf);
  } catch (error) {
    throw explain(error, () => checkItems(items, messageOf));
  }
}

function checkItems<Item>(items: readonly Item[], messageOf: (item: Item) => ModelMessage): void {
  functionCheck(messageOf, "messageOf");
  listCheck((item, path) => messageCheck(messageOf(item as Item), path))(items, "items");
}

function findStarts<Item>(items: readonly Item[], messageOf: (item: Item) => ModelMessage): number[] {
  const starts: number[] = [];
  let open: OpenCalls | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const message = messageOf(items[index] as Item);
    starts.push(index);
    if (message.role === "user") open?.clear();
    if (typeof message.content === "string") continue;
    open ??= openCalls();
    const first = openedBy(message, index, open);
    // Everything from the call up to here is one group: forget the starts in between.
    while ((starts.at(-1) ?? 0) > first) starts.pop();
  }
  return starts;
}

/** Takes the message's calls and results into account; gives the index of the oldest call that it answers. */
function openedBy(message: ModelMessage, index: number, open: OpenCalls): number {
  let first = index;
  for (const part of message.content) {
    if (typeof part === "string") continue;
    switch (part.type) {
      case "tool-call":
        open.open(callKey(part), index);
        break;
      case "tool-approval-request":
        open.open(approvalKey(part), index);
        break;
      case "tool-result":
        first = Math.min(first, open.answer(callKey(part)) ?? index);
        break;
      case "tool-approval-response":
        first = Math.min(first, open.answer(approvalKey(part)) ?? index);
        break;
      case "text":
      case "image":
      case "file":
      case "reasoning":
      case "reasoning-file":
      case "custom":
        break;
    }
  }
  return first;
}

/**
 * Finds the start of the group that an index lies in, reading only the turn around it. Ask in ascending order: the turn
 * that was read last is kept.
 */
export function groupFinder<Item>(
  items: readonly Item[],
  messageOf: (item: Item) => ModelMessage,
): (index: number) => number {
  anyListCheck(items, "items");
  functionCheck(messageOf, "messageOf");
  const isUser = (index: number): boolean => messageOf(items[index] as Item).role === "user";
  let from = 0;
  let to = 0;
  let starts: readonly number[] = [];
  return (index) => {
    if (index < from || index >= to) {
      from = index;
      while (from > 0 && !isUser(from)) from -= 1;
      to = index + 1;
      while (to < items.length && !isUser(to)) to += 1;
      starts = groupStarts(items.slice(from, to), messageOf);
    }
    const nearest = lastWhere(0, starts.length, (at) => (starts[at] ?? 0) <= index - from);
    return from + (starts[nearest] ?? 0);
  };
}

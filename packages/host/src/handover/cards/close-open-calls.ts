import type { Card } from "../../store/ports/card-store.ts";
import { roleOf } from "./messages-of-cards.ts";

const note = "[This call was handed over before it had a result.]";

/**
 * The cards with a result for every call that has none, so that no agent is handed an open tool call [H5]. Calls and results
 * are paired by position within the task, because ids are reused in the wild: a result answers the nearest open call before
 * it, and a user's word ends the search. The same cards always give the same notes.
 */
export function closeOpenCalls(cards: readonly Card[]): readonly Card[] {
  const notes = new Map<number, Card[]>();
  const open = new Map<string, number[]>();
  const closeAll = (): void => {
    for (const index of [...open.values()].flat().sort((a, b) => a - b)) {
      const end = endOfGroup(cards, index);
      notes.set(end, [...(notes.get(end) ?? []), noteFor(cards[index] as Card)]);
    }
    open.clear();
  };
  for (const [index, card] of cards.entries()) {
    const { content } = card;
    if (content.kind === "tool-call" && card.metadata["providerExecuted"] !== true) {
      open.set(content.toolCallId, [...(open.get(content.toolCallId) ?? []), index]);
    } else if (content.kind === "tool-result") {
      const waiting = open.get(content.toolCallId);
      waiting?.pop();
      if (waiting?.length === 0) open.delete(content.toolCallId);
    } else if (open.size > 0 && roleOf(card) === "user") closeAll();
  }
  closeAll();
  return notes.size === 0 ? cards : cards.flatMap((card, index) => [card, ...(notes.get(index) ?? [])]);
}

/** Of the message that made the call and the results that it has already. */
function endOfGroup(cards: readonly Card[], index: number): number {
  const message = cards[index]?.metadata["message"];
  let end = index;
  for (let next = index + 1; next < cards.length; next += 1) {
    const card = cards[next] as Card;
    const isSameMessage = message !== undefined && card.metadata["message"] === message;
    if (!isSameMessage && card.content.kind !== "tool-result") break;
    end = next;
  }
  return end;
}

function noteFor({ id, content, createdAt }: Card): Card {
  const { toolCallId, toolName } = content.kind === "tool-call" ? content : { toolCallId: "", toolName: "" };
  return {
    id: `${id}-closed`,
    type: "tool.result",
    content: { kind: "tool-result", toolCallId, toolName, output: { type: "error-text", value: note }, isError: true },
    metadata: { role: "tool", closes: id },
    authorId: "handover",
    createdAt,
  };
}

/** True for a result that was made up to close a call. */
export function isClosingNote({ metadata }: Card): boolean {
  return metadata["closes"] !== undefined;
}

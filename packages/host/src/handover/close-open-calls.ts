import type { Card } from "../store/card-store.ts";
import type { CardStamp } from "./cards-of-messages.ts";
import { roleOf } from "./messages-of-cards.ts";

/** A card that the packer adds, and the card that it stands behind. */
export interface ClosingNote {
  readonly behind: string;
  readonly card: Card;
}

const note = "[This call was handed over before it had a result.]";

/**
 * Results for the calls that have none, so that nobody is handed an open tool call [H5]. Calls and results are paired by
 * position within the turn, because ids are reused in the wild: a result answers the nearest open call before it, and a
 * user's word ends the search.
 */
export function closeOpenCalls(cards: readonly Card[], stamp: CardStamp): ClosingNote[] {
  const notes: ClosingNote[] = [];
  const open = new Map<string, number[]>();
  const closeAll = (): void => {
    const left = [...open.values()].flat().sort((a, b) => a - b);
    for (const index of left)
      notes.push({ behind: endOfGroup(cards, index), card: noteFor(cards[index] as Card, stamp) });
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
  return notes;
}

/** Behind the message that made the call and the results that it has already. */
function endOfGroup(cards: readonly Card[], index: number): string {
  const message = cards[index]?.metadata["message"];
  let end = index;
  for (let next = index + 1; next < cards.length; next += 1) {
    const card = cards[next] as Card;
    const isSameMessage = message !== undefined && card.metadata["message"] === message;
    if (!isSameMessage && card.content.kind !== "tool-result") break;
    end = next;
  }
  return (cards[end] as Card).id;
}

function noteFor(call: Card, { authorId, now, newId }: CardStamp): Card {
  const { content } = call;
  const { toolCallId, toolName } = content.kind === "tool-call" ? content : { toolCallId: "", toolName: "" };
  return {
    id: newId(),
    type: "tool.result",
    content: { kind: "tool-result", toolCallId, toolName, output: { type: "error-text", value: note }, isError: true },
    metadata: { role: "tool", closes: call.id },
    authorId,
    createdAt: now,
  };
}

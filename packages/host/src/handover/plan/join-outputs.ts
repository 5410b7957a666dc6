import type { JsonObject, TokenAccount } from "@galley/engine";
import { groupStarts } from "@galley/engine/messages";
import type { BoxItem, Card } from "../../store/ports/card-store.ts";
import type { Task } from "../../store/ports/task-store.ts";
import { type CardStamp, newCard } from "../cards/cards-of-messages.ts";
import { closeOpenCalls, isClosingNote } from "../cards/close-open-calls.ts";
import { type CardMessage, messagesOfCards } from "../cards/messages-of-cards.ts";

export interface TaskOutput {
  readonly task: Task;
  readonly cards: readonly Card[];
}

/** How much of one task went into the box. */
export interface JoinShare extends JsonObject {
  readonly task_index: number;
  readonly cards: number;
  readonly tokens: number;
}

export interface JoinedOutputs {
  readonly items: readonly BoxItem[];
  readonly cards: readonly Card[];
  readonly tokens: number;
  readonly included: readonly JoinShare[];
  /** What there was no room for; nothing is left out in silence. */
  readonly leftOut: readonly JoinShare[];
}

/** A message, or a call with its results: the smallest thing that is taken or left. */
interface Piece {
  readonly cards: readonly Card[];
  readonly tokens: number;
}

interface Section {
  readonly task: Task;
  readonly heading: Card;
  readonly headingTokens: number;
  readonly pieces: readonly Piece[];
  /** From this piece on the output is taken. */
  from: number;
}

/**
 * Puts the outputs of a fork together under a budget [H7]. Every task gives its last piece first, which is its answer, and
 * then the others from the back in turns, so that no task takes the room of another.
 */
export function joinOutputs(
  outputs: readonly TaskOutput[],
  { account, maxTokens, stamp }: { account: TokenAccount; maxTokens: number; stamp: CardStamp },
): JoinedOutputs {
  const sections = outputs.map((output) => sectionOf(output, account, stamp));
  let left = maxTokens;
  let isMoving = true;
  const isFull = new Set<Section>();
  while (isMoving) {
    isMoving = false;
    for (const section of sections) {
      const piece = section.pieces[section.from - 1];
      if (!piece || isFull.has(section)) continue;
      const isFirst = section.from === section.pieces.length;
      const cost = piece.tokens + (isFirst ? section.headingTokens : 0);
      if (cost > left) {
        isFull.add(section);
        continue;
      }
      left -= cost;
      section.from -= 1;
      isMoving = true;
    }
  }
  return joined(sections, maxTokens - left);
}

function sectionOf({ task, cards }: TaskOutput, account: TokenAccount, stamp: CardStamp): Section {
  const heading = headingCard(task, stamp);
  const pieces = piecesOf(closeOpenCalls(cards), account);
  const headingTokens = account.countPlain(heading.content.kind === "text" ? heading.content.text : "");
  return { task, heading, headingTokens, pieces, from: pieces.length };
}

function piecesOf(cards: readonly Card[], account: TokenAccount): Piece[] {
  const messages = messagesOfCards(cards);
  const starts = groupStarts(messages, ({ message }) => message);
  return starts.map((start, index) => {
    const group: readonly CardMessage[] = messages.slice(start, starts[index + 1]);
    return {
      cards: group.flatMap((message) => message.cards),
      tokens: group.reduce((sum, { message }) => sum + account.countMessage(message), 0),
    };
  });
}

function joined(sections: readonly Section[], tokens: number): JoinedOutputs {
  const items: BoxItem[] = [];
  const cards: Card[] = [];
  const included: JoinShare[] = [];
  const leftOut: JoinShare[] = [];
  for (const { task, heading, pieces, from } of sections) {
    const [out, taken] = [pieces.slice(0, from), pieces.slice(from)];
    if (out.length > 0) leftOut.push(shareOf(task, out));
    if (taken.length === 0) continue;
    included.push(shareOf(task, taken));
    cards.push(heading);
    items.push({ cardId: heading.id, origin: "inherited" });
    for (const card of taken.flatMap((piece) => piece.cards)) {
      if (isClosingNote(card)) cards.push(card);
      items.push({ cardId: card.id, origin: "inherited" });
    }
  }
  return { items, cards, tokens, included, leftOut };
}

function shareOf({ taskIndex }: Task, pieces: readonly Piece[]): JoinShare {
  return {
    task_index: taskIndex,
    cards: pieces.reduce((sum, piece) => sum + piece.cards.length, 0),
    tokens: pieces.reduce((sum, piece) => sum + piece.tokens, 0),
  };
}

function headingCard({ taskIndex, agentId, status }: Task, stamp: CardStamp): Card {
  const text = `Output of task ${taskIndex} (agent ${agentId}, ${status}):`;
  return newCard(stamp, "meta.join_heading", { kind: "text", text }, { role: "user" });
}

import type { BoxItem, Card, CardOrigin, NewBox } from "../store/card-store.ts";
import type { CardStamp } from "./cards-of-messages.ts";
import { closeOpenCalls } from "./close-open-calls.ts";
import type { PackRules } from "./pack-rules.ts";
import { parentPointer } from "./parent-pointer.ts";

/** A box as far as its reader may see it, with the cards; `undefined` where one has been deleted. */
export interface ReadableBox {
  readonly boxId: string;
  readonly version: number;
  readonly items: readonly BoxItem[];
  readonly cards: readonly (Card | undefined)[];
}

/** A card that was in a box and could not be inherited. */
export interface LeftOutCard {
  readonly boxId: string;
  readonly cardId: string;
  readonly reason: "deleted";
}

/** A context box that can be written, with the cards that are new in it. */
export interface AssembledContext {
  readonly box: NewBox;
  readonly cards: readonly Card[];
  readonly leftOut: readonly LeftOutCard[];
  /** The calls that were closed with a note. */
  readonly closedCallIds: readonly string[];
}

export interface Assembly {
  readonly rules: PackRules;
  readonly sources: readonly ReadableBox[];
  readonly sourceAgentId: string;
  readonly boxId: string;
  readonly stamp: CardStamp;
}

/** Puts a context together: packed arguments, inherited cards, parent pointer, in this order [H2]. */
export function assembleContext({ rules, sources, sourceAgentId, boxId, stamp }: Assembly): AssembledContext {
  const { authorId, now, newId } = stamp;
  const made: Card[] = rules.cards.map((card) => ({ ...card, id: newId(), authorId, createdAt: now }));
  const items: BoxItem[] = made.map(itemOf("packed"));
  const { inherited, leftOut } = inherit(sources);
  const notes = closeOpenCalls(inherited, stamp);
  const notesBehind = Map.groupBy(notes, ({ behind }) => behind);
  for (const card of inherited) {
    items.push({ cardId: card.id, origin: "inherited" });
    for (const note of notesBehind.get(card.id) ?? []) items.push({ cardId: note.card.id, origin: "inherited" });
  }
  made.push(...notes.map(({ card }) => card));
  if (rules.includeParent) {
    const pointer = parentPointer(sourceAgentId, stamp);
    made.push(pointer);
    items.push({ cardId: pointer.id, origin: "pointer" });
  }
  return {
    box: { id: boxId, items, parents: [...new Set(sources.map((source) => source.boxId))] },
    cards: made,
    leftOut,
    closedCallIds: notes.flatMap(({ card }) => (card.content.kind === "tool-result" ? [card.content.toolCallId] : [])),
  };
}

const itemOf =
  (origin: CardOrigin) =>
  ({ id }: Card): BoxItem => ({ cardId: id, origin });

/** The cards of all boxes, each once, where it stood first. */
function inherit(sources: readonly ReadableBox[]): { inherited: Card[]; leftOut: LeftOutCard[] } {
  const seen = new Set<string>();
  const inherited: Card[] = [];
  const leftOut: LeftOutCard[] = [];
  for (const { boxId, items, cards } of sources) {
    for (const [index, { cardId }] of items.entries()) {
      if (seen.has(cardId)) continue;
      seen.add(cardId);
      const card = cards[index];
      if (card) inherited.push(card);
      else leftOut.push({ boxId, cardId, reason: "deleted" });
    }
  }
  return { inherited, leftOut };
}

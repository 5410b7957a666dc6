import type { BoxItem, Card, NewBox } from "../../store/ports/card-store.ts";
import type { CardStamp } from "../cards/cards-of-messages.ts";
import { firstOfEach } from "./first-of-each.ts";
import type { PackRules } from "./pack-rules.ts";
import { parentPointer } from "../cards/parent-pointer.ts";

/** A box as far as its reader may see it. */
export interface ReadableBox {
  readonly boxId: string;
  readonly version: number;
  readonly items: readonly BoxItem[];
}

/** A context box that can be written, with the cards that are new in it. */
export interface AssembledContext {
  readonly box: NewBox;
  readonly cards: readonly Card[];
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
  const cards: Card[] = rules.cards.map((card) => ({ ...card, id: newId(), authorId, createdAt: now }));
  const items: BoxItem[] = cards.map(({ id }) => ({ cardId: id, origin: "packed" }));
  // Plain loops: with ten thousand cards, lists of lists would take as long as the write.
  const inherited: string[] = [];
  for (const source of sources) for (const item of source.items) inherited.push(item.cardId);
  for (const cardId of firstOfEach(inherited)) items.push({ cardId, origin: "inherited" });
  if (rules.includeParent) {
    const pointer = parentPointer(sourceAgentId, stamp);
    cards.push(pointer);
    items.push({ cardId: pointer.id, origin: "pointer" });
  }
  return { box: { id: boxId, items, parents: [...new Set(sources.map((source) => source.boxId))] }, cards };
}

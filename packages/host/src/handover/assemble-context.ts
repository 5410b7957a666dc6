import type { BoxItem, Card, NewBox } from "../store/card-store.ts";
import type { CardStamp } from "./cards-of-messages.ts";
import type { PackRules } from "./pack-rules.ts";
import { parentPointer } from "./parent-pointer.ts";

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
  const packed: Card[] = rules.cards.map((card) => ({ ...card, id: newId(), authorId, createdAt: now }));
  const pointers = rules.includeParent ? [parentPointer(sourceAgentId, stamp)] : [];
  return {
    box: {
      id: boxId,
      items: [
        ...packed.map(({ id }): BoxItem => ({ cardId: id, origin: "packed" })),
        ...inherit(sources),
        ...pointers.map(({ id }): BoxItem => ({ cardId: id, origin: "pointer" })),
      ],
      parents: [...new Set(sources.map((source) => source.boxId))],
    },
    cards: [...packed, ...pointers],
  };
}

/** The cards of all boxes, each once, where it stood first. */
function inherit(sources: readonly ReadableBox[]): BoxItem[] {
  const ids = new Set<string>();
  for (const { items } of sources) for (const { cardId } of items) ids.add(cardId);
  return Array.from(ids, (cardId) => ({ cardId, origin: "inherited" }));
}

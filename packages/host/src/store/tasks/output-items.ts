import type { BoxItem, Card } from "../ports/card-store.ts";
import type { Output } from "../ports/task-store.ts";

/** The cards that an output adds, and their places: those of the new cards in order, unless others are given. */
export function outputItems(output: Output | undefined): { cards: readonly Card[]; items: readonly BoxItem[] } {
  const cards = output?.cards ?? [];
  return { cards, items: output?.items ?? cards.map((card) => ({ cardId: card.id, origin: "output" })) };
}

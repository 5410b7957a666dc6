import type { TokenAccount } from "@galley/engine";
import type { BoxSummary } from "../../api/handover.ts";
import type { Card, CardOrigin, HydratedBox } from "../../store/ports/card-store.ts";
import { messagesOfCards } from "./messages-of-cards.ts";

/** Sums up a box, or the part of it from one card to another. */
export function summariseBox(box: HydratedBox, account: TokenAccount, from = 0, to = box.items.length): BoxSummary {
  const items = box.items.slice(from, to);
  const cards = box.cards.slice(from, to);
  const present = cards.filter((card): card is Card => card !== undefined);
  const origins: Partial<Record<CardOrigin, number>> = {};
  for (const { origin } of items) origins[origin] = (origins[origin] ?? 0) + 1;
  return {
    boxId: box.id,
    version: box.version,
    cards: items.length,
    tokens: messagesOfCards(present).reduce((sum, { message }) => sum + account.countMessage(message), 0),
    origins,
    parents: box.parents,
    deleted: cards.length - present.length,
  };
}

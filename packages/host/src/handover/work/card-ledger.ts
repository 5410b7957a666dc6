import type { LedgerRow, TokenAccount } from "@galley/engine";
import type { Fate, Rule } from "@galley/engine/proof";
import type { Card, CardOrigin } from "../../store/ports/card-store.ts";
import { messagesOfCards } from "../cards/messages-of-cards.ts";
import type { RecipeInput } from "./handover-recipe.ts";
import type { PlacedCard, Section } from "./task-sections.ts";

/** One card of a task and what became of it. Every card has exactly one row [P1]. */
export interface CardRow {
  readonly cardId: string;
  readonly boxId: string;
  readonly section: Section;
  readonly origin: CardOrigin;
  /** Nothing when the card has been deleted. */
  readonly type?: string;
  readonly fate: Fate;
  readonly rule?: Rule | "deleted";
  /** Index in the messages that are sent. */
  readonly position?: number;
  readonly tokens?: number;
}

/** The build's ledger by cards: a message that was made of several has a row for each. */
export function cardRows(
  placed: readonly PlacedCard[],
  ledger: readonly LedgerRow[],
  { cardsOf }: RecipeInput,
  account: TokenAccount,
): CardRow[] {
  const rows = new Map<string, LedgerRow>();
  const tokens = new Map<string, number>();
  for (const row of ledger) {
    const cards = row.kind === "step" || row.kind === "message" ? cardsOf.get(row.id) : undefined;
    for (const card of cards ?? []) rows.set(card.id, row);
    if (cards) shareTokens(cards, row, account, tokens);
  }
  const earlier = ledger.find((row) => row.kind === "earlier");
  return placed.map(({ boxId, cardId, origin, section, card, unread }) => {
    const base = { cardId, boxId, section, origin, type: card?.type };
    if (unread === "no-place") return { ...base, fate: "unmatched", rule: unread };
    if (unread) return { ...base, fate: "dropped", rule: unread };
    const row = rows.get(cardId);
    if (row) return { ...base, fate: row.fate, rule: row.rule, position: row.position, tokens: tokens.get(cardId) };
    const fate = earlier?.fate ?? "dropped";
    return { ...base, fate, rule: fate === "summarised" ? undefined : "limit" };
  });
}

/** What a message costs, by its cards: each its own, and the first one the rest. */
function shareTokens(
  cards: readonly Card[],
  { tokens: total }: LedgerRow,
  account: TokenAccount,
  shares: Map<string, number>,
): void {
  const [first, ...others] = cards;
  if (!first || total === undefined) return;
  const frame = account.countPlain("");
  let left = total;
  for (const card of others) {
    const share = messagesOfCards([card]).reduce((sum, { message }) => sum + account.countMessage(message) - frame, 0);
    const own = Math.min(share, left);
    shares.set(card.id, own);
    left -= own;
  }
  shares.set(first.id, left);
}

import type { JsonObject } from "@galley/engine";
import type { Card, CardContent } from "../ports/card-store.ts";
import type { CardRow } from "../database/tables.ts";

export function toCardRow(projectId: string, card: Card): CardRow {
  const { content, metadata } = card;
  const text = content.kind === "text" && isPlain(content.text) ? content.text : null;
  return {
    project_id: projectId,
    card_id: card.id,
    type: card.type,
    author_id: card.authorId,
    created_at: card.createdAt,
    text,
    body: JSON.stringify(text === null ? { content, metadata } : { metadata }),
  };
}

/** PostgreSQL has no NUL in text, and neither database keeps half a surrogate pair; JSON escapes both. */
function isPlain(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

interface Body {
  readonly content?: CardContent;
  readonly metadata: JsonObject;
}

/** The cards of rows, by their ids. */
export function cardsById(rows: readonly Omit<CardRow, "project_id">[]): Map<string, Card> {
  const cards = new Map<string, Card>();
  // The bodies of cards with text are alike: a role and little else.
  const bodies = new Map<string, Body>();
  for (const { card_id, type, author_id, created_at, text, body } of rows) {
    let parsed = bodies.get(body);
    if (!parsed) bodies.set(body, (parsed = JSON.parse(body) as Body));
    cards.set(card_id, {
      id: card_id,
      type,
      content: parsed.content ?? { kind: "text", text: text ?? "" },
      metadata: parsed.metadata,
      authorId: author_id,
      createdAt: created_at,
    });
  }
  return cards;
}

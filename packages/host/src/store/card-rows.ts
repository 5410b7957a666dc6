import type { JsonObject } from "@galley/engine";
import type { Card, CardContent } from "./card-store.ts";
import type { CardRow } from "./tables.ts";

export function toCardRow(projectId: string, card: Card): CardRow {
  return {
    project_id: projectId,
    card_id: card.id,
    type: card.type,
    author_id: card.authorId,
    created_at: card.createdAt,
    body: JSON.stringify({ content: card.content, metadata: card.metadata }),
  };
}

export function fromCardRow(row: Omit<CardRow, "project_id">): Card {
  const { content, metadata } = JSON.parse(row.body) as { content: CardContent; metadata: JsonObject };
  return { id: row.card_id, type: row.type, content, metadata, authorId: row.author_id, createdAt: row.created_at };
}

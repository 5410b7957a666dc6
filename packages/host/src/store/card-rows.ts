import type { JsonObject } from "@galley/engine";
import type { Card, CardContent } from "./card-store.ts";
import type { CardRow } from "./tables.ts";

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

export function fromCardRows(rows: readonly Omit<CardRow, "project_id">[]): Card[] {
  // The bodies of cards with text are alike: a role and little else.
  const bodies = new Map<string, Body>();
  const bodyOf = (json: string): Body => {
    const known = bodies.get(json);
    if (known) return known;
    const body = JSON.parse(json) as Body;
    bodies.set(json, body);
    return body;
  };
  return rows.map(({ card_id, type, author_id, created_at, text, body }) => {
    const { content, metadata } = bodyOf(body);
    return {
      id: card_id,
      type,
      content: content ?? { kind: "text", text: text ?? "" },
      metadata,
      authorId: author_id,
      createdAt: created_at,
    };
  });
}

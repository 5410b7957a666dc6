import type { JsonObject } from "@galley/engine";
import type { BoxItem, Card, CardContent } from "../ports/card-store.ts";
import type { CardRow, Run } from "../database/tables.ts";

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
  return rows.map(({ card_id, type, author_id, created_at, text, body }) => {
    let parsed = bodies.get(body);
    if (!parsed) bodies.set(body, (parsed = JSON.parse(body) as Body));
    return {
      id: card_id,
      type,
      content: parsed.content ?? { kind: "text", text: text ?? "" },
      metadata: parsed.metadata,
      authorId: author_id,
      createdAt: created_at,
    };
  });
}

export function toRuns(items: readonly BoxItem[]): string {
  const runs: [string, string[]][] = [];
  for (const { cardId, origin } of items) {
    const last = runs.at(-1);
    if (last?.[0] === origin) last[1].push(cardId);
    else runs.push([origin, [cardId]]);
  }
  return JSON.stringify(runs);
}

export function fromRuns(segments: readonly string[]): BoxItem[] {
  const items: BoxItem[] = [];
  for (const segment of segments) {
    for (const [origin, cardIds] of JSON.parse(segment) as readonly Run[]) {
      for (const cardId of cardIds) items.push({ cardId, origin });
    }
  }
  return items;
}

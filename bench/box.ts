import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Card, NewBox } from "../packages/host/src/store/ports/card-store.ts";
import { immediate, openSqlite } from "../packages/host/src/disk/open-sqlite.ts";
import { openStore } from "../packages/host/src/store/open-store.ts";
import type { Store } from "../packages/host/src/store/ports/ports.ts";
import type { BenchReport, Claim } from "./claim.ts";
import { inMs, interleave, mean, median, processorTime } from "./measure.ts";

const projectId = "bench";
const cardsPerBox = 1000;
const boxesPerPack = 10;

/** Cards of the size of a short message, with texts and ids of their own. */
function cardsOf(prefix: string): Card[] {
  return Array.from({ length: cardsPerBox }, (_, n) => ({
    id: `${prefix}-${n}-0192f3a47c5b7d2e`,
    type: "agent.message",
    content: { kind: "text", text: `${prefix} ${n}: ${"the quick brown fox jumps over the lazy dog; ".repeat(6)}` },
    metadata: { role: n % 2 === 0 ? "user" : "assistant" },
    authorId: "bench",
    createdAt: 1_700_000_000_000 + n,
  }));
}

function boxOf(id: string, cards: readonly Card[]): NewBox {
  return { id, items: cards.map((card) => ({ cardId: card.id, origin: "packed" })) };
}

/** Reading a box and packing boxes, beside the same statements without anything around them. */
export async function boxReport(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), "galley-bench-"));
  const store = await openStore({ data: folder });
  const db = openSqlite(join(folder, "galley.sqlite"), { secureDelete: true });
  try {
    return {
      claims: [await reading(store, db), await packing(store, db)],
      notes: [
        `A box of ${cardsPerBox} cards of about 400 bytes. Reading gives the box and its cards, parsed and in order; the peer is the prepared statement that fetches the cards' rows, and nothing else. In processor time, the mean of 300 rounds: nothing waits for a disk here.`,
        `Packing writes ${boxesPerPack} boxes of ${cardsPerBox} new cards in one transaction with one sync; the peer is the same rows, made beforehand, through prepared statements in one transaction of the same file.`,
      ],
    };
  } finally {
    db.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function reading(store: Store, db: DatabaseSync): Promise<Claim> {
  const cards = cardsOf("read");
  await store.cards.pack({ projectId, cards, boxes: [boxOf("read", cards)], now: 1 });
  const statement = db.prepare(
    `SELECT card_id, type, author_id, created_at, text, body FROM cards
     WHERE project_id = ? AND card_id IN (SELECT value FROM json_each(?))`,
  );
  const ids = JSON.stringify(cards.map((card) => card.id));
  const times = await interleave(
    { rounds: 300, warmUp: 60, prepare: () => undefined, clock: processorTime },
    {
      peer: () => statement.all(projectId, ids),
      own: () => store.cards.openBox(projectId, "read"),
    },
  );
  const box = await store.cards.openBox(projectId, "read");
  if (box?.cards.some((card, index) => card?.id !== cards[index]?.id)) throw new Error("The box is out of order.");
  return claimOf("a box of 1,000 cards, read in order", "its prepared statement alone", times, mean);
}

async function packing(store: Store, db: DatabaseSync): Promise<Claim> {
  const insertCard = db.prepare("INSERT INTO cards VALUES (?, ?, ?, ?, ?, ?, ?)");
  const insertBox = db.prepare("INSERT INTO boxes VALUES (?, ?, 1, ?, '[]', 1)");
  const insertSegment = db.prepare("INSERT INTO box_segments VALUES (?, ?, 1, ?)");
  const times = await interleave(
    {
      rounds: 20,
      warmUp: 3,
      prepare: (round) => {
        const sets = (side: string): Card[][] =>
          Array.from({ length: boxesPerPack }, (_, n) => cardsOf(`${side}${round}-${n}`));
        const peer = sets("peer").map((cards) => ({
          id: cards[0]?.id ?? "",
          items: JSON.stringify([["packed", cards.map((card) => card.id)]]),
          rows: cards.map(({ id, type, authorId, createdAt, content, metadata }) => {
            const text = content.kind === "text" ? content.text : null;
            return [projectId, id, type, authorId, createdAt, text, JSON.stringify({ metadata })] as const;
          }),
        }));
        return { peer, own: sets("own") };
      },
    },
    {
      peer: ({ peer }) =>
        immediate(db, () => {
          for (const { id, items, rows } of peer) {
            for (const row of rows) insertCard.run(...row);
            insertBox.run(projectId, id, cardsPerBox);
            insertSegment.run(projectId, id, items);
          }
        }),
      own: ({ own }) =>
        store.cards.pack({
          projectId,
          cards: own.flat(),
          boxes: own.map((cards) => boxOf(cards[0]?.id ?? "", cards)),
          now: 1,
        }),
    },
  );
  return claimOf("10 boxes of 1,000 new cards, packed", "the same writes alone", times, median);
}

function claimOf(
  claim: string,
  against: string,
  times: Record<"peer" | "own", readonly number[]>,
  middle: (values: readonly number[]) => number,
): Claim {
  const [peer, own] = [middle(times.peer), middle(times.own)];
  return { claim, against, peer: inMs(peer), own: inMs(own), ratio: own / peer, limit: 2 };
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PackedContext, packContextWithInstruction } from "galley/handover";
import { type Card, type Store, openStore } from "galley/store";
import type { BenchReport, Claim } from "./claim.ts";
import { inMs, interleave, median } from "./measure.ts";

const projectId = "bench";
const boxCount = 10;
const cardsPerBox = 1000;
const rounds = 500;

export async function packReport(): Promise<BenchReport> {
  const data = mkdtempSync(join(tmpdir(), "galley-bench-"));
  const store = await openStore({ data });
  try {
    const boxes = await fillBoxes(store, { boxCount, cardsPerBox });
    return {
      notes: [
        `SQLite: ${boxCount} boxes of ${cardsPerBox} cards are packed into one context box, with an instruction and a parent pointer.`,
        "Peer: writing the same two cards and the same box through the same store, with everything known beforehand.",
      ],
      claims: [await packClaim(store, boxes)],
    };
  } finally {
    await store.close();
    rmSync(data, { recursive: true });
  }
}

/** Packs the boxes into one context box, with an instruction. */
export function packBoxes(store: Store, inputBoxIds: readonly string[]): Promise<PackedContext> {
  return packContextWithInstruction(
    {
      projectId,
      toolSuffix: "bench",
      sourceAgentId: "bench",
      profileName: "worker",
      instruction: "Go on.",
      inputBoxIds,
    },
    { store },
  );
}

async function packClaim(store: Store, inputBoxIds: readonly string[]): Promise<Claim> {
  const pack = (): Promise<PackedContext> => packBoxes(store, inputBoxIds);
  const sample = await store.cards.openBox(projectId, (await pack()).contextBoxId);
  if (sample?.items.length !== boxCount * cardsPerBox + 2) throw new Error("The context box is not whole.");
  const fresh = sample.cards.filter((card) => card !== undefined && card.authorId === "bench") as Card[];
  let written = 0;
  const write = async (): Promise<void> => {
    const suffix = `-${(written += 1)}`;
    const names = new Map(fresh.map((card) => [card.id, card.id + suffix]));
    await store.cards.pack({
      projectId,
      cards: fresh.map((card) => ({ ...card, id: card.id + suffix })),
      boxes: [
        {
          id: sample.id + suffix,
          items: sample.items.map(({ cardId, origin }) => ({ cardId: names.get(cardId) ?? cardId, origin })),
          parents: sample.parents,
        },
      ],
      now: 1,
    });
  };
  const times = await interleave({ rounds, warmUp: 200, prepare: () => undefined }, { peer: write, own: pack });
  const [peer, own] = [median(times.peer), median(times.own)];
  return {
    claim: `pack ${boxCount} boxes of ${cardsPerBox} cards`,
    against: "the writes alone",
    peer: inMs(peer),
    own: inMs(own),
    ratio: own / peer,
    limit: 2,
  };
}

/** Writes boxes of new cards, and the profile that they are handed to; gives the boxes' ids. */
export async function fillBoxes(
  store: Store,
  { boxCount, cardsPerBox }: { readonly boxCount: number; readonly cardsPerBox: number },
): Promise<string[]> {
  const ids: string[] = [];
  for (let box = 0; box < boxCount; box += 1) {
    const cards = Array.from({ length: cardsPerBox }, (_, index): Card => ({
      id: `card-of-some-length-${box}-${index}`,
      type: "agent.output",
      content: { kind: "text", text: `Card ${index}: ${"some words of an agent ".repeat(8)}` },
      metadata: { role: index % 2 === 0 ? "user" : "assistant" },
      authorId: "agent",
      createdAt: 1,
    }));
    const items = cards.map((card) => ({ cardId: card.id, origin: "output" as const }));
    await store.cards.pack({ projectId, cards, boxes: [{ id: `box-${box}`, items }], now: 1 });
    ids.push(`box-${box}`);
  }
  await store.cards.pack({ projectId, cards: [], boxes: [{ id: "profile", items: [] }], now: 1 });
  await store.cards.saveProfile(projectId, { name: "worker", boxId: "profile" });
  return ids;
}

import { openStore } from "../../store/open-store.ts";

/** Puts profiles that tasks can be given to into a data folder, before a daemon has it. */
export async function addProfiles(data: string, names: readonly string[]): Promise<void> {
  const store = await openStore({ data });
  for (const name of names) {
    const content = { kind: "text", text: "You help." } as const;
    const card = { id: `card-${name}`, type: "profile", content, metadata: {}, authorId: "person", createdAt: 1 };
    await store.cards.pack({
      projectId: "default",
      cards: [card],
      boxes: [{ id: `box-${name}`, items: [{ cardId: card.id, origin: "packed" }] }],
      now: 1,
    });
    await store.cards.saveProfile("default", { name, boxId: `box-${name}` });
  }
  await store.close();
}

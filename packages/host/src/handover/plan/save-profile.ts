import { GalleyError } from "@galley/engine";
import { person } from "../options/caller.ts";
import type { Handover } from "../options/handover-options.ts";

export interface NewProfile {
  readonly projectId: string;
  readonly name: string;
  /** Who the agent is and how it works. */
  readonly text: string;
}

/** Saves a system text under a name; gives the id of its box. Running tasks keep the text that they began with. */
export async function saveProfile({ store, now, newId }: Handover, profile: NewProfile): Promise<string> {
  const { projectId, name, text } = profile;
  const missing = (["name", "text"] as const).find((field) => profile[field].trim() === "");
  if (missing !== undefined) {
    const hint = missing === "text" ? "Say who the agent is." : "Give it the name that tasks are given to.";
    throw new GalleyError("BadRequest", `The ${missing} of the profile is empty.`, { path: missing, hint });
  }
  const id = newId();
  const card = {
    id: newId(),
    type: "profile.system",
    content: { kind: "text" as const, text },
    metadata: { role: "system" },
    authorId: person,
    createdAt: now(),
  };
  const box = { id, items: [{ cardId: card.id, origin: "packed" as const }] };
  await store.cards.pack({ projectId, cards: [card], boxes: [box], now: now() });
  await store.cards.saveProfile(projectId, { name, boxId: id });
  return id;
}

import { GalleyError } from "@galley/engine";
import * as z from "zod";
import { person } from "../options/caller.ts";
import type { Handover, NamedProfile, ProfileSettings } from "../options/handover-options.ts";
import { derivedId } from "../options/new-id.ts";
import type { Card } from "../../store/ports/card-store.ts";
import { newCard } from "../cards/cards-of-messages.ts";

/** A profile that tasks can be given to. */
export interface FoundProfile extends ProfileSettings {
  readonly name: string;
  readonly boxId: string;
  /** Whether the configuration declares it: then it cannot be saved over. */
  readonly isDeclared: boolean;
}

/** The profile of a name: that of the configuration, else the one in the store [T15]. */
export async function findProfile(
  handover: Handover,
  projectId: string,
  name: string,
): Promise<{ readonly boxId: string } | undefined> {
  const declared = handover.profiles.find((profile) => profile.name === name);
  if (declared) return { boxId: await declaredBox(handover, projectId, declared) };
  return handover.store.cards.findProfile(projectId, name);
}

/** All profiles, by their names. */
export async function listProfiles(handover: Handover, projectId: string): Promise<readonly FoundProfile[]> {
  const { store, profiles } = handover;
  const names = new Set(profiles.map(({ name }) => name));
  const stored = (await store.cards.listProfiles(projectId)).filter(({ name }) => !names.has(name));
  const own = await Promise.all(
    profiles.map(async (profile) => ({
      ...profile,
      boxId: await declaredBox(handover, projectId, profile),
      isDeclared: true,
    })),
  );
  const others = await Promise.all(
    stored.map(async ({ name, boxId }) => ({
      name,
      boxId,
      ...(await readSettings(handover, projectId, boxId)),
      isDeclared: false,
    })),
  );
  return [...own, ...others].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const metadataSchema = z.object({ model: z.string().optional(), preset: z.string().optional() });

/** What the box of a profile says. */
export async function readSettings(
  { store }: Pick<Handover, "store">,
  projectId: string,
  boxId: string,
): Promise<ProfileSettings> {
  const box = await store.cards.openBox(projectId, boxId);
  const cards = box?.cards.filter((card) => card !== undefined) ?? [];
  const text = cards.flatMap(({ content }) => (content.kind === "text" ? [content.text] : [])).join("\n\n");
  return { text, ...metadataSchema.safeParse(cards[0]?.metadata).data };
}

function profileBox(
  { text, model, preset }: ProfileSettings,
  { now, newId }: Pick<Handover, "now" | "newId">,
): {
  readonly card: Card;
  readonly box: { readonly id: string; readonly items: { cardId: string; origin: "packed" }[] };
} {
  const id = newId();
  const metadata = { role: "system", ...(model !== undefined && { model }), ...(preset !== undefined && { preset }) };
  const stamp = { authorId: person, now: now(), newId };
  const card = newCard(stamp, "profile.system", { kind: "text", text }, metadata);
  return { card, box: { id, items: [{ cardId: card.id, origin: "packed" }] } };
}

/** The box of a declared profile; made when it is first needed, and again when the profile has changed. */
async function declaredBox(handover: Handover, projectId: string, profile: NamedProfile): Promise<string> {
  const { store, now } = handover;
  const { name, text, model = "", preset = "" } = profile;
  let count = 0;
  const idOf = (): string => derivedId(projectId, "profile", name, text, model, preset, (count += 1));
  const { card, box } = profileBox(profile, { now, newId: idOf });
  const [there] = await store.cards.readBoxes(projectId, [box.id]);
  if (there) return box.id;
  try {
    await store.cards.pack({ projectId, cards: [card], boxes: [box], now: now() });
  } catch (error) {
    // Another process has made it meanwhile.
    if (!(error instanceof GalleyError) || error.code !== "DuplicateId") throw error;
  }
  return box.id;
}

interface NewProfile extends ProfileSettings {
  readonly projectId: string;
  readonly name: string;
}

/** Saves a system text under a name; gives the id of its box. Running tasks keep the text that they began with. */
export async function saveProfile(handover: Handover, profile: NewProfile): Promise<string> {
  const { projectId, name } = profile;
  const missing = (["name", "text"] as const).find((field) => profile[field].trim() === "");
  if (missing !== undefined) {
    const hint = missing === "text" ? "Say who the agent is." : "Give it the name that tasks are given to.";
    throw new GalleyError("BadRequest", `The ${missing} of the profile is empty.`, { path: missing, hint });
  }
  refuseDeclared(handover, name, "Change it there, or save under another name.");
  const { card, box } = profileBox(profile, handover);
  await handover.store.cards.pack({ projectId, cards: [card], boxes: [box], now: handover.now() });
  await handover.store.cards.saveProfile(projectId, { name, boxId: box.id });
  return box.id;
}

/** Takes a profile away. Tasks that were given to it keep the text that they began with. */
export async function removeProfile(handover: Handover, projectId: string, name: string): Promise<void> {
  refuseDeclared(handover, name, "Take it out there.");
  if (await handover.store.cards.deleteProfile(projectId, name)) return;
  throw new GalleyError("NotFound", `There is no profile ${JSON.stringify(name)} in this project.`, {
    path: "name",
    hint: "galley profile list names them.",
  });
}

function refuseDeclared({ profiles }: Handover, name: string, hint: string): void {
  if (!profiles.some((declared) => declared.name === name)) return;
  throw new GalleyError("EditNotAllowed", `The configuration declares the profile ${JSON.stringify(name)}.`, {
    path: "name",
    hint,
  });
}

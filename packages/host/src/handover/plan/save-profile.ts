import { GalleyError } from "@galley/engine";
import type { Handover, ProfileSettings } from "../options/handover-options.ts";
import { profileBox } from "../pack/profiles.ts";

export interface NewProfile extends ProfileSettings {
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

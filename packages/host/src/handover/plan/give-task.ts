import { type JsonObject, type SessionEntry, GalleyError, loadTokenizer } from "@galley/engine";
import type { Caller } from "../options/caller.ts";
import type { Handover } from "../options/handover-options.ts";
import { historyOf, packHistory, saidIn } from "../pack/pack-history.ts";
import { delegateAsync } from "./delegate.ts";
import type { Delegated } from "./results.ts";

export interface GivenContext {
  /** Whose cards the task inherits. */
  readonly boxes?: readonly string[];
  /** The conversation that it reads, and to which its result returns [A3a]. */
  readonly said?: { readonly place: string; readonly entries: readonly SessionEntry[] } | undefined;
}

/** Gives a task as a person does: as `delegate_async`, with any number of boxes and with what was said in a place [A3a]. */
export async function giveTask(
  task: JsonObject & { readonly target_ref: string },
  { boxes = [], said }: GivenContext,
  caller: Caller,
  handover: Handover,
): Promise<Delegated> {
  const history = said && (await packSaid(said, caller, handover, task.target_ref));
  const sources = [...(history === undefined ? [] : [history]), ...boxes];
  const box = sources.length > 1 ? await joinBoxes(sources, caller, handover) : sources[0];
  const giver = said === undefined ? caller : { ...caller, origin: { place: said.place } };
  return delegateAsync({ ...task, ...(box === undefined ? {} : { context_box_id: box }) }, giver, handover);
}

async function packSaid(
  { place, entries }: NonNullable<GivenContext["said"]>,
  caller: Caller,
  handover: Handover,
  profile: string,
): Promise<string> {
  const messages = saidIn(entries);
  if (messages.length === 0) {
    const hint = "Check the name, or give the task without it.";
    throw new GalleyError("NotFound", `Nothing was said in ${place} yet.`, { path: "place", hint });
  }
  const history = historyOf(messages, await loadTokenizer("o200k_base"));
  return packHistory(caller, { ...history, place }, handover, profile);
}

/** One box with the cards of several, each once, in order. */
async function joinBoxes(
  ids: readonly string[],
  { projectId }: Caller,
  { store, now, newId }: Handover,
): Promise<string> {
  const boxes = await store.cards.readBoxes(projectId, ids);
  const missing = ids.find((_, index) => boxes[index] === undefined);
  if (missing !== undefined) {
    const hint = "Check the id; boxes of other projects are not found.";
    throw new GalleyError("NotFound", `There is no box ${JSON.stringify(missing)}.`, { path: "boxes", hint });
  }
  const cards = new Set(boxes.flatMap((box) => box?.items.map(({ cardId }) => cardId) ?? []));
  const id = newId();
  const items = [...cards].map((cardId) => ({ cardId, origin: "inherited" as const }));
  await store.cards.pack({ projectId, cards: [], boxes: [{ id, items, parents: [...ids] }], now: now() });
  return id;
}

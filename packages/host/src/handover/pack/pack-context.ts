import type { JsonObject, JsonValue } from "@galley/engine";
import type { BoxItem, Card, NewBox } from "../../store/ports/card-store.ts";
import type { CardStamp } from "../cards/cards-of-messages.ts";
import { parentPointer } from "../cards/parent-pointer.ts";
import { type BoxReader, type ReadableBox, authorityOf } from "./authority.ts";
import { firstOfEach } from "./first-of-each.ts";
import { person } from "../options/caller.ts";
import type { HandoverConfig } from "../options/handover-config.ts";
import { type Handover, type HandoverOptions, openHandover } from "../options/handover-options.ts";
import { findProfile } from "./profiles.ts";
import { type PackRules, packRules } from "./pack-rules.ts";
import type { PassedBox } from "../options/given-details.ts";
import { badRequest, notFound } from "../options/request-errors.ts";

/** What a context box is packed from, by a configuration. */
export interface PackRequest {
  readonly projectId: string;
  /** The tool that packs; it is the author of the cards that are made. */
  readonly toolSuffix: string;
  readonly sourceAgentId: string;
  readonly arguments: JsonObject;
  readonly handover: HandoverConfig;
}

/** The box that was packed, and the cards in it. */
export interface PackedContext {
  readonly contextBoxId: string;
  readonly targetProfileBoxId: string;
  /** The cards of the context box, in order. */
  readonly attachedCardIds: readonly string[];
}

/** A context that has been validated and can be written, by itself or together with the task that it is for. */
export interface PlannedContext {
  readonly packed: PackedContext;
  readonly cards: readonly Card[];
  readonly box: NewBox;
  readonly passed: readonly PassedBox[];
}

/** The store that boxes are packed in, and who may read which. */
export interface PackOptions extends HandoverOptions {
  /** Reads the boxes that are inherited; without one, every box of the project may be. */
  readonly reader?: BoxReader;
}

/** Validates the request and puts the context together. Writes nothing. */
export async function planContext(
  request: PackRequest,
  handover: Handover,
  given?: BoxReader,
): Promise<PlannedContext> {
  const { projectId, toolSuffix, sourceAgentId } = request;
  const rules = packRules(request.arguments, request.handover);
  const profileBoxId = await findProfileBox(handover, projectId, rules.profile);
  const reader = given ?? authorityOf(handover.store, { projectId, id: person });
  const sources = await reader.read(rules.boxes);
  const stamp = { authorId: toolSuffix, now: handover.now(), newId: handover.newId };
  const id = handover.newId();
  const { items, cards } = assembleItems(rules, sources, sourceAgentId, stamp);
  const box = { id, items, parents: [...new Set(sources.map((source) => source.boxId))] };
  const attachedCardIds = items.map((item) => item.cardId);
  return {
    packed: { contextBoxId: id, targetProfileBoxId: profileBoxId, attachedCardIds },
    cards,
    box,
    passed: sources.map(({ boxId, version }) => ({ boxId, version })),
  };
}

/** Puts a context together: packed arguments, inherited cards, parent pointer, in this order [H2]. */
function assembleItems(
  rules: PackRules,
  sources: readonly ReadableBox[],
  sourceAgentId: string,
  stamp: CardStamp,
): { readonly items: readonly BoxItem[]; readonly cards: readonly Card[] } {
  const { authorId, now, newId } = stamp;
  const cards: Card[] = rules.cards.map((card) => ({ ...card, id: newId(), authorId, createdAt: now }));
  const items: BoxItem[] = cards.map(({ id }) => ({ cardId: id, origin: "packed" }));
  // Plain loops: with ten thousand cards, lists of lists would take as long as the write.
  const inherited: string[] = [];
  for (const source of sources) for (const item of source.items) inherited.push(item.cardId);
  for (const cardId of firstOfEach(inherited)) items.push({ cardId, origin: "inherited" });
  if (rules.includeParent) {
    const pointer = parentPointer(sourceAgentId, stamp);
    cards.push(pointer);
    items.push({ cardId: pointer.id, origin: "pointer" });
  }
  return { items, cards };
}

export async function findProfileBox(
  handover: Handover,
  projectId: string,
  { name, path }: PackRules["profile"],
): Promise<string> {
  const profile = await findProfile(handover, projectId, name);
  if (!profile) {
    const message = `There is no profile ${JSON.stringify(name)} in this project.`;
    throw notFound(path, message, await otherProfiles(handover, projectId));
  }
  if (profile.boxId.trim() === "") throw badRequest(path, `The profile ${JSON.stringify(name)} has no box.`);
  return profile.boxId;
}

const maxNamed = 20;

/** A model has no other way to learn the names, and a person may have none yet. */
async function otherProfiles({ profiles, store }: Handover, projectId: string): Promise<string> {
  const stored = await store.cards.listProfiles(projectId);
  const names = [...new Set([...profiles, ...stored].map((profile) => profile.name))].toSorted();
  const named = names.slice(0, maxNamed).join(", ");
  const make = "`galley profile add` makes one.";
  return names.length === 0 ? make : `There are: ${named}${names.length > maxNamed ? " and more" : ""}. ${make}`;
}

/** Packs a context box for another agent after a handover configuration, in one transaction [H2]. */
export async function packContext(request: PackRequest, options: PackOptions): Promise<PackedContext> {
  const handover = openHandover(options);
  const { packed, cards, box } = await planContext(request, handover, options.reader);
  await handover.store.cards.pack({ projectId: request.projectId, cards, boxes: [box], now: handover.now() });
  return packed;
}

/** What a context box is packed from, by the fixed recipe: profile, boxes, instruction. */
export interface InstructionRequest {
  readonly projectId: string;
  readonly toolSuffix: string;
  readonly sourceAgentId: string;
  readonly profileName: string;
  readonly instruction: string;
  readonly inputBoxIds?: readonly string[];
  /** What the result must hold. */
  readonly resultFields?: readonly JsonValue[];
}

/** The fixed recipe of all tasks: the instruction, what is inherited, the parent pointer. */
const instructionRecipe: HandoverConfig = {
  context_packing_config: {
    pack_arguments: [
      { arg_key: "instruction", as_card_type: "task.instruction" },
      { arg_key: "result_fields", as_card_type: "task.result_fields" },
    ],
    inherit_context: { include_boxes_from_args: ["input_box_ids"], include_parent: true },
  },
};

export function instructionRequest(request: InstructionRequest): PackRequest {
  const { projectId, toolSuffix, sourceAgentId, profileName, instruction, inputBoxIds = [], resultFields } = request;
  return {
    projectId,
    toolSuffix,
    sourceAgentId,
    arguments: {
      profile_name: profileName,
      instruction,
      input_box_ids: inputBoxIds,
      ...(resultFields ? { result_fields: resultFields } : {}),
    },
    handover: instructionRecipe,
  };
}

/** Packs a context after the fixed recipe. */
export async function packContextWithInstruction(
  request: InstructionRequest,
  options: PackOptions,
): Promise<PackedContext> {
  return packContext(instructionRequest(request), options);
}

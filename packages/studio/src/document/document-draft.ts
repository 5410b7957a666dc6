import {
  type ChatMessageNode,
  type MessageTemplate,
  type Preset,
  type RecipeStep,
  isAdvanced,
  toAdvanced,
} from "@galley/engine";
import { type Draft, current, isDraft } from "immer";

/** Which list an edit is made in. */
export interface EditPlace {
  readonly view: "simple" | "advanced";
  /** The recipe whose steps are shown; a simple preset has none. */
  readonly recipe: number;
}

export type DraftPreset = Draft<Preset>;

/** What a step edit works on: the node of a simple preset, or the step and its template. */
export type DraftStep =
  | { readonly form: "node"; readonly node: Draft<ChatMessageNode> }
  | { readonly form: "step"; readonly step: Draft<RecipeStep>; readonly template: Draft<MessageTemplate> | undefined };

/**
 * Makes a simple preset an advanced one as soon as something is edited in the advanced view, in the same edit. Looking at
 * it there changes nothing [C11].
 */
export function openForm(draft: DraftPreset, { view }: EditPlace): void {
  const preset = isDraft(draft) ? current(draft) : draft;
  if (view === "simple" || isAdvanced(preset)) return;
  // A copy of everything: the rest of the edit writes to what is put here, and the preset itself is frozen.
  const { messageTemplates, contextRecipes } = structuredClone(toAdvanced(preset)) as DraftPreset;
  delete draft.presetMessages;
  draft.messageTemplates = messageTemplates;
  draft.contextRecipes = contextRecipes;
}

/**
 * A copy that shares nothing with the document. Parts of a draft are drafts themselves, except those that the same edit
 * has put there, such as everything after `openForm`; immer's own `current` refuses these.
 */
export function copyOf<Part>(part: Draft<Part>): Draft<Part> {
  return structuredClone(isDraft(part) ? current(part) : part) as Draft<Part>;
}

/** The list that is edited. */
export function openList(draft: DraftPreset, place: EditPlace): Draft<ChatMessageNode>[] | Draft<RecipeStep>[] {
  openForm(draft, place);
  if (!isAdvanced(draft)) {
    draft.presetMessages ??= [];
    return draft.presetMessages;
  }
  const recipe = draft.contextRecipes?.[place.recipe];
  if (!recipe) throw new RangeError(`The preset has no recipe ${place.recipe}.`);
  return recipe.steps;
}

export function openStep(draft: DraftPreset, place: EditPlace, index: number): DraftStep {
  const [step] = openSteps(draft, place, [index]);
  return step as DraftStep;
}

/** The same for many; the templates are gone through once. */
export function openSteps(draft: DraftPreset, place: EditPlace, indices: readonly number[]): readonly DraftStep[] {
  const list = openList(draft, place);
  const templates = new Map(draft.messageTemplates?.map((template) => [template.id, template]));
  return indices.map((index) => {
    const item = list[index];
    if (!item) throw new RangeError(`The list has no step ${index}.`);
    if (!("messageId" in item)) return { form: "node", node: item };
    return { form: "step", step: item, template: templates.get(item.messageId) };
  });
}

/** Names the nodes as builds call them, so that they can still be told apart when their order changes. */
export function nameNodes(draft: DraftPreset): void {
  const nodes = draft.presetMessages ?? [];
  const taken = new Set(nodes.map(({ id }) => id));
  for (const [index, node] of nodes.entries()) {
    if (node.id !== undefined) continue;
    node.id = freeName(`message-${index + 1}`, taken);
    taken.add(node.id);
  }
}

/** The name itself, or the first of `name-2`, `name-3` … that is free. */
export function freeName(wanted: string, taken: { has(name: string): boolean }): string {
  if (!taken.has(wanted)) return wanted;
  const stem = wanted.replace(/-\d+$/, "");
  for (let number = 2; ; number += 1) if (!taken.has(`${stem}-${number}`)) return `${stem}-${number}`;
}

/** Recipes and templates are edited as such. */
export const advanced: EditPlace = { view: "advanced", recipe: 0 };

/** Puts another preset in the place of a draft: only what differs becomes part of the edit. */
export function replaceWith(draft: object, next: Preset): void {
  for (const key of Object.keys(draft)) if (!(key in next)) Reflect.deleteProperty(draft, key);
  Object.assign(draft, next);
}

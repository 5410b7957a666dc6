import type { ChatMessageNode, ChatMessageRole, InjectionStrategy, RecipeStep } from "@galley/engine";
import type { Draft } from "immer";
import {
  type DraftPreset,
  type DraftStep,
  type EditPlace,
  copyOf,
  freeName,
  nameNodes,
  openList,
  openStep,
} from "./document-draft.ts";

// Every edit changes a draft. What it means depends on the form of the document and on the view that it is made in: in
// the simple view of an advanced preset a text goes to the template, or to the step's override where there is one [C11].

/** Moves a step so that it stands at `to` in the list without it. */
export function moveStep(draft: DraftPreset, place: EditPlace, from: number, to: number): void {
  const list: unknown[] = openList(draft, place);
  nameNodes(draft);
  list.splice(to, 0, ...list.splice(from, 1));
}

export function addStep(draft: DraftPreset, place: EditPlace, templateId: string, at: number): void {
  const steps = openList(draft, place) as Draft<RecipeStep>[];
  steps.splice(at, 0, { messageId: templateId, enabled: true });
}

/** Puts a new message into a simple preset; one with an id that is taken gets a number. */
export function addNode(draft: DraftPreset, place: EditPlace, node: ChatMessageNode, at: number): void {
  const nodes = openList(draft, place) as Draft<ChatMessageNode>[];
  nameNodes(draft);
  const taken = new Set(nodes.map(({ id }) => id));
  nodes.splice(at, 0, { ...(node as Draft<ChatMessageNode>), id: freeName(node.id ?? "message", taken) });
}

/** The copy stands right behind its original. */
export function duplicateStep(draft: DraftPreset, place: EditPlace, index: number): void {
  const target = openStep(draft, place, index);
  if (target.form === "node") addNode(draft, place, copyOf(target.node), index + 1);
  else (openList(draft, place) as Draft<RecipeStep>[]).splice(index + 1, 0, copyOf(target.step));
}

export function deleteStep(draft: DraftPreset, place: EditPlace, index: number): void {
  const list = openList(draft, place);
  nameNodes(draft);
  list.splice(index, 1);
}

export function setEnabled(draft: DraftPreset, place: EditPlace, index: number, enabled: boolean): void {
  switchStep(openStep(draft, place, index), enabled);
}

export function switchStep(target: DraftStep, enabled: boolean): void {
  if (target.form === "step") target.step.enabled = enabled;
  else if (enabled) delete target.node.enabled;
  else target.node.enabled = false;
}

/** Without a strategy a step has its template's, and a node follows the list. */
export function setStrategy(
  draft: DraftPreset,
  place: EditPlace,
  index: number,
  strategy: InjectionStrategy | undefined,
): void {
  placeStep(openStep(draft, place, index), strategy);
}

export function placeStep(target: DraftStep, strategy: InjectionStrategy | undefined): void {
  const owner: { injectionStrategy?: InjectionStrategy } = target.form === "step" ? target.step : target.node;
  if (strategy === undefined) delete owner.injectionStrategy;
  else owner.injectionStrategy = strategy;
}

/** What a step takes from its template unless it has its own. */
export interface StepFields {
  readonly content: string;
  readonly role: ChatMessageRole;
  readonly priority: number;
}

type Draftable = { -readonly [Key in keyof StepFields]?: StepFields[Key] };

/** Texts and roles cannot be missing where there is nothing to inherit them from. */
const unset: Draftable = { content: "", role: "system" };

/**
 * Sets a field of a step. In the advanced view the value becomes the step's own, and without one it is the template's
 * again; in the simple view the template itself is edited, unless the step has its own.
 */
export function setField<Key extends keyof StepFields>(
  draft: DraftPreset,
  place: EditPlace,
  index: number,
  key: Key,
  value: StepFields[Key] | undefined,
): void {
  const target = openStep(draft, place, index);
  if (target.form === "node") return put(target.node, key, value ?? unset[key]);
  const { step, template } = target;
  const own: Draftable = key === "priority" ? step : (step.overrides ?? {});
  if (place.view === "simple" && own[key] === undefined && template) {
    // The role of such a template also said what it is.
    if (key === "role" && template.role === "placeholder") template.type ??= "placeholder";
    return put(template as Draftable, key, value ?? unset[key]);
  }
  if (key === "priority") return put(step, key, value);
  const overrides: Draftable = { ...step.overrides };
  put(overrides, key, value);
  if (Object.keys(overrides).length > 0) step.overrides = overrides;
  else delete step.overrides;
}

function put<Key extends keyof StepFields>(owner: Draftable, key: Key, value: StepFields[Key] | undefined): void {
  if (value === undefined) delete owner[key];
  else owner[key] = value;
}

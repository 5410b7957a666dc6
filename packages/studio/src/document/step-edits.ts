import type { ChatMessageNode, ChatMessageRole, InjectionStrategy, RecipeStep } from "@galley/engine";
import type { Draft } from "immer";
import { type DraftPreset, type EditPlace, copyOf, freeName, nameNodes, openList, openStep } from "./document-draft.ts";

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
  const target = openStep(draft, place, index);
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
  const target = openStep(draft, place, index);
  const owner: { injectionStrategy?: InjectionStrategy } = target.form === "step" ? target.step : target.node;
  if (strategy === undefined) delete owner.injectionStrategy;
  else owner.injectionStrategy = strategy;
}

/** In the advanced view the text becomes the step's override; without one it is the template's again. */
export function setContent(draft: DraftPreset, place: EditPlace, index: number, content: string | undefined): void {
  const target = openStep(draft, place, index);
  if (target.form === "node") {
    target.node.content = content ?? "";
  } else if (place.view === "simple" && target.step.overrides?.content === undefined && target.template) {
    target.template.content = content ?? "";
  } else setOverride(target.step, "content", content);
}

export function setRole(draft: DraftPreset, place: EditPlace, index: number, role: ChatMessageRole | undefined): void {
  const target = openStep(draft, place, index);
  if (target.form === "node") {
    target.node.role = role ?? "system";
  } else if (place.view === "simple" && target.step.overrides?.role === undefined && target.template) {
    // The role of such a template also said what it is.
    if (target.template.role === "placeholder") target.template.type ??= "placeholder";
    target.template.role = role ?? "system";
  } else setOverride(target.step, "role", role);
}

export function setPriority(draft: DraftPreset, place: EditPlace, index: number, priority: number | undefined): void {
  const target = openStep(draft, place, index);
  const owner: { priority?: number } =
    target.form === "node"
      ? target.node
      : place.view === "simple" && target.step.priority === undefined && target.template
        ? target.template
        : target.step;
  if (priority === undefined) delete owner.priority;
  else owner.priority = priority;
}

function setOverride<Key extends "content" | "role">(
  step: Draft<RecipeStep>,
  key: Key,
  value: NonNullable<RecipeStep["overrides"]>[Key],
): void {
  const { [key]: _, ...others } = step.overrides ?? {};
  if (value !== undefined) step.overrides = { ...others, [key]: value };
  else if (Object.keys(others).length > 0) step.overrides = others;
  else delete step.overrides;
}

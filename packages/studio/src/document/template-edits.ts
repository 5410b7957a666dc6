import type { InjectionStrategy, MessageTemplate, Preset } from "@galley/engine";
import type { Draft } from "immer";
import { type DraftPreset, advanced, copyOf, freeName, openForm } from "./document-draft.ts";

function openTemplates(draft: DraftPreset): Draft<MessageTemplate>[] {
  openForm(draft, advanced);
  draft.messageTemplates ??= [];
  return draft.messageTemplates;
}

/** Puts a template into the library; one whose id is taken gets a number. */
export function addTemplate(draft: DraftPreset, template: MessageTemplate): void {
  const templates = openTemplates(draft);
  const id = freeName(template.id, new Set(templates.map((other) => other.id)));
  templates.push({ ...(template as Draft<MessageTemplate>), id });
}

/** Fields that are given as undefined are taken away. */
export function editTemplate(
  draft: DraftPreset,
  id: string,
  fields: { readonly [Key in keyof Omit<MessageTemplate, "id">]?: MessageTemplate[Key] | undefined },
): void {
  const template = openTemplates(draft).find((other) => other.id === id);
  if (!template) return;
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) Reflect.deleteProperty(template, key);
    else Reflect.set(template, key, value);
  }
}

export function duplicateTemplate(draft: DraftPreset, id: string): void {
  const templates = openTemplates(draft);
  const index = templates.findIndex((template) => template.id === id);
  const template = templates[index];
  if (!template) return;
  const copy = { ...copyOf(template), id: freeName(`${id}-copy`, new Set(templates.map((other) => other.id))) };
  templates.splice(index + 1, 0, copy);
}

/** Gives a template another id; steps and injections that name it follow. */
export function renameTemplate(draft: DraftPreset, id: string, newId: string): void {
  const template = openTemplates(draft).find((other) => other.id === id);
  if (!template) return;
  template.id = newId;
  for (const recipe of draft.contextRecipes ?? []) {
    for (const step of recipe.steps) if (step.messageId === id) step.messageId = newId;
  }
  for (const strategy of strategiesOf(draft)) if (strategy.anchorTarget === id) strategy.anchorTarget = newId;
}

/** Deletes a template, the steps that use it, and what stood beside it then follows the list. */
export function deleteTemplate(draft: DraftPreset, id: string): void {
  deleteTemplates(draft, new Set([id]));
}

export function deleteTemplates(draft: DraftPreset, ids: ReadonlySet<string>): void {
  const templates = openTemplates(draft);
  draft.messageTemplates = templates.filter((template) => !ids.has(template.id));
  for (const recipe of draft.contextRecipes ?? []) {
    recipe.steps = recipe.steps.filter((step) => !ids.has(step.messageId));
  }
  for (const strategy of strategiesOf(draft)) {
    if (strategy.anchorTarget === undefined || !ids.has(strategy.anchorTarget)) continue;
    delete strategy.anchorTarget;
    delete strategy.anchorPosition;
  }
}

function* strategiesOf(draft: DraftPreset): Generator<Draft<InjectionStrategy>> {
  for (const template of draft.messageTemplates ?? []) {
    if (template.defaultInjectionStrategy) yield template.defaultInjectionStrategy;
  }
  for (const recipe of draft.contextRecipes ?? []) {
    for (const step of recipe.steps) if (step.injectionStrategy) yield step.injectionStrategy;
  }
}

/** Where a template is used: what deleting it would touch. */
export interface TemplateUses {
  /** Recipe and number of the step, from 1. */
  readonly steps: readonly { readonly recipe: string; readonly number: number }[];
  /** Templates that stand beside it by default or in some step. */
  readonly injections: readonly string[];
}

export function usesOfTemplate(preset: Preset, id: string): TemplateUses {
  const steps: { recipe: string; number: number }[] = [];
  const injections = new Set<string>();
  for (const template of preset.messageTemplates ?? []) {
    if (template.defaultInjectionStrategy?.anchorTarget === id) injections.add(template.id);
  }
  for (const recipe of preset.contextRecipes ?? []) {
    for (const [index, step] of recipe.steps.entries()) {
      if (step.messageId === id) steps.push({ recipe: recipe.name || recipe.id, number: index + 1 });
      if (step.injectionStrategy?.anchorTarget === id) injections.add(step.messageId);
    }
  }
  return { steps, injections: [...injections] };
}

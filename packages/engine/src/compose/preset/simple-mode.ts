import { canonicalJson } from "../../model/canonical-json.ts";
import { GalleyError } from "../../model/errors.ts";
import { kindOf } from "./anchors.ts";
import {
  type ChatMessageNode,
  type ContextRecipe,
  type InjectionStrategy,
  type MessageTemplate,
  type Preset,
  type RecipeStep,
  isAdvanced,
} from "./preset.ts";
import { itemsOfNodes, itemsOfRecipe, templatesById } from "./preset-items.ts";
import { selectRecipe } from "./select-recipe.ts";

/** A simple preset as templates and one recipe for all models, which build the same bytes [C11]. */
export function toAdvanced(preset: Preset): Preset {
  if (isAdvanced(preset)) return preset;
  const { presetMessages = [], ...rest } = preset;
  const items = itemsOfNodes(presetMessages);
  const messageTemplates: MessageTemplate[] = [];
  const steps: RecipeStep[] = [];
  for (const [index, node] of presetMessages.entries()) {
    const { enabled = true, injectionStrategy, ...template } = node;
    const id = items[index]?.id ?? "";
    messageTemplates.push({ ...template, id });
    steps.push({ messageId: id, enabled, ...(injectionStrategy ? { injectionStrategy } : {}) });
  }
  const recipe: ContextRecipe = { id: "default", modelFilter: ["*"], steps };
  return { ...rest, messageTemplates, contextRecipes: [recipe] };
}

/** A node of the list that simple mode shows, with the step and template that it stands for. */
interface ShownStep {
  readonly node: ChatMessageNode & { readonly id: string };
  readonly step: RecipeStep;
  readonly template: MessageTemplate;
}

/** The recipe in force for a model as the list that simple mode shows. A simple preset is that list already. */
export function toSimple(preset: Preset, model?: string): readonly ChatMessageNode[] {
  if (!isAdvanced(preset)) return preset.presetMessages ?? [];
  const { recipe, index } = selectRecipe(preset.contextRecipes ?? [], model);
  return shownSteps(preset, recipe, index).map((shown) => shown.node);
}

function shownSteps(preset: Preset, recipe: ContextRecipe, index: number): ShownStep[] {
  const ids = new Set(preset.messageTemplates?.map((template) => template.id));
  const steps = recipe.steps.filter((step) => ids.has(step.messageId));
  return itemsOfRecipe(templatesById(preset), recipe, index).map((item, position) => {
    const step = steps[position] as RecipeStep;
    const template = preset.messageTemplates?.[item.templateIndex ?? 0] as MessageTemplate;
    const { defaultInjectionStrategy: _, ...fields } = template;
    const node = {
      ...fields,
      ...(kindOf(template) === "placeholder" ? { type: "placeholder" as const } : {}),
      id: item.id,
      role: item.role,
      ...pick("priority", item.priority),
      ...(template.content === undefined && item.content === "" ? {} : { content: item.content }),
      ...(item.enabled ? {} : { enabled: false }),
      ...(item.strategy ? { injectionStrategy: item.strategy } : {}),
    };
    return { node, step, template };
  });
}

export interface SimpleEditOptions {
  /** The model whose recipe is shown. */
  readonly model?: string;
}

/**
 * Writes an edited simple-mode list back [C11]: content and role to the template, or to the step's override where there is
 * one; order, switch and strategy to the steps of the recipe in force. Templates are neither added nor deleted.
 */
export function applySimpleEdit(
  preset: Preset,
  messages: readonly ChatMessageNode[],
  { model }: SimpleEditOptions = {},
): Preset {
  if (!isAdvanced(preset)) return { ...preset, presetMessages: messages };
  const { recipe, index } = selectRecipe(preset.contextRecipes ?? [], model);
  const shown = new Map(shownSteps(preset, recipe, index).map((step) => [step.node.id, step]));
  const templates = new Map<string, MessageTemplate>();
  const steps = messages.map((node, position) => {
    const before = node.id === undefined ? undefined : shown.get(node.id);
    if (!before) throw notAllowed(`[${position}].id`, "is not a message of the recipe in force; simple mode adds none");
    shown.delete(before.node.id);
    if (kindOf(node) !== kindOf(before.node))
      throw notAllowed(`[${position}].type`, "cannot be changed in simple mode");
    const template = editTemplate(before, node);
    if (template !== before.template) {
      const other = templates.get(template.id);
      if (other && !isSame(other, template)) {
        throw notAllowed(`[${position}]`, "and another message are one template, and were edited in two ways");
      }
      templates.set(template.id, template);
    }
    return editStep(before, node);
  });
  const [missing] = shown.keys();
  if (missing !== undefined)
    throw notAllowed("", `lacks the message ${JSON.stringify(missing)}; simple mode deletes none`);
  return {
    ...preset,
    messageTemplates: preset.messageTemplates?.map((template) => templates.get(template.id) ?? template),
    contextRecipes: preset.contextRecipes?.with(index, { ...recipe, steps }),
  };
}

/** The template after the edit: the very same object when nothing of it was changed. */
function editTemplate({ node: before, step, template }: ShownStep, node: ChatMessageNode): MessageTemplate {
  const {
    id: _id,
    type: _type,
    enabled: _enabled,
    injectionStrategy: _strategy,
    role,
    content,
    priority,
    ...fields
  } = node;
  const edited: MessageTemplate = {
    ...fields,
    id: template.id,
    role: step.overrides?.role !== undefined || role === before.role ? template.role : role,
    ...(template.type
      ? { type: template.type }
      : kindOf(template) === "placeholder" && role !== before.role
        ? { type: "placeholder" as const }
        : {}),
    ...(template.defaultInjectionStrategy ? { defaultInjectionStrategy: template.defaultInjectionStrategy } : {}),
    ...pick("content", step.overrides?.content === undefined ? content : template.content),
    ...pick("priority", step.priority === undefined ? priority : template.priority),
  };
  return isSame(edited, template) ? template : edited;
}

function editStep({ node: before, step, template }: ShownStep, node: ChatMessageNode): RecipeStep {
  const { injectionStrategy: own, overrides, priority, ...rest } = step;
  const strategy = isSame(node.injectionStrategy, before.injectionStrategy)
    ? own
    : (node.injectionStrategy ?? noStrategy(template));
  return {
    ...rest,
    enabled: node.enabled ?? true,
    ...pick("injectionStrategy", strategy),
    ...pick("priority", priority === undefined ? undefined : node.priority),
    ...pick(
      "overrides",
      overrides && {
        ...overrides,
        ...(overrides.content === undefined ? {} : { content: node.content ?? "" }),
        ...(overrides.role === undefined ? {} : { role: node.role }),
      },
    ),
  };
}

/** List order has to be said where the template would say otherwise. */
function noStrategy(template: MessageTemplate): InjectionStrategy | undefined {
  return template.defaultInjectionStrategy ? {} : undefined;
}

function pick<Key extends string, Value>(key: Key, value: Value | undefined): { [Name in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [Name in Key]: Value });
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}

function notAllowed(path: string, what: string): GalleyError {
  return new GalleyError("EditNotAllowed", `messages${path} ${what}.`, {
    path: `messages${path}`,
    hint: "Switch to advanced mode to add, delete or share templates; to leave a message out, disable it.",
  });
}

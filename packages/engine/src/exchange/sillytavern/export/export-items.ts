import { type MessageTemplate, type Preset, type RecipeStep, defaultOrder } from "../../../compose/preset/preset.ts";
import { selectRecipe } from "../../../compose/preset/select-recipe.ts";
import type { JsonObject } from "../../../model/messages.ts";
import { tavernMemory } from "../tavern-pieces.ts";

/** A step with its template and what an import remembered about it. */
export interface ExportItem {
  readonly template: MessageTemplate;
  readonly step: RecipeStep | undefined;
  readonly content: string;
  readonly role: "system" | "user" | "assistant";
  readonly strategy: NonNullable<RecipeStep["injectionStrategy"]>;
  readonly order: number;
  /** Where an import found it; nothing for what was written in Galley. */
  readonly from: string | undefined;
  readonly source: JsonObject;
  readonly path: string;
}

/** True for a message written here that comes and goes by keys: there it is an entry of a book. */
export function isLore({ from, template: { activation } }: ExportItem): boolean {
  return from === undefined && (activation?.keys !== undefined || activation?.constant === true);
}

/** The steps of the recipe in force, then the templates that it does not use. */
export function itemsOf(preset: Preset, model: string | undefined): ExportItem[] {
  const { recipe, index } = selectRecipe(preset.contextRecipes ?? [], model);
  const templates = new Map(preset.messageTemplates?.map((template) => [template.id, template]));
  const used = new Set(recipe.steps.map((step) => step.messageId));
  const steps = recipe.steps.flatMap((step, position) => {
    const template = templates.get(step.messageId);
    return template ? [itemOf(template, step, `contextRecipes[${index}].steps[${position}]`)] : [];
  });
  const unused = [...templates.values()].filter((template) => !used.has(template.id));
  return [...steps, ...unused.map((template) => itemOf(template, undefined, `messageTemplates: ${template.id}`))];
}

function itemOf(template: MessageTemplate, step: RecipeStep | undefined, path: string): ExportItem {
  const source = tavernMemory(template);
  const strategy = step?.injectionStrategy ?? template.defaultInjectionStrategy ?? {};
  return {
    template,
    step,
    content: step?.overrides?.content ?? template.content ?? "",
    role: step?.overrides?.role ?? (template.role === "placeholder" ? "system" : template.role),
    strategy,
    order: strategy.order ?? defaultOrder,
    from: source.has("from") ? source.text("from") : undefined,
    source: source.source,
    path,
  };
}

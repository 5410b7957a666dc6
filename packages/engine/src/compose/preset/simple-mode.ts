import {
  type ChatMessageNode,
  type ContextRecipe,
  type MessageTemplate,
  type Preset,
  type RecipeStep,
  isAdvanced,
} from "./preset.ts";
import { presetCheck } from "./preset-schema.ts";
import { itemsOfNodes, itemsOfRecipe, templatesById } from "./preset-items.ts";
import { selectRecipe } from "./select-recipe.ts";

/** A simple preset as templates and one recipe for all models, which build the same bytes [C11]. */
export function toAdvanced(preset: Preset): Preset {
  presetCheck(preset, "preset");
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

/** The recipe in force for a model as the list that simple mode shows. A simple preset is that list already. */
export function toSimple(preset: Preset, model?: string): readonly ChatMessageNode[] {
  presetCheck(preset, "preset");
  const { messageTemplates: templates = [], contextRecipes: recipes = [] } = preset;
  if (!isAdvanced(preset)) return preset.presetMessages ?? [];
  const { recipe, index } = selectRecipe(recipes, model);
  return itemsOfRecipe(templatesById(preset), recipe, index).map((item) => {
    const { defaultInjectionStrategy: _, ...template } = templates[item.templateIndex ?? 0] as MessageTemplate;
    return {
      ...template,
      ...(item.kind === "placeholder" ? { type: item.kind } : {}),
      id: item.id,
      role: item.role,
      ...(item.priority === undefined ? {} : { priority: item.priority }),
      ...(template.content === undefined && item.content === "" ? {} : { content: item.content }),
      ...(item.enabled ? {} : { enabled: false }),
      ...(item.strategy ? { injectionStrategy: item.strategy } : {}),
    };
  });
}

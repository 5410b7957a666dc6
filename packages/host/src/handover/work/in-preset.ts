import { type Preset, toAdvanced } from "@galley/engine";

/** A preset of the library around a task: what the profile and the giver say stands in front of it [T15]. */
export function inPreset(library: Preset, recipe: Preset): Preset {
  const skeleton = recipe.messageTemplates?.filter(({ type }) => type !== "chat_history") ?? [];
  const advanced = library.contextRecipes ? library : toAdvanced(library);
  const steps = skeleton.map(({ id }) => ({ messageId: id, enabled: true }));
  return {
    ...advanced,
    messageTemplates: [...skeleton, ...(advanced.messageTemplates ?? [])],
    contextRecipes: advanced.contextRecipes?.map((each) => ({ ...each, steps: [...steps, ...each.steps] })) ?? [],
  };
}

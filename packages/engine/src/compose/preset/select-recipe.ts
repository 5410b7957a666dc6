import { GalleyError } from "../../model/check/errors.ts";
import { optional, textCheck } from "../../model/check/input.ts";
import { matchesPattern } from "../activation/decide-entry.ts";
import { recipesCheck } from "./preset-schema.ts";
import type { ContextRecipe } from "./preset.ts";

/** A recipe and the pattern that chose it. */
export interface RecipeMatch {
  readonly recipe: ContextRecipe;
  readonly index: number;
  readonly pattern: string;
  readonly rule: "exact" | "wildcard" | "default";
}

/**
 * Chooses the recipe for a model [C2]: exact before wildcard before `*`; among wildcards the longest text before the
 * first `*`; ties go to the first listed.
 */
export function selectRecipe(recipes: readonly ContextRecipe[], model: string | undefined): RecipeMatch {
  recipesCheck(recipes, "contextRecipes");
  optional(textCheck)(model, "model");
  let best: RecipeMatch | undefined;
  for (const [index, recipe] of recipes.entries()) {
    for (const pattern of recipe.modelFilter) {
      const rule = matchRule(pattern, model);
      if (rule && (!best || strength(rule, pattern) > strength(best.rule, best.pattern))) {
        best = { recipe, index, pattern, rule };
      }
    }
  }
  if (best) return best;
  const filters = recipes.flatMap((recipe) => recipe.modelFilter);
  const message =
    model === undefined
      ? "No model was named, and no recipe is meant for all models."
      : `No recipe is meant for the model ${JSON.stringify(model)}.`;
  const known = filters.length > 0 ? filters.join(", ") : "no model at all";
  const hint = `The recipes are for ${known}. Add a recipe whose modelFilter is ["*"].`;
  throw new GalleyError("RecipeNotFound", message, { path: "contextRecipes", hint });
}

function matchRule(pattern: string, model: string | undefined): RecipeMatch["rule"] | undefined {
  if (/^\*+$/.test(pattern)) return "default";
  if (model === undefined || !matchesPattern(pattern, model)) return undefined;
  return pattern.includes("*") ? "wildcard" : "exact";
}

function strength(rule: RecipeMatch["rule"], pattern: string): number {
  switch (rule) {
    case "exact":
      return Infinity;
    case "wildcard":
      return pattern.indexOf("*") + 1;
    case "default":
      return 0;
  }
}

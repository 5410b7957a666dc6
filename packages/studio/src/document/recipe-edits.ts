import { type ContextRecipe, type PostProcessing, type Preset, type RecipeStep, canonicalJson } from "@galley/engine";
import type { Draft } from "immer";
import { type DraftPreset, advanced, copyOf, freeName, openForm } from "./document-draft.ts";

function openRecipes(draft: DraftPreset): Draft<ContextRecipe>[] {
  openForm(draft, advanced);
  draft.contextRecipes ??= [];
  return draft.contextRecipes;
}

export function addRecipe(draft: DraftPreset, recipe: ContextRecipe): void {
  const recipes = openRecipes(draft);
  const id = freeName(recipe.id, new Set(recipes.map((other) => other.id)));
  recipes.push({ ...(recipe as Draft<ContextRecipe>), id });
}

/** A copy is for no model until it is given one: two recipes for the same models would hide each other. */
export function duplicateRecipe(draft: DraftPreset, index: number): void {
  const recipe = openRecipes(draft)[index];
  if (recipe) addRecipe(draft, { ...copyOf(recipe), id: `${recipe.id}-copy`, modelFilter: [] });
}

export function renameRecipe(draft: DraftPreset, index: number, id: string): void {
  const recipe = openRecipes(draft)[index];
  if (recipe) recipe.id = id;
}

export function deleteRecipe(draft: DraftPreset, index: number): void {
  openRecipes(draft).splice(index, 1);
}

export function setModelFilter(draft: DraftPreset, index: number, filter: readonly string[]): void {
  const recipe = openRecipes(draft)[index];
  if (recipe) recipe.modelFilter = [...filter];
}

/** Everything is off unless asked for, so that what is switched off leaves the document. */
export function setPostProcessing<Key extends keyof PostProcessing>(
  draft: DraftPreset,
  key: Key,
  value: PostProcessing[Key] | undefined,
): void {
  const { [key]: _, ...others } = draft.postProcessing ?? {};
  const next = value === undefined || value === false ? others : { ...others, [key]: value };
  if (Object.keys(next).length > 0) draft.postProcessing = next;
  else delete draft.postProcessing;
}

export function setVariable(draft: DraftPreset, name: string, value: string | undefined): void {
  const { [name]: _, ...others } = draft.variables ?? {};
  if (value !== undefined) draft.variables = { ...draft.variables, [name]: value };
  else if (Object.keys(others).length > 0) draft.variables = others;
  else delete draft.variables;
}

/** An empty text leaves the document. */
export function setText<Field extends string>(owner: { [Key in Field]?: string }, field: Field, value: string): void {
  if (value === "") delete owner[field];
  else owner[field] = value;
}

/** Says what is wrong with a model filter, or nothing. */
export function filterProblem(pattern: string, others: readonly string[]): "empty" | "spaces" | "twice" | undefined {
  if (pattern === "") return "empty";
  if (/\s/.test(pattern)) return "spaces";
  return others.includes(pattern) ? "twice" : undefined;
}

/** The recipe for all other models, or the first one. */
export function defaultRecipeIndex(preset: Preset): number {
  const found = preset.contextRecipes?.findIndex((recipe) =>
    recipe.modelFilter.some((pattern) => /^\*+$/.test(pattern)),
  );
  return found === undefined || found < 0 ? 0 : found;
}

/** How many steps a recipe adds, leaves out, moves or sets differently from another one. */
export function countChanges(recipe: ContextRecipe, base: ContextRecipe): number {
  const [own, others] = [keyed(recipe.steps), keyed(base.steps)];
  const common = [...own.keys()].filter((key) => others.has(key));
  const order = [...others.keys()];
  const inOrder = maxRunLength(common.map((key) => order.indexOf(key)));
  const changed = common.filter((key) => canonicalJson(own.get(key)) !== canonicalJson(others.get(key))).length;
  return own.size + others.size - 2 * common.length + (common.length - inOrder) + changed;
}

function keyed(steps: readonly RecipeStep[]): Map<string, RecipeStep> {
  const counts = new Map<string, number>();
  return new Map(
    steps.map((step) => {
      const count = (counts.get(step.messageId) ?? 0) + 1;
      counts.set(step.messageId, count);
      return [`${step.messageId}#${count}`, step];
    }),
  );
}

/** The length of the longest rising run that can be picked out. */
function maxRunLength(numbers: readonly number[]): number {
  const ends: number[] = [];
  for (const number of numbers) {
    const at = ends.findIndex((end) => end >= number);
    ends[at < 0 ? ends.length : at] = number;
  }
  return ends.length;
}

import { issuesOf } from "../../model/check/input.ts";
import { type ErrorCode, type Problem, someOf } from "../../model/check/errors.ts";
import { problemsOf } from "../../model/check/zod-problems.ts";
import { findAnchorCycles } from "./anchor-cycles.ts";
import {
  type ChatMessageNode,
  type InjectionStrategy,
  type MessageTemplate,
  type Preset,
  isAdvanced,
} from "./preset.ts";
import { presetContext } from "./preset-context.ts";
import { presetSchema } from "./preset-schema.ts";
import {
  type PresetItem,
  builtInAnchors,
  getAvailableAnchors,
  itemsOfNodes,
  itemsOfRecipe,
  kindOf,
  templatesById,
} from "./preset-items.ts";

/** Everything that is wrong with a preset, all at once, each with its path. Without an error the value is a `Preset`. */
export function checkPreset(value: unknown): Problem[] {
  const problems = problemsOf(issuesOf(presetSchema, value), "PresetInvalid").map(refuseSetting);
  if (problems.some((problem) => problem.severity === "error")) return problems;
  const preset = value as Preset;
  const found = isAdvanced(preset) ? [...checkTemplates(preset), ...checkRecipes(preset)] : checkNodes(preset);
  return [...problems, ...checkForm(preset), ...found];
}

/** A setting that a preset may not make is an error, other than fields that some other program may need [T3]. */
function refuseSetting(problem: Problem): Problem {
  if (problem.severity === "error" || !problem.path?.startsWith("context.")) return problem;
  const name = problem.path.slice("context.".length);
  const message = `A preset cannot set ${JSON.stringify(name)}.`;
  const hint = `It may set ${Object.keys(presetContext().shape).join(", ")}. Set others in galley.config, in the chat or with the request.`;
  return { ...problem, severity: "error", message, hint };
}

function checkForm(preset: Preset): Problem[] {
  const { presetMessages, messageTemplates, contextRecipes } = preset;
  if (!presetMessages && !messageTemplates && !contextRecipes) {
    const hint =
      "A preset has presetMessages, or messageTemplates and contextRecipes. To read a SillyTavern file, import it.";
    return [error("PresetInvalid", "", "There is nothing in it that a preset has.", hint)];
  }
  if (!presetMessages && !contextRecipes) {
    return [
      error("PresetInvalid", "contextRecipes", "There are templates, but no recipe uses them.", "Add contextRecipes."),
    ];
  }
  if (presetMessages && isAdvanced(preset)) {
    const message = "Recipes are present, so that presetMessages has no effect.";
    return [
      { severity: "warning", code: "PresetInvalid", message, path: "presetMessages", hint: "Keep one of the two." },
    ];
  }
  return [];
}

function checkNodes({ presetMessages: nodes = [] }: Preset): Problem[] {
  const own = checkList("presetMessages", nodes, "injectionStrategy", (node) => node.injectionStrategy);
  return [...own, ...checkPlaces(itemsOfNodes(nodes))];
}

function checkTemplates({ messageTemplates = [] }: Preset): Problem[] {
  const field = "defaultInjectionStrategy";
  return checkList("messageTemplates", messageTemplates, field, (template) => template[field]);
}

/** Ids and strategies of nodes or templates; `field` is the one that holds the strategy. */
function checkList<Item extends ChatMessageNode | MessageTemplate>(
  list: string,
  items: readonly Item[],
  field: string,
  strategyOf: (item: Item) => InjectionStrategy | undefined,
): Problem[] {
  const known = new Set(getAvailableAnchors(items));
  return [
    ...checkUnique(items.map(({ id }, index) => [id, `${list}[${index}].id`])),
    ...items.flatMap((item, index) => checkReserved(item.id, kindOf(item), `${list}[${index}].id`)),
    ...items.flatMap((item, index) => checkTarget(strategyOf(item), known, `${list}[${index}].${field}`)),
  ];
}

function checkRecipes(preset: Preset): Problem[] {
  const recipes = preset.contextRecipes ?? [];
  const templates = templatesById(preset);
  const ids = new Set(templates.keys());
  const known = new Set(getAvailableAnchors(preset.messageTemplates ?? []));
  const problems = checkUnique(recipes.map((recipe, index) => [recipe.id, `contextRecipes[${index}].id`]));
  for (const [recipeIndex, recipe] of recipes.entries()) {
    for (const [index, step] of recipe.steps.entries()) {
      const path = `contextRecipes[${recipeIndex}].steps[${index}]`;
      if (!ids.has(step.messageId)) {
        const hint = ids.size > 0 ? `The templates are ${someOf(ids)}.` : "Add it to messageTemplates.";
        const message = `The template ${JSON.stringify(step.messageId)} does not exist.`;
        problems.push(error("UnknownReference", `${path}.messageId`, message, hint));
      }
      problems.push(...checkTarget(step.injectionStrategy, known, `${path}.injectionStrategy`));
    }
    for (const problem of checkPlaces(itemsOfRecipe(templates, recipe, recipeIndex))) problems.push(problem);
  }
  return problems;
}

function checkUnique(ids: readonly (readonly [string | undefined, string])[]): Problem[] {
  const first = new Map<string, string>();
  return ids.flatMap(([id, path]) => {
    if (id === undefined) return [];
    const before = first.get(id);
    if (before === undefined) {
      first.set(id, path);
      return [];
    }
    const message = `The id ${JSON.stringify(id)} is already used at ${before}.`;
    return [error("DuplicateId", path, message, "Give one of the two another id.")];
  });
}

function checkReserved(id: string | undefined, kind: string, path: string): Problem[] {
  if (kind !== "placeholder" || id === undefined || !builtInAnchors.some((anchor) => anchor === id)) return [];
  const message = `${JSON.stringify(id)} is a built-in anchor; a placeholder needs a name of its own.`;
  return [error("DuplicateId", path, message, `Rename it, or give it type ${JSON.stringify(id)}.`)];
}

function checkTarget(strategy: InjectionStrategy | undefined, known: ReadonlySet<string>, path: string): Problem[] {
  const target = strategy?.anchorTarget;
  if (target === undefined || known.has(target)) return [];
  const message = `Nothing in the preset defines the anchor ${JSON.stringify(target)}.`;
  return [error("UnknownAnchor", `${path}.anchorTarget`, message, `The anchors are ${someOf(known)}.`)];
}

/** One place for each anchor, and no circle: following "is injected into" must end in the list. */
function checkPlaces(items: readonly PresetItem[]): Problem[] {
  const problems: Problem[] = [];
  const anchors = new Map<string, PresetItem>();
  for (const item of items) {
    if (!item.enabled || item.anchorId === undefined) continue;
    const before = anchors.get(item.anchorId);
    if (before) {
      const message = `The anchor ${JSON.stringify(item.anchorId)} has a place at ${before.path} already.`;
      problems.push(error("DuplicateId", item.path, message, "Remove or disable one of the two."));
    } else anchors.set(item.anchorId, item);
  }
  return [...problems, ...findAnchorCycles(items)];
}

function error(code: ErrorCode, path: string, message: string, hint: string): Problem {
  return { severity: "error", code, path, message, hint };
}

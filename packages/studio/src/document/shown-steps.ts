import {
  type Activation,
  type ChatMessageNode,
  type ContextRecipe,
  type InheritedFields,
  type MessageTemplate,
  type Preset,
  type RecipeStep,
  inheritFields,
  isAdvanced,
  kindOf,
  toAdvanced,
} from "@galley/engine";
import { madeOnce } from "./made-once.ts";

/** A line of the step list: a node of a simple preset, or a step with what it takes from its template [C3]. */
export interface ShownStep extends InheritedFields {
  /** Stays the same when steps are moved, so that the focus can follow. */
  readonly key: string;
  readonly index: number;
  /** The template's or the node's id. */
  readonly id: string;
  readonly name: string | undefined;
  /** When it comes, where it comes and goes with the chat [K1]. */
  readonly activation: Activation | undefined;
  readonly enabled: boolean;
  /** What is the step's own; the rest is the template's. A simple preset has nothing to inherit from. */
  readonly owns: {
    readonly content: boolean;
    readonly role: boolean;
    readonly strategy: boolean;
    readonly priority: boolean;
  };
  readonly canInherit: boolean;
  /** True when the preset has no such template. */
  readonly isMissing: boolean;
}

/** The preset as templates and recipes, whatever its form; made once for each document. */
export function advancedForm(preset: Preset): Preset {
  return isAdvanced(preset) ? preset : formOf(preset);
}

const formOf = madeOnce(toAdvanced);

/** The steps of a recipe; of a simple preset, its messages. */
export function shownSteps(preset: Preset, recipeIndex: number): readonly ShownStep[] {
  if (!isAdvanced(preset)) return shownNodes(preset.presetMessages ?? noNodes);
  const recipe = preset.contextRecipes?.[recipeIndex];
  return recipe ? shownOfRecipe(recipe)(preset.messageTemplates ?? noTemplates) : noSteps;
}

const noNodes: readonly ChatMessageNode[] = [];
const noSteps: readonly ShownStep[] = [];
const noTemplates: readonly MessageTemplate[] = [];

const shownNodes = madeOnce((nodes: readonly ChatMessageNode[]): readonly ShownStep[] => {
  const keys = keyGiver();
  return nodes.map((node, index) => {
    const key = keys(node.id ?? `message-${index + 1}`);
    return shownAgain(node, index, key, undefined, () => shownOfNode(node, index, key));
  });
});

function shownOfNode(node: ChatMessageNode, index: number, key: string): ShownStep {
  return {
    key,
    index,
    id: node.id ?? `message-${index + 1}`,
    name: node.name,
    activation: node.activation,
    kind: kindOf(node),
    role: node.role,
    content: node.content ?? "",
    enabled: node.enabled ?? true,
    strategy: node.injectionStrategy,
    priority: node.priority,
    owns: ownsAll,
    canInherit: false,
    isMissing: false,
  };
}

const ownsAll = { content: true, role: true, strategy: true, priority: true };

const shownOfRecipe = madeOnce((recipe: ContextRecipe) =>
  madeOnce((templates: readonly MessageTemplate[]): readonly ShownStep[] => {
    const byId = new Map(templates.map((template) => [template.id, template]));
    const keys = keyGiver();
    return recipe.steps.map((step, index) => {
      const [key, template] = [keys(step.messageId), byId.get(step.messageId)];
      return shownAgain(step, index, key, template, () => shownOfStep(step, index, key, template));
    });
  }),
);

interface KnownStep {
  readonly template: MessageTemplate | undefined;
  readonly shown: ShownStep;
}
const knownSteps = new WeakMap<ChatMessageNode | RecipeStep, KnownStep>();

/** The very same object as long as nothing of it has changed, so that its line is not drawn again. */
function shownAgain(
  step: ChatMessageNode | RecipeStep,
  index: number,
  key: string,
  template: MessageTemplate | undefined,
  make: () => ShownStep,
): ShownStep {
  const known = knownSteps.get(step);
  if (known?.template === template && known?.shown.index === index && known.shown.key === key) return known.shown;
  const shown = make();
  knownSteps.set(step, { template, shown });
  return shown;
}

function shownOfStep(step: RecipeStep, index: number, key: string, template: MessageTemplate | undefined): ShownStep {
  const { overrides, injectionStrategy, priority } = step;
  return {
    key,
    index,
    id: step.messageId,
    name: template?.name,
    activation: template?.activation,
    ...inheritFields(step, template ?? { id: step.messageId, role: "system" }),
    enabled: step.enabled,
    owns: {
      content: overrides?.content !== undefined,
      role: overrides?.role !== undefined,
      strategy: injectionStrategy !== undefined,
      priority: priority !== undefined,
    },
    canInherit: template !== undefined,
    isMissing: template === undefined,
  };
}

/** The second use of a template is `id#2`, as the ledger calls it. */
function keyGiver(): (id: string) => string {
  const counts = new Map<string, number>();
  return (id) => {
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    return count === 1 ? id : `${id}#${count}`;
  };
}

/** The index of the step that a ledger row comes from, or nothing when it is none of the preset's. */
export function stepIndexOf(path: string | undefined): number | undefined {
  const match = path === undefined ? null : /^(?:presetMessages|contextRecipes\[\d+\]\.steps)\[(\d+)\]/.exec(path);
  return match ? Number(match[1]) : undefined;
}

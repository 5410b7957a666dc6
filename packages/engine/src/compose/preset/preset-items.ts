import { listCheck } from "../../model/check/input.ts";
import type { Place } from "../../model/ledger.ts";
import type { Activation } from "../activation/activation.ts";
import { anchorSourceCheck, stepCheck, templateCheck } from "./preset-schema.ts";
import {
  type ChatMessageNode,
  type ChatMessageRole,
  type ChatMessageType,
  type ContextRecipe,
  type InjectionStrategy,
  type MessageFields,
  type MessageTemplate,
  type Preset,
  type RecipeStep,
  defaultOrder,
} from "./preset.ts";

export const builtInAnchors = ["chat_history", "user_profile"] as const;

interface AnchorSource {
  readonly id?: string;
  readonly role: ChatMessageNode["role"] | MessageTemplate["role"];
  readonly type?: ChatMessageType;
}

/** What kind of thing a node or template is; a template may say `placeholder` as its role. */
export function kindOf(source: AnchorSource): ChatMessageType {
  if (typeof source !== "object" || source === null) anchorSourceCheck(source, "source");
  if (source.type !== undefined && source.type !== "message") return source.type;
  return source.role === "placeholder" ? "placeholder" : "message";
}

/** The anchors that an injection may name: the built-in ones, then the placeholders of the list, each once [C8]. */
export function getAvailableAnchors(messages: readonly AnchorSource[]): string[] {
  listCheck(anchorSourceCheck)(messages, "messages");
  const anchors = new Set<string>(builtInAnchors);
  for (const message of messages) {
    if (kindOf(message) === "placeholder" && message.id !== undefined) anchors.add(message.id);
  }
  return [...anchors];
}

/** A node or step with everything that it inherits, before its text is filled in. */
export interface PresetItem {
  /** What its ledger row calls it: a step of the preset, or a text that the build itself brings. */
  readonly source: "step" | "fragment";
  /** The node's or template's id, with a number behind it where a recipe uses a template more than once. */
  readonly id: string;
  /** What injections call it when it is an anchor. */
  readonly anchorId: string | undefined;
  readonly kind: ChatMessageType;
  readonly role: ChatMessageRole;
  readonly content: string;
  readonly enabled: boolean;
  readonly strategy: InjectionStrategy | undefined;
  readonly place: Place;
  readonly order: number;
  readonly speaker: string | undefined;
  readonly keepApart: boolean;
  /** Without one, it is always sent. */
  readonly priority: number | undefined;
  readonly priorityBlock: string | undefined;
  readonly keepsLine: boolean;
  readonly activation: Activation | undefined;
  /** Of the template in `messageTemplates`; a simple preset has none. */
  readonly templateIndex: number | undefined;
  /** Of the node or step; empty for a fragment. */
  readonly path: string;
  /** Whether content and strategy are the step's own; else they are the template's. */
  readonly owns: { readonly content: boolean; readonly strategy: boolean };
}

/** The field that holds an item's content. */
export function contentPath({ owns, path, templateIndex }: PresetItem): string {
  if (templateIndex === undefined) return `${path}.content`;
  return owns.content ? `${path}.overrides.content` : `messageTemplates[${templateIndex}].content`;
}

/** The field that holds an item's strategy. */
export function strategyPath({ owns, path, templateIndex }: PresetItem): string {
  return owns.strategy ? `${path}.injectionStrategy` : `messageTemplates[${templateIndex}].defaultInjectionStrategy`;
}

const listPlace: Place = { kind: "list" };

/** Depth before anchor before list [C4]. */
function placeOf(strategy: InjectionStrategy | undefined): Place {
  if (strategy?.depth !== undefined) return { kind: "depth", depth: strategy.depth };
  if (strategy?.anchorTarget === undefined) return listPlace;
  return { kind: "anchor", target: strategy.anchorTarget, side: strategy.anchorPosition ?? "after" };
}

/** What an item is unless its node, its step or its template says otherwise. */
const plainItem = {
  source: "step",
  kind: "message",
  role: "system",
  enabled: true,
  strategy: undefined,
  speaker: undefined,
  keepApart: false,
  priority: undefined,
  priorityBlock: undefined,
  keepsLine: false,
  activation: undefined,
  templateIndex: undefined,
  path: "",
  owns: { content: true, strategy: true },
} as const;

/** `ownId` is what injections call a placeholder; the item's id may have a number behind it. */
export function makeItem(
  own: Pick<PresetItem, "id" | "content"> & Partial<Omit<PresetItem, "anchorId" | "place" | "order">>,
  ownId?: string,
): PresetItem {
  const item = { ...plainItem, ...own };
  const { kind, strategy } = item;
  return {
    ...item,
    anchorId: anchorIdOf(kind, ownId),
    place: placeOf(strategy),
    order: strategy?.order ?? defaultOrder,
  };
}

/** The nodes of a simple preset. Those without an id are called after their place in the list. */
export function itemsOfNodes(nodes: readonly ChatMessageNode[]): PresetItem[] {
  const freeId = idGiver(nodes.map((node) => node.id));
  return nodes.map((node, index) => {
    const item = {
      ...sharedFields(node),
      id: node.id ?? freeId(`message-${index + 1}`),
      kind: kindOf(node),
      role: node.role,
      content: node.content ?? "",
      enabled: node.enabled ?? true,
      strategy: node.injectionStrategy,
      priority: node.priority,
      path: `presetMessages[${index}]`,
    };
    return makeItem(item, node.id);
  });
}

/** What nodes and templates say and no step can. */
function sharedFields({ speaker, keepApart = false, keepsLine = false, priorityBlock, activation }: MessageFields) {
  return { speaker, keepApart, keepsLine, priorityBlock, activation };
}

/** Templates and where they stand. */
type TemplatesById = ReadonlyMap<string, { readonly template: MessageTemplate; readonly index: number }>;

/** Made once for all recipes of a preset: a preset from outside may have thousands of both. */
export function templatesById({ messageTemplates = [] }: Preset): TemplatesById {
  return new Map(messageTemplates.map((template, index) => [template.id, { template, index }]));
}

/** The steps of a recipe with their templates; a step whose template does not exist is left out. */
export function itemsOfRecipe(templates: TemplatesById, recipe: ContextRecipe, recipeIndex: number): PresetItem[] {
  const freeId = idGiver([]);
  return recipe.steps.flatMap((step, index) => {
    const found = templates.get(step.messageId);
    if (!found) return [];
    const id = freeId(step.messageId);
    return [itemOfStep(step, found.template, id, `contextRecipes[${recipeIndex}].steps[${index}]`, found.index)];
  });
}

/** What a step says itself, else what its template says [C3]. */
export function inheritFields(step: RecipeStep, template: MessageTemplate): InheritedFields {
  stepCheck(step, "step");
  templateCheck(template, "template");
  return inherit(step, template);
}

function inherit(step: RecipeStep, template: MessageTemplate): InheritedFields {
  return {
    kind: kindOf(template),
    role: step.overrides?.role ?? (template.role === "placeholder" ? "system" : template.role),
    content: step.overrides?.content ?? template.content ?? "",
    strategy: step.injectionStrategy ?? template.defaultInjectionStrategy,
    priority: step.priority ?? template.priority,
  };
}

/** The fields of a step that its template may say for it. */
export type InheritedFields = Pick<PresetItem, "kind" | "role" | "content" | "strategy" | "priority">;

function itemOfStep(step: RecipeStep, template: MessageTemplate, id: string, path: string, index: number): PresetItem {
  return makeItem(
    {
      ...sharedFields(template),
      ...inherit(step, template),
      id,
      enabled: step.enabled,
      templateIndex: index,
      path,
      owns: { content: step.overrides?.content !== undefined, strategy: step.injectionStrategy !== undefined },
    },
    template.id,
  );
}

function anchorIdOf(kind: ChatMessageType, id: string | undefined): string | undefined {
  switch (kind) {
    case "chat_history":
    case "user_profile":
      return kind;
    case "placeholder":
      return id;
    case "message":
      return undefined;
  }
}

/** Gives each wanted id out once, then with a number behind it. */
export function idGiver(given: readonly (string | undefined)[]): (wanted: string) => string {
  const taken = new Set(given);
  const counts = new Map<string, number>();
  return (wanted) => {
    let id = wanted;
    while (taken.has(id)) {
      const count = (counts.get(wanted) ?? 1) + 1;
      counts.set(wanted, count);
      id = `${wanted}#${count}`;
    }
    taken.add(id);
    return id;
  };
}

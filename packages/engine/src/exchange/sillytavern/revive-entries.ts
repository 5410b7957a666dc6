import type { Activation } from "../../compose/activation/activation.ts";
import { presetCheck } from "../../compose/preset/preset-schema.ts";
import { type MessageTemplate, type Preset, type RecipeStep, defaultOrder } from "../../compose/preset/preset.ts";
import { groupBy } from "../../model/group-by.ts";
import { type FieldReader, readFields } from "../files/read-fields.ts";
import { activationOf } from "./entry-activation.ts";
import { normalizeNames } from "./example-dialogue.ts";
import { readEntry } from "./read/read-world-info.ts";
import type { TavernEntry } from "./tavern-files.ts";
import { isEntry, tavernMemory, tavernMetadata } from "./tavern-pieces.ts";
import { worldSettings } from "./world-settings.ts";

function isSleeping(template: MessageTemplate): boolean {
  return template.activation === undefined && tavernMemory(template).text("from") === "entry";
}

/** How many lorebook entries of a preset stand still, because an earlier version imported them [X1]. */
export function sleepingEntries(preset: Preset): number {
  presetCheck(preset, "preset");
  const unplaced = tavernMemory(preset).each("entries");
  return (preset.messageTemplates ?? []).filter(isSleeping).length + unplaced.length;
}

/**
 * Brings the entries of a preset that an earlier version imported alive, from what was kept of them: they come by their keys
 * as those of a new import do. Entries that were switched off by hand stay off.
 */
export function reviveEntries(preset: Preset): Preset {
  if (sleepingEntries(preset) === 0) return preset;
  const memory = tavernMemory(preset);
  const note = preset.messageTemplates?.find((template) => tavernMemory(template).text("from") === "note")?.id;
  const alive = new Map<string, Alive>();
  const templates = (preset.messageTemplates ?? []).map((template) => {
    if (isSleeping(template)) return wake(template, note, alive);
    const entry = tavernMemory(template).text("entry");
    const whole = tavernMemory(template).text("from") === "entry-part" ? alive.get(entry) : undefined;
    return whole ? { ...template, activation: { with: whole.id } } : template;
  });
  const unplaced = memory.each("entries").map(({ fields }) => unplacedTemplate(fields));
  const byId = new Map([...templates, ...unplaced.map(({ template }) => template)].map((one) => [one.id, one]));
  const books = [...new Set([...byId.values()].flatMap(({ activation }) => activation?.book ?? []))];
  const { entries: _entries, ...kept } = memory.source;
  return {
    ...preset,
    messageTemplates: [...byId.values()],
    contextRecipes: (preset.contextRecipes ?? []).map((recipe) => {
      const woken = recipe.steps.map((step) => wakeStep(step, byId.get(step.messageId), alive));
      const added = unplaced.map(({ template, isOn }) => ({ messageId: template.id, enabled: isOn }));
      return { ...recipe, steps: [...inBookOrder(withSharedRanks(woken, byId), byId), ...added] };
    }),
    variables: Object.fromEntries(Object.entries(preset.variables ?? {}).filter(([name]) => !/^outlet::/i.test(name))),
    activation: worldSettings({
      worldInfo: undefined,
      books: books.map((name) => ({ name, owner: "global" })),
      avatar: preset.variables?.["char"] ?? "",
      tags: [],
      reads: [],
      given: undefined,
    }),
    macros: "sillytavern-1.19",
    postProcessing: { ...preset.postProcessing, keepBlank: true },
    metadata: { ...preset.metadata, sillytavern: kept },
  };
}

/** An entry that was woken: the template that stands for it, and whether its book has it on. */
interface Alive {
  readonly id: string;
  readonly entry: TavernEntry;
}

/** The entry as its book had it. */
function entryOf(memory: FieldReader, content: string): TavernEntry {
  const { decorators: lines, ...fields } = memory.fields("entry").source;
  const decorators = Array.isArray(lines) ? lines.filter((line) => typeof line === "string") : [];
  const whole = [...decorators, content].join("\n");
  const uid = memory.number("uid") ?? 0;
  return readEntry(readFields({ ...fields, content: whole }), String(uid), uid, memory.text("book"));
}

function wake(template: MessageTemplate, note: string | undefined, alive: Map<string, Alive>): MessageTemplate {
  const memory = tavernMemory(template);
  const own = template.content ?? "";
  const imported = memory.has("imported") ? memory.text("imported") : own;
  const content = memory.has("content") && imported === own ? memory.text("content") : own;
  const entry = entryOf(memory, content);
  const name = `${memory.text("book")}/${entry.uid}`;
  alive.set(name, { id: template.id, entry });
  const isExample = entry.position === 5 || entry.position === 6;
  const isBeside = entry.position === 2 || entry.position === 3;
  const rules: Activation = {
    sequence: entry.position === 5 ? "falling" : "rising",
    ...(isBeside && note !== undefined ? { needs: note } : {}),
    ...(isExample ? { text: normalizeNames(entry.content) } : {}),
    ...(entry.isDepthText ? { slot: "text" } : {}),
  };
  const metadata = tavernMetadata("entry", {
    ...memory.source,
    ...(entry.prefix === "" ? {} : { prefix: entry.prefix }),
    entry: entry.source,
    imported: own,
    ...(content === own ? {} : { content }),
  });
  return { ...template, activation: { ...activationOf(memory.text("book"), entry), ...rules }, metadata };
}

/** An entry that had no place: it fills an outlet, or is sent nowhere. */
function unplacedTemplate(memory: FieldReader): { readonly template: MessageTemplate; readonly isOn: boolean } {
  const entry = entryOf(memory, memory.text("content"));
  const book = memory.text("book");
  const rules: Activation = entry.position === 7 && entry.outlet !== "" ? { outlet: entry.outlet } : { nowhere: true };
  return {
    template: {
      id: `${book}/${entry.uid}`,
      role: "system",
      content: normalizeNames(entry.content),
      ...(entry.comment === "" ? {} : { name: entry.comment }),
      activation: { ...activationOf(book, entry), ...rules },
      metadata: tavernMetadata("entry", { book, uid: entry.uid, entry: entry.source, imported: entry.content }),
    },
    isOn: !entry.isDisabled,
  };
}

/** An entry that waited for its keys was off: it is on now, unless its book or a person switched it off. */
function wakeStep(
  step: RecipeStep,
  template: MessageTemplate | undefined,
  alive: ReadonlyMap<string, Alive>,
): RecipeStep {
  const memory = template && tavernMemory(template);
  const name =
    memory?.text("from") === "entry-part" ? memory.text("entry") : `${memory?.text("book")}/${memory?.number("uid")}`;
  const found = alive.get(name)?.entry;
  if (!found || step.enabled || found.isDisabled || found.isConstant) return step;
  return { ...step, enabled: true };
}

/** Behind the others, in the order of their book: the earlier import listed them as they were sent. */
function inBookOrder(
  steps: readonly RecipeStep[],
  templates: ReadonlyMap<string, MessageTemplate>,
): readonly RecipeStep[] {
  const numberOf = ({ messageId }: RecipeStep): number => {
    const template = templates.get(messageId);
    const whole = template?.activation?.with === undefined ? template : templates.get(template.activation.with);
    return Number(whole?.activation?.uid ?? 0);
  };
  const isOther = ({ messageId }: RecipeStep): boolean => !isEntry(templates.get(messageId));
  const entries = steps.filter((step) => !isOther(step));
  return [...steps.filter(isOther), ...entries.toSorted((a, b) => numberOf(a) - numberOf(b))];
}

/** Entries that stand together are ranked by the build, which knows when each came. */
function withSharedRanks(
  steps: readonly RecipeStep[],
  templates: ReadonlyMap<string, MessageTemplate>,
): readonly RecipeStep[] {
  const places = groupBy(steps, ({ injectionStrategy: { depth, anchorTarget, anchorPosition } = {} }) =>
    JSON.stringify([depth, anchorTarget, anchorPosition]),
  );
  const ranks = new Map<RecipeStep, number>();
  for (const list of places.values()) {
    let before: RecipeStep | undefined;
    for (const step of list.toSorted((a, b) => orderOf(b) - orderOf(a))) {
      const [own, last] = [templates.get(step.messageId), before && templates.get(before.messageId)];
      const isRun = isEntry(own) && isEntry(last) && own?.role === last?.role;
      ranks.set(step, isRun && before ? (ranks.get(before) ?? 0) : orderOf(step));
      before = step;
    }
  }
  return steps.map((step) => {
    const isPlaced = step.injectionStrategy !== undefined && isEntry(templates.get(step.messageId));
    if (!isPlaced) return step;
    const block = step.injectionStrategy.depth === undefined ? {} : { block: "entries" };
    return {
      ...step,
      injectionStrategy: { ...step.injectionStrategy, order: ranks.get(step) ?? defaultOrder, ...block },
    };
  });
}

function orderOf({ injectionStrategy }: RecipeStep): number {
  return injectionStrategy?.order ?? defaultOrder;
}

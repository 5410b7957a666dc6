import { type Activation, type InjectionStrategy, type MessageTemplate, isAdvanced } from "@galley/engine";
import type { Draft } from "immer";
import { type DraftPreset, type EditPlace, openSteps } from "./document-draft.ts";
import { setText } from "./recipe-edits.ts";
import { addNode, addStep, placeStep, switchStep } from "./step-edits.ts";
import { addTemplate, deleteTemplates } from "./template-edits.ts";

/** What is changed of an entry; a rule that is given as undefined is taken away. */
export interface EntryChange {
  readonly name?: string;
  readonly enabled?: boolean;
  readonly strategy?: InjectionStrategy;
  readonly rules?: { readonly [Key in keyof Activation]?: Activation[Key] | undefined };
}

/** Changes all the given steps alike. The rules of an entry are its template's, whichever recipes use it. */
export function editEntries(
  draft: DraftPreset,
  place: EditPlace,
  indices: readonly number[],
  change: EntryChange,
): void {
  for (const target of openSteps(draft, place, indices)) {
    const owner = target.form === "node" ? target.node : target.template;
    if (change.enabled !== undefined) switchStep(target, change.enabled);
    if (change.strategy) placeStep(target, change.strategy);
    if (!owner) continue;
    if (change.name !== undefined) setText(owner, "name", change.name);
    if (change.rules) owner.activation = withRules(owner.activation, change.rules);
  }
}

function withRules(before: Activation | undefined, rules: NonNullable<EntryChange["rules"]>): Draft<Activation> {
  const all = Object.entries({ ...before, ...rules }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(all);
}

/** Where a new entry stands: a few messages before the end, where a model still reads it closely. */
const usualPlace: InjectionStrategy = { depth: 4 };

/** Puts an empty entry at the end of the list, in the given book. */
export function addEntry(draft: DraftPreset, place: EditPlace, book: string | undefined): void {
  const activation: Activation = { keys: [], ...(book === undefined ? {} : { book, uid: freeUid(draft, book) }) };
  const entry: MessageTemplate = { id: "entry", role: "system", content: "", activation };
  if (!isAdvanced(draft)) {
    const nodes = draft.presetMessages ?? [];
    addNode(draft, place, { ...entry, role: "system", injectionStrategy: usualPlace }, nodes.length);
    return;
  }
  addTemplate(draft, { ...entry, defaultInjectionStrategy: usualPlace });
  const id = draft.messageTemplates?.at(-1)?.id ?? entry.id;
  addStep(draft, place, id, draft.contextRecipes?.[place.recipe]?.steps.length ?? 0);
}

function freeUid(draft: DraftPreset, book: string): number {
  const all = [...(draft.messageTemplates ?? []), ...(draft.presetMessages ?? [])];
  const taken = all.flatMap(({ activation }) =>
    activation?.book === book && typeof activation.uid === "number" ? [activation.uid] : [],
  );
  return Math.max(-1, ...taken) + 1;
}

/** Deletes entries from the preset, with the messages that come and go with them. */
export function deleteEntries(draft: DraftPreset, ids: readonly string[]): void {
  const gone = new Set(ids);
  const goes = ({ id, activation }: Pick<MessageTemplate, "activation"> & { readonly id?: string }): boolean =>
    (id !== undefined && gone.has(id)) || (activation?.with !== undefined && gone.has(activation.with));
  if (draft.presetMessages) draft.presetMessages = draft.presetMessages.filter((node) => !goes(node));
  if (draft.messageTemplates) deleteTemplates(draft, new Set(draft.messageTemplates.filter(goes).map(({ id }) => id)));
}

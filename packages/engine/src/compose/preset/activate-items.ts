import { groupBy } from "../../model/group-by.ts";
import type { ActiveReason } from "../../model/ledger.ts";
import { type ActivateInput, type ActivateResult, activate } from "../activation/activate.ts";
import type { ActiveEntry } from "../activation/rounds.ts";
import type { ActivationSettings, TimedEffects } from "../activation/activation.ts";
import { orderComparer } from "../activation/entry-order.ts";
import { type InactiveRule, isConditional } from "../activation/decide-entry.ts";
import { type Candidate, type CompiledKeys, compileKeys } from "../activation/compile-keys.ts";
import type { PresetItem } from "./preset-items.ts";
import type { Preset } from "./preset.ts";

/** What a scan decided about the items of a preset. */
export interface ItemActivation {
  /** Of the items that came. */
  readonly active: ReadonlyMap<PresetItem, ActiveItem>;
  readonly inactive: ReadonlyMap<PresetItem, InactiveItem>;
  readonly outlets: ReadonlyMap<string, string>;
  readonly timed: TimedEffects;
  /** Of those that came, in the order in which they came. */
  readonly ids: readonly string[];
}

interface ActiveItem {
  /** With its macros filled in; nothing where the item's own content is only a part of it. */
  readonly text: string | undefined;
  readonly why: ActiveReason;
  /** Among equals of one place the lower one comes first. */
  readonly rank: number | undefined;
  /** True when it is sent nowhere. */
  readonly isNowhere: boolean;
}

export interface InactiveItem {
  readonly rule: InactiveRule;
  readonly until?: number;
}

/** All that decides, besides the preset itself. */
export type ItemScan = Omit<ActivateInput, "candidates" | "compiled" | "settings">;

interface Compiled {
  readonly candidates: readonly Candidate[];
  readonly keys: CompiledKeys;
}

// Compiled once for each preset and recipe: from turn to turn they stay the same objects.
const compiledByPreset = new WeakMap<Preset, Map<number, Compiled>>();

/** Decides which of the items that come and go are there this time; nothing when the preset has none. */
export function activateItems(
  preset: Preset,
  recipeIndex: number,
  items: readonly PresetItem[],
  input: ItemScan,
): ItemActivation | undefined {
  const own = items.filter((item) => item.enabled && item.activation && item.activation.with === undefined);
  if (own.length === 0) return undefined;
  const settings = preset.activation ?? {};
  const { candidates, keys } = compiledFor(preset, recipeIndex, own, settings);
  const result = activate({ ...input, candidates, compiled: keys, settings });
  const itemOf = new Map(candidates.map((candidate, index) => [candidate, own[index] as PresetItem]));
  return spread(result, itemOf, items, settings);
}

function compiledFor(
  preset: Preset,
  recipeIndex: number,
  own: readonly PresetItem[],
  settings: ActivationSettings,
): Compiled {
  const known = compiledByPreset.get(preset) ?? new Map<number, Compiled>();
  compiledByPreset.set(preset, known);
  let compiled = known.get(recipeIndex);
  if (!compiled) {
    const candidates = own.map(({ id, activation = {}, content }): Candidate => ({ id, activation, content }));
    compiled = { candidates, keys: compileKeys(candidates, settings) };
    known.set(recipeIndex, compiled);
  }
  return compiled;
}

/** From candidates back to items, with those that come along with another. */
function spread(
  { active, inactive, timed }: ActivateResult,
  itemOf: ReadonlyMap<Candidate, PresetItem>,
  items: readonly PresetItem[],
  settings: ActivationSettings,
): ItemActivation {
  const ranks = ranksOf(active, settings);
  const overwritten =
    settings.like === "sillytavern" ? overwrittenSlots(active, itemOf, settings) : new Set<Candidate>();
  const on = new Map<PresetItem, ActiveItem>();
  const off = new Map<PresetItem, InactiveItem>();
  const byId = new Map<string, PresetItem>();
  for (const item of items) byId.set(item.id, item);
  for (const [candidate, why] of inactive) off.set(itemOf.get(candidate) as PresetItem, why);
  for (const { candidate, text, why } of active) {
    const { activation } = candidate;
    const isNowhere = activation.nowhere === true || activation.outlet !== undefined || overwritten.has(candidate);
    on.set(itemOf.get(candidate) as PresetItem, {
      text: activation.text === undefined && !isConditional(activation) ? text : undefined,
      why,
      rank: ranks.get(candidate),
      isNowhere,
    });
  }
  for (const item of itemOf.values()) if (!on.has(item) && !off.has(item)) off.set(item, { rule: "duplicate" });
  for (const item of items) {
    const { activation } = item;
    const leader = activation?.with === undefined || !item.enabled ? undefined : byId.get(activation.with);
    const lead = leader && on.get(leader);
    if (lead) on.set(item, { ...lead, text: undefined });
    else if (activation?.with !== undefined) off.set(item, (leader && off.get(leader)) ?? { rule: "condition" });
  }
  for (const [item, own] of on) {
    const needed = item.activation?.needs === undefined ? undefined : byId.get(item.activation.needs);
    if (item.activation?.needs === undefined) continue;
    const isThere = needed?.enabled && (needed.activation === undefined || on.has(needed));
    if (!isThere) on.set(item, { ...own, isNowhere: true });
  }
  return {
    active: on,
    inactive: off,
    outlets: outletsOf(active, settings),
    timed,
    ids: active.map(({ candidate }) => candidate.id),
  };
}

/** Higher order first, ties in the order in which they came: this is how SillyTavern lays them out. */
function fallingOrder(active: readonly ActiveEntry[], settings: ActivationSettings): ActiveEntry[] {
  const byOrder = orderComparer(settings);
  return active.toSorted((a, b) => byOrder(a.candidate, b.candidate));
}

function ranksOf(active: readonly ActiveEntry[], settings: ActivationSettings): ReadonlyMap<Candidate, number> {
  if (settings.like !== "sillytavern") return new Map();
  return new Map(
    fallingOrder(active, settings).flatMap(({ candidate }, index): [Candidate, number][] => {
      const { sequence } = candidate.activation;
      return sequence === undefined ? [] : [[candidate, sequence === "falling" ? index : -index]];
    }),
  );
}

/** Texts of one depth and role that SillyTavern keeps under one name: the list that was begun last replaces the others. */
function overwrittenSlots(
  active: readonly ActiveEntry[],
  itemOf: ReadonlyMap<Candidate, PresetItem>,
  settings: ActivationSettings,
): ReadonlySet<Candidate> {
  const placeOf = ({ candidate, text }: ActiveEntry): string => {
    const { place, strategy, role } = itemOf.get(candidate) as PresetItem;
    return place.kind === "depth" && strategy?.block === "entries" && text !== "" ? `${place.depth} ${role}` : "";
  };
  const lists = groupBy(fallingOrder(active, settings), placeOf);
  lists.delete("");
  const replaced = [...lists.values()].flatMap((list) =>
    [...groupBy(list, ({ candidate }) => candidate.activation.slot ?? "").values()].slice(0, -1).flat(),
  );
  return new Set(replaced.map(({ candidate }) => candidate));
}

function outletsOf(active: readonly ActiveEntry[], settings: ActivationSettings): ReadonlyMap<string, string> {
  const outlets = new Map<string, string>();
  for (const { candidate, text } of fallingOrder(active, settings)) {
    const { outlet } = candidate.activation;
    if (outlet === undefined || text === "") continue;
    const before = outlets.get(outlet);
    outlets.set(outlet, before === undefined ? text : `${before}\n${text}`);
  }
  return outlets;
}

import { type Problem, throwOnErrors } from "../../model/check/errors.ts";
import type { ContextRecipe, Preset } from "./preset.ts";
import { type PresetItem, strategyPath } from "./preset-items.ts";

/** Every circle of anchors that are injected into each other, named: none of its members has a place [C4]. */
export function findAnchorCycles(items: readonly PresetItem[]): Problem[] {
  const anchors = new Map<string, PresetItem>();
  for (const item of items) {
    const { enabled, anchorId } = item;
    if (enabled && anchorId !== undefined && !anchors.has(anchorId)) anchors.set(anchorId, item);
  }
  return circlesOf(anchors).map((start): Problem => {
    const names = namesInCircle(start, anchors);
    const circle = (names.length > 12 ? [...names.slice(0, 6), "…", ...names.slice(-5)] : names).join(" → ");
    const message = `These anchors are injected into each other in a circle: ${circle}.`;
    const hint = "Let one of them stand in the list, without a strategy.";
    return { severity: "error", code: "AnchorCycle", path: strategyPath(start), message, hint };
  });
}

// By identity, since presets never change in place: a preset is checked once for the recipe in force, not once a turn.
const sound = new WeakMap<Preset, ContextRecipe | Preset>();

/** Throws `AnchorCycle` for a preset whose items have no place, because they wait for each other's. */
export function checkAnchorCycles(
  preset: Preset,
  recipe: ContextRecipe | undefined,
  items: readonly PresetItem[],
): void {
  if (sound.get(preset) === (recipe ?? preset)) return;
  throwOnErrors(findAnchorCycles(items));
  sound.set(preset, recipe ?? preset);
}

/** One anchor of each circle. Every anchor is walked over once, so that long chains stay cheap. */
function circlesOf(anchors: ReadonlyMap<string, PresetItem>): PresetItem[] {
  const circles: PresetItem[] = [];
  const walkOf = new Map<PresetItem, PresetItem>();
  for (const start of anchors.values()) {
    let item: PresetItem | undefined = start;
    while (item && !walkOf.has(item)) {
      walkOf.set(item, start);
      item = parentOf(item, anchors);
    }
    if (item && walkOf.get(item) === start) circles.push(item);
  }
  return circles;
}

/** From an anchor of a circle back to it, each followed by the one that it is injected into. */
function namesInCircle(start: PresetItem, anchors: ReadonlyMap<string, PresetItem>): string[] {
  const names = [String(start.anchorId)];
  for (let item = parentOf(start, anchors); item; item = item === start ? undefined : parentOf(item, anchors)) {
    names.push(String(item.anchorId));
  }
  return names;
}

function parentOf(item: PresetItem, anchors: ReadonlyMap<string, PresetItem>): PresetItem | undefined {
  switch (item.place.kind) {
    case "list":
      return undefined;
    case "depth":
      return anchors.get("chat_history");
    case "anchor":
      return anchors.get(item.place.target);
  }
}

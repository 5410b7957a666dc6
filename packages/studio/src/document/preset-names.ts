import type { Preset } from "@galley/engine";

const known = new WeakMap<Preset, ReadonlyMap<string, string>>();

/** What people call the messages of a preset, by id; those without a name are not among them. Made once for each document. */
export function presetNames(preset: Preset): ReadonlyMap<string, string> {
  const before = known.get(preset);
  if (before) return before;
  const all = [...(preset.messageTemplates ?? []), ...(preset.presetMessages ?? [])];
  const names = new Map(all.flatMap(({ id, name }) => (id && name ? [[id, name] as const] : [])));
  known.set(preset, names);
  return names;
}

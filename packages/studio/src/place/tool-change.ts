import type { Fill, SettingChange } from "./use-place.ts";

type FillTool = Fill["tools"][number];

/** The settings that offer one of Galley's own tools, or keep it back, and leave the others as they are. */
export function toolChange(
  { tools, settings }: Pick<Fill, "tools" | "settings">,
  changed: FillTool,
  isOn: boolean,
): SettingChange {
  const { group } = changed;
  // These two have settings of their own, which go before `ownTools`.
  const switched = {
    ...(group === "recall" && { recall: isOn }),
    ...(group === "pins" && { pins: isOn ? ("model" as const) : ("person" as const) }),
  };
  if (Object.keys(switched).length > 0 && !isOn) return { context: switched };
  const inForce = new Map(settings.map(({ key, value }) => [key, value]));
  const isKeptBack = (tool: FillTool): boolean =>
    tool !== changed &&
    ((tool.group === "recall" && inForce.get("recall") === false) ||
      (tool.group === "pins" && inForce.get("pins") !== "model"));
  const own = tools.filter((tool) => tool.group !== undefined && !isKeptBack(tool));
  const on = own.filter((tool) => (tool === changed ? isOn : tool.isOffered));
  // Where nothing is kept back, what a later version adds comes along.
  return { context: { ...switched, ownTools: on.length === own.length ? "all" : on.map(({ name }) => name) } };
}

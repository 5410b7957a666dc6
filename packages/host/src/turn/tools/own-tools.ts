import { type Problem, GalleyError, recallToolName } from "@galley/engine";
import type { ResolvedContextSettings } from "../../config/settings-in-force.ts";
import { pinToolName } from "./pin-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import { type OwnGroup, ownToolGroups, ownToolNames } from "./own-tool-names.ts";
import type { LoadedConfig } from "../../config/load-config.ts";

/** Keeps those tools of a group that a setting offers. Tools that others bring are not asked about [T3]. */
export type OwnFilter = (group: OwnGroup, tools: readonly Tool[]) => readonly Tool[];

export function ownFilter(ownTools: ResolvedContextSettings["ownTools"]): OwnFilter {
  if (ownTools === "all") return (_, tools) => tools;
  if (ownTools === "none") return () => [];
  const named = new Set(ownTools);
  return (group, tools) => (named.has(group) ? tools : tools.filter(({ name }) => named.has(name)));
}

/** What the settings offer together: `recall: false` and `pins: "person"` take a tool away, whatever `ownTools` says. */
export function offeredTools({
  ownTools,
  recall,
  pins,
}: Pick<ResolvedContextSettings, "ownTools" | "recall" | "pins">): ResolvedContextSettings["ownTools"] {
  const mayPin = pins === "model";
  if ((recall && mayPin) || ownTools === "none") return ownTools;
  const named = ownTools === "all" ? groups : ownTools;
  const taken = new Set([...(recall ? [] : ["recall", recallToolName]), ...(mayPin ? [] : ["pins", pinToolName])]);
  return named.filter((name) => !taken.has(name));
}

/** Whether a model can ask for what left its window. */
export function offersRecall(ownTools: ResolvedContextSettings["ownTools"]): boolean {
  if (typeof ownTools === "string") return ownTools === "all";
  return ownTools.includes("recall") || ownTools.includes(recallToolName);
}

const groups: readonly string[] = Object.keys(ownToolGroups);
const ownNames: ReadonlySet<string> = new Set(Object.values(ownToolGroups).flat());

export function isOwnTool(name: string): boolean {
  return ownNames.has(name);
}

/** Names in the setting that are neither a group nor a tool of the place: most likely misspelt. */
export function unknownOwnTools(
  ownTools: ResolvedContextSettings["ownTools"],
  tools: readonly Tool[],
): readonly Problem[] {
  if (typeof ownTools === "string") return [];
  const known = new Set([...groups, ...tools.map(({ name }) => name)]);
  return ownTools
    .filter((name) => !known.has(name))
    .map((name) => ({
      severity: "warning",
      code: "UnknownReference",
      message: `ownTools names ${JSON.stringify(name)}, which is not a tool of this place.`,
      path: "context.ownTools",
      hint: `The groups are ${groups.join(", ")}.`,
    }));
}

/** The tools of galley.config.ts; one that has a name of Galley's own would never be called. */
export function configuredTools(config: LoadedConfig | undefined): readonly Tool[] {
  const tools = config?.tools ?? [];
  const taken = tools.findIndex(({ name }) => ownToolNames.includes(name));
  if (taken < 0) return tools;
  throw new GalleyError("ConfigInvalid", `Galley has a tool ${tools[taken]?.name} of its own.`, {
    path: `tools[${taken}].name`,
    hint: "Rename yours.",
  });
}

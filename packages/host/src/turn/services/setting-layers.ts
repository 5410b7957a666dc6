import { chatKeyOf } from "../../api/place-id.ts";
import { type ContextSettings, type SettingsLayer, layerSettings } from "../../config/settings-in-force.ts";
import type { ResolvedContextSettings } from "../../config/settings-in-force.ts";
import { reservedAgentName } from "../../config/providers/agent-meta.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { Services } from "./services.ts";
import { type Detailed, textDetail } from "../../handover/options/given-details.ts";

export type LayerServices = Pick<Services, "config" | "agents" | "context" | "chats" | "wholeSessions">;
type Place = Pick<ToolContext["place"], "kind" | "name">;

/** The layers that every turn has [T3]. */
export function sharedLayers({ config, context }: Pick<Services, "config" | "context">): readonly SettingsLayer[] {
  return [
    { from: "config", settings: config?.context },
    { from: "config", settings: context },
  ];
}

/** What is declared of an agent; of anything else nothing is. */
export function agentLayer({ agents }: Pick<Services, "agents">, { kind, name }: Place): SettingsLayer {
  const agent = kind === "agent" && name !== reservedAgentName ? agents.find(name) : undefined;
  return { from: "agent", settings: agent?.context };
}

/** What the configuration says of all turns, and of the profile that a task was given to. */
export function profileLayers(
  services: Pick<Services, "config" | "context">,
  task: Detailed,
): readonly SettingsLayer[] {
  const name = textDetail(task, "profileName");
  const declared = services.config?.profiles.find((profile) => profile.name === name);
  return [...sharedLayers(services), { from: "profile", settings: declared?.context }];
}

export async function placeLayer(services: LayerServices, { kind, name }: Place): Promise<SettingsLayer> {
  const key = chatKeyOf({ kind, name });
  if (key !== undefined) return { from: "chat", settings: (await services.chats.settings(key)).context };
  const own: ContextSettings = kind === "task" ? {} : await services.wholeSessions.settings(name);
  return { from: "session", settings: own };
}

/** The settings of a place before any turn: no preset, no request. */
export async function placeSettings(services: LayerServices, place: Place): Promise<ResolvedContextSettings> {
  const layers = [...sharedLayers(services), agentLayer(services, place), await placeLayer(services, place)];
  return layerSettings(layers).settings;
}

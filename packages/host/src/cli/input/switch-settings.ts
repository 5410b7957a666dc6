import { dirname, join, resolve } from "node:path";
import type { SwitchSettings } from "../../chat/contexts/context-types.ts";
import { chatFolder, chatPaths } from "../../chat/lines/chat-paths.ts";
import { agentList } from "../../config/agent-list.ts";
import { layerSettings } from "../../config/settings-in-force.ts";
import { nearestConfig } from "../../config/load-config.ts";
import { readChatSettings } from "../../galley/chat-settings.ts";
import { openModels } from "../../models/open-models.ts";
import { ownProviders } from "../../models/own-providers.ts";
import { presetLibrary } from "../../presets/preset-library.ts";
import { resolveCompactor } from "../../turn/call/resolve-compactor.ts";
import { presetSettings, switchSettings } from "../../turn/call/resolve-settings.ts";
import { placeOfChat } from "../../turn/places/turn-place.ts";
import { agentLayer } from "../../turn/services/setting-layers.ts";

/** What is in force when the command switches a context itself, without a store and without a daemon [A8, A9]. */
export async function switchSettingsIn(data: string, key: string): Promise<SwitchSettings> {
  const config = await nearestConfig(dirname(resolve(data)));
  const own = readChatSettings(chatPaths(chatFolder(data, key)).settings);
  const place = placeOfChat(key);
  const presets = presetLibrary({ folder: join(data, "presets"), now: Date.now, onChange: () => {} });
  const agents = agentList({ config, data, environment: process.env });
  const agent = place.kind === "agent" ? agents.find(place.name) : undefined;
  const { preset } = await presets.get(own.preset ?? agent?.preset ?? "default");
  const { settings } = layerSettings([
    { from: "config", settings: config?.context },
    agentLayer({ agents }, place),
    { from: "preset", settings: presetSettings(preset) },
    { from: "chat", settings: own.context },
  ]);
  const models = await openModels({ config, own: ownProviders(data) });
  return switchSettings({ settings, compactor: resolveCompactor({ models, config }, settings.compaction) });
}

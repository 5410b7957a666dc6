import { dirname, join, resolve } from "node:path";
import type { SwitchSettings } from "../../chat/contexts/context-types.ts";
import { chatFolder, chatPaths } from "../../chat/lines/chat-paths.ts";
import { agentList } from "../../config/agent-list.ts";
import { nearestConfig } from "../../config/load-config.ts";
import { readChatSettings } from "../../galley/chat-settings.ts";
import { openModels } from "../../models/open-models.ts";
import { ownProviders } from "../../models/own-providers.ts";
import { presetLibrary } from "../../presets/preset-library.ts";
import { switchSettingsOf } from "../../turn/call/resolve-settings.ts";

/** What is in force when the command switches a context itself, without a store and without a daemon [A8, A9]. */
export async function switchSettingsIn(data: string, key: string): Promise<SwitchSettings> {
  const config = await nearestConfig(dirname(resolve(data)));
  const file = chatPaths(chatFolder(data, key)).settings;
  const parts = {
    config,
    context: undefined,
    agents: agentList({ config, data, environment: process.env }),
    chats: { settings: async () => readChatSettings(file) },
    presets: presetLibrary({ folder: join(data, "presets"), now: Date.now, onChange: () => {} }),
    models: await openModels({ config, own: ownProviders(data) }),
  };
  return switchSettingsOf(parts, key);
}

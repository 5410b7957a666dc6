import { dirname, resolve } from "node:path";
import type { Secrets } from "@galley/engine";
import type { Command } from "commander";
import { parsePlaceId } from "../../api/place-id.ts";
import type { Chat } from "../../chat/chat.ts";
import type { SwitchSettings } from "../../chat/contexts/context-types.ts";
import { checkNewChat } from "../../chat/lines/chat-paths.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { reservedAgentName } from "../../config/providers/agent-meta.ts";
import { openChat } from "../../chat/open-chat.ts";
import { reportWarnings } from "../terminal/report.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { connectChat } from "./connect.ts";
import { addPrintFlags, type PrintFlags } from "./options.ts";

export interface ChatFlags extends PrintFlags {
  readonly chat: string;
}

export function addChatFlags(command: Command): Command {
  return addPrintFlags(command.requiredOption("-c, --chat <key>", "the chat"));
}

/** The keys of the configuration and the environment, as a turn would know them: no chat keeps them [P6]. */
async function knownSecrets(data: string): Promise<Secrets> {
  const [{ Redactor }, config, { addDeclaredSecrets }, { modelServers }, { ownProviders }] = await Promise.all([
    import("../../secrets/redactor.ts"),
    configBeside(data),
    import("../../inject/declared-secrets.ts"),
    import("../../models/model-server.ts"),
    import("../../models/own-providers.ts"),
  ]);
  const redactor = new Redactor();
  if (config) await addDeclaredSecrets(config, { redactor, environment: process.env });
  modelServers(config?.models.providers ?? [], ownProviders(data).read(), { env: process.env, redactor });
  return redactor.secrets();
}

/** The chat of an agent belongs to an agent that there is, or to the programs of the person [V4]. */
async function checkReservedKey({ data, chat }: ChatFlags): Promise<void> {
  const [config, { agentList }] = await Promise.all([configBeside(data), import("../../config/agent-list.ts")]);
  const agents = agentList({ config, data, environment: process.env });
  checkNewChat(data, chat, (name) => name === reservedAgentName || agents.find(name) !== undefined);
}

/** A configuration that cannot be read is reported where it is needed; here it must not lose what was said. */
async function configBeside(data: string): Promise<LoadedConfig | undefined> {
  const { nearestConfig } = await import("../../config/load-config.ts");
  return nearestConfig(dirname(resolve(data))).catch(() => undefined);
}

export async function withChat<Result>(
  flags: ChatFlags,
  terminal: Terminal,
  work: (chat: Chat) => Promise<Result>,
  { isSaid = false }: { readonly isSaid?: boolean } = {},
): Promise<Result> {
  if (["agent", "task"].includes(parsePlaceId(flags.chat).kind)) await checkReservedKey(flags);
  const secrets = isSaid ? { secrets: await knownSecrets(flags.data) } : {};
  const settings = async (): Promise<SwitchSettings> =>
    (await import("./switch-settings.ts")).switchSettingsIn(flags.data, flags.chat);
  const chat = await openChat(flags.data, flags.chat, { ...secrets, settings });
  try {
    return await work(connectChat(chat, flags));
  } finally {
    await chat.close();
    reportWarnings(chat.problems, terminal);
  }
}

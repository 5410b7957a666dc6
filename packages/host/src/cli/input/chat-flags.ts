import { dirname, resolve } from "node:path";
import { type Secrets, extractiveCompactor } from "@galley/engine";
import type { Command } from "commander";
import type { Chat } from "../../chat/chat.ts";
import { openChat } from "../../chat/open-chat.ts";
import { reportWarnings } from "../terminal/report.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { connectChat } from "./connect.ts";
import { addFolderFlags, type FolderFlags } from "./options.ts";

export interface ChatFlags extends FolderFlags {
  readonly chat: string;
  readonly json?: boolean;
}

/** The flags that say which chat is meant. */
export function addChatFlags(command: Command): Command {
  return addFolderFlags(command.requiredOption("-c, --chat <key>", "the chat")).option(
    "--json",
    "print one JSON document",
  );
}

/** The keys of the configuration and the environment, as a turn would know them: no chat keeps them [P6]. */
async function knownSecrets(data: string): Promise<Secrets> {
  const [{ Redactor }, { findConfig }, { loadConfig }, { addDeclaredSecrets }, { modelServers }] = await Promise.all([
    import("../../secrets/redactor.ts"),
    import("../../config/find-config.ts"),
    import("../../config/load-config.ts"),
    import("../../inject/declared-secrets.ts"),
    import("../../models/model-server.ts"),
  ]);
  const redactor = new Redactor();
  const found = findConfig(dirname(resolve(data)));
  // A configuration that cannot be read is reported where it is needed; here it must not lose what was said.
  const config = found === undefined ? undefined : await loadConfig(found).catch(() => undefined);
  if (config) await addDeclaredSecrets(config, { redactor, environment: process.env });
  modelServers(config?.models.providers ?? [], { env: process.env, redactor });
  return redactor.secrets();
}

/** Opens the chat for as long as `work` needs it. */
export async function withChat<Result>(
  flags: ChatFlags,
  terminal: Terminal,
  work: (chat: Chat) => Promise<Result>,
  { summarise = false, isSaid = false }: { readonly summarise?: boolean | undefined; readonly isSaid?: boolean } = {},
): Promise<Result> {
  const chat = await openChat(flags.data, flags.chat, {
    ...(summarise ? { compactor: extractiveCompactor() } : {}),
    ...(isSaid ? { secrets: await knownSecrets(flags.data) } : {}),
  });
  try {
    // With a summary of its own the command does it itself; the daemon makes its summaries its own way.
    return await work(summarise ? chat : connectChat(chat, flags));
  } finally {
    await chat.close();
    reportWarnings(chat.problems, terminal);
  }
}

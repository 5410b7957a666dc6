import { resolve } from "node:path";
import { extractiveCompactor } from "@galley/engine";
import type { Command } from "commander";
import type { Chat } from "../../chat/chat.ts";
import { openChat } from "../../chat/open-chat.ts";
import type { DaemonClient } from "../../daemon/client/daemon-client.ts";
import { storeFile } from "../../disk/store-files.ts";
import { chatThroughDaemon } from "./chat-through-daemon.ts";
import { dataOption } from "./data-folder.ts";
import { reportWarnings } from "../terminal/report.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { exists } from "../../disk/data-files.ts";

export interface ChatFlags {
  readonly chat: string;
  readonly data: string;
  readonly json?: boolean;
}

/** The flags that say which chat is meant. */
export function addChatFlags(command: Command): Command {
  return command
    .requiredOption("-c, --chat <key>", "the chat")
    .addOption(dataOption())
    .option("--json", "print one JSON document");
}

/** Opens the chat for as long as `work` needs it; where a daemon runs, it makes the changes. */
export async function withChat<Result>(
  { chat: key, data }: ChatFlags,
  terminal: Terminal,
  work: (chat: Chat) => Promise<Result>,
  options: { readonly summarise?: boolean | undefined } = {},
): Promise<Result> {
  const chat = await openChat(data, key, options.summarise ? { compactor: extractiveCompactor() } : {});
  try {
    // With a summary of its own the command does it itself; the daemon makes its summaries its own way.
    return await work(options.summarise ? chat : chatThroughDaemon(chat, () => clientOf(data)));
  } finally {
    await chat.close();
    reportWarnings(chat.problems, terminal);
  }
}

async function clientOf(data: string): Promise<DaemonClient | undefined> {
  const { findDaemon } = await import("../../daemon/client/running-daemon.ts");
  const daemon = await findDaemon(resolve(data));
  return daemon && (await import("../../daemon/client/daemon-client.ts")).daemonClient(daemon);
}

/**
 * The same, for what deletes or redacts: the records of builds and runs hold what was said as well, and let go of it where the
 * data folder has any [M7].
 */
export async function withRecordedChat<Result>(
  flags: ChatFlags,
  terminal: Terminal,
  work: (chat: Chat) => Promise<Result>,
): Promise<Result> {
  const { chat: key, data } = flags;
  const isPlain = !exists(storeFile(data)) || (await clientOf(data)) !== undefined;
  if (isPlain) return withChat(flags, terminal, work);
  const { openGalley } = await import("../../galley/open-galley.ts");
  const galley = await openGalley({ data, config: false });
  try {
    const chat = await galley.chats.open(key);
    const result = await work(chat);
    reportWarnings(chat.problems, terminal);
    return result;
  } finally {
    await galley.close();
  }
}

import { extractiveCompactor } from "@galley/engine";
import type { Command } from "commander";
import type { Chat } from "../../chat/chat.ts";
import { openChat } from "../../chat/open-chat.ts";
import { reportWarnings } from "../terminal/report.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { connectChat } from "./connect.ts";
import { dataOption } from "./options.ts";

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

/** Opens the chat for as long as `work` needs it. */
export async function withChat<Result>(
  { chat: key, data }: ChatFlags,
  terminal: Terminal,
  work: (chat: Chat) => Promise<Result>,
  { summarise = false }: { readonly summarise?: boolean | undefined } = {},
): Promise<Result> {
  const chat = await openChat(data, key, summarise ? { compactor: extractiveCompactor() } : {});
  try {
    // With a summary of its own the command does it itself; the daemon makes its summaries its own way.
    return await work(summarise ? chat : connectChat(chat, data));
  } finally {
    await chat.close();
    reportWarnings(chat.problems, terminal);
  }
}

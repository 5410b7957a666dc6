import { type Command, Option } from "commander";
import type { Chat } from "../../../chat/chat.ts";
import { type ChatMessage, isContextId, messageId, type RecallMode } from "../../../chat/lines/chat-line.ts";
import { addChatAddCommand } from "./chat-add-command.ts";
import { addPinCommands } from "./pin-commands.ts";
import { addGetCommand, addSetCommand } from "./settings-commands.ts";
import { addChatFlags, type ChatFlags, withChat } from "../../input/chat-flags.ts";
import { withChats, withLocalChats } from "../../input/connect-settings.ts";
import { addPrintFlags, type PrintFlags, requireConfirmation, wholeNumberFrom } from "../../input/options.ts";
import {
  alternatesText,
  chatsText,
  clearText,
  forkText,
  foundText,
  contextsText,
  loadText,
  newText,
  removalText,
  showText,
} from "../../print/chat-text.ts";
import { printResult, reportWarnings } from "../../terminal/report.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { exists } from "../../../disk/data-files.ts";

const examples = `
Examples:
  $ echo '{"role":"user","content":"Plan a trip to Kyoto"}' | galley chat add --chat demo
  $ echo '{"role":"assistant","content":"Three days: temples, Arashiyama, Nara."}' | galley chat add --chat demo
  $ galley chat new --chat demo --title "Kyoto"
  $ galley chat load --chat demo kyoto
  $ galley chat pin --chat demo --text "Prices are in yen."
  $ galley chat set --chat demo "systemPrompt=Answer in two sentences." maxInputTokens=32k
  $ galley build chat:demo --budget 8000 --input "Where were we?"`;

export function defineChat(chat: Command, terminal: Terminal, fail: () => void): void {
  chat.description("Keeps a chat's messages on disk, and switches between its working contexts.");
  chat.addHelpText("after", examples);
  addChatAddCommand(chat, terminal);
  addNewCommand(chat, terminal);
  addLoadCommand(chat, terminal, fail);
  addListCommand(chat, terminal);
  addClearCommand(chat, terminal);
  addShowCommand(chat, terminal);
  addEditCommands(chat, terminal);
  addAlternateCommands(chat, terminal);
  addFindCommand(chat, terminal);
  addForkCommand(chat, terminal);
  const placeOf = (command: Command) => ({ chat: command.opts<ChatFlags>().chat });
  const target = { what: "chat", argumentCount: 0, named: addChatFlags, placeOf } as const;
  addPinCommands(chat, terminal, target);
  addSetCommand(chat, terminal, target);
  addGetCommand(chat, terminal, target);
}

function aboutChat(chat: Command, name: string, description: string): Command {
  return addChatFlags(chat.command(name).description(description));
}

interface NewFlags {
  readonly title?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly context?: string;
}

function addNewCommand(chat: Command, terminal: Terminal): void {
  aboutChat(chat, "new", "Puts the active context away and starts a new one.")
    .option("--title <text>", "names what is put away (default: its first question)")
    .option("--reason <text>", "why, kept with the archive")
    .option("--note <text>", "what to remember of it; it comes first when it is loaded")
    .option("--context <id>", "the archive that the note is about (default: what is active)")
    .action(async (flags: ChatFlags & NewFlags) => {
      const { title, reason, note, context: contextId } = flags;
      const about = { title, reason, note, contextId };
      const result = await withChat(flags, terminal, (opened) => opened.newContext(about));
      reportWarnings(result.problems, terminal);
      printResult(terminal, flags, result, newText(result, about));
    });
}

function addLoadCommand(chat: Command, terminal: Terminal, fail: () => void): void {
  aboutChat(chat, "load", "Brings an archived context back; the active one is put away first.")
    .argument("[query]", "what to look for, or the id of a context")
    .option("-q, --query <text>", "what to look for")
    .option("--context <id>", "the context itself")
    .addOption(
      new Option("--mode <mode>", "every message, the last 12, or the summary").choices(["full", "recent", "summary"]),
    )
    .action(
      async (text: string | undefined, flags: ChatFlags & { query?: string; context?: string; mode?: RecallMode }) => {
        const isId = text !== undefined && isContextId(text);
        const input = {
          query: flags.query ?? (isId ? undefined : text),
          contextId: flags.context ?? (isId ? text : undefined),
          mode: flags.mode,
        };
        const result = await withChat(flags, terminal, (opened) => opened.loadContext(input));
        reportWarnings(result.problems, terminal);
        if (!result.loaded) fail();
        printResult(terminal, flags, result, () => loadText(result, terminal));
      },
    );
}

function addListCommand(chat: Command, terminal: Terminal): void {
  const command = chat
    .command("list")
    .description("Lists the archived contexts of a chat, newest first; without --chat, the chats of the data folder.");
  addPrintFlags(command.option("-c, --chat <key>", "the chat"))
    .option("--limit <count>", "how many contexts, at most 200 (default: 20)", wholeNumberFrom(1))
    .action(async ({ chat: key, ...flags }: ListFlags) => {
      if (key === undefined) return listChats(flags, terminal);
      await withChat({ ...flags, chat: key }, terminal, async (opened) => {
        const result = await opened.listContexts(flags.limit);
        if (!flags.json) reportWarnings(result.problems, terminal);
        const text = (): string => unknownText(opened, { ...flags, chat: key }) || contextsText(result, terminal);
        printResult(terminal, flags, result, text);
      });
    });
}

interface ListFlags extends Omit<ChatFlags, "chat"> {
  readonly chat?: string;
  readonly limit?: number;
}

/** The chats of a data folder, read from the disk: nothing has to be open for it. */
async function listChats(flags: Omit<ListFlags, "chat">, terminal: Terminal): Promise<void> {
  await withLocalChats(flags, async (chats) => {
    const result = await chats.list();
    if (!flags.json) reportWarnings(result.problems, terminal);
    printResult(terminal, flags, result, () => chatsText(result.chats, flags.data, terminal));
  });
}

function addClearCommand(chat: Command, terminal: Terminal): void {
  const command = aboutChat(chat, "clear", "Empties the active context; question and transcript stay.");
  command.action(async (flags: ChatFlags) => {
    const result = await withChat(flags, terminal, (opened) => opened.clearActive());
    printResult(terminal, flags, result, clearText(result));
  });
}

function addShowCommand(chat: Command, terminal: Terminal): void {
  aboutChat(chat, "show", "Shows the end of the active context, or of something else.")
    .option("--messages <count>", "the most messages (default: 200)", wholeNumberFrom(1))
    .option("--transcript", "the transcript instead")
    .option("--context <id>", "an archived context instead")
    .action(async (flags: ChatFlags & { messages?: number; transcript?: boolean; context?: string }) => {
      const limits = flags.messages === undefined ? {} : { maxMessages: flags.messages };
      await withChat(flags, terminal, async (opened) => {
        if (flags.context !== undefined) {
          const archive = opened.readContext(flags.context);
          printResult(terminal, flags, withIds(archive), () => showText(archive, terminal));
          return;
        }
        const window = flags.transcript ? opened.transcript(limits) : opened.window(limits);
        const text = (): string => unknownText(opened, flags) || showText(window, terminal);
        printResult(terminal, flags, withIds(window), text);
      });
    });
}

/** A key with a typo looks like a new chat. */
function unknownText({ folder }: Chat, { chat, data }: ChatFlags): string {
  return exists(folder) ? "" : `There is no chat ${JSON.stringify(chat)} in ${data} yet; galley chat add begins it.\n`;
}

function withIds(shown: { readonly messages: readonly ChatMessage[] }): object {
  return { ...shown, messages: shown.messages.map((message) => ({ id: messageId(message), ...message })) };
}

function addEditCommands(chat: Command, terminal: Terminal): void {
  aboutChat(chat, "rename", "Gives an archived context another title.")
    .requiredOption("--context <id>", "the context")
    .requiredOption("--title <text>", "its new title")
    .action(async (flags: ChatFlags & { context: string; title: string }) => {
      const { context: contextId, title } = flags;
      await withChat(flags, terminal, (opened) => opened.renameContext(contextId, title));
      printResult(terminal, flags, { contextId, title }, `${contextId} is now ${JSON.stringify(title)}.\n`);
    });
  aboutChat(chat, "delete", "Deletes an archived context, or the whole chat, for good.")
    .option("--context <id>", "only this archived context")
    .option("--confirm <name>", "the id of the context, or the key of the chat, once more")
    .action(async (flags: ChatFlags & { context?: string; confirm?: string }) => {
      const { context, confirm } = flags;
      const name = context ?? flags.chat;
      const what = context === undefined ? `the whole chat ${flags.chat}` : `the context ${context}`;
      requireConfirmation(confirm, name, `${what} for good`);
      const { removedCopies } = await withChat(flags, terminal, (opened) =>
        context === undefined ? opened.deleteChat(name) : opened.deleteContext(context, name),
      );
      const text = `Deleted ${name}.\n${removalText(removedCopies)}`;
      printResult(terminal, flags, { deleted: name, removedCopies }, text);
    });
  aboutChat(chat, "redact", "Takes a message out of every later build, list and search.")
    .requiredOption("--message <id>", "the message; galley chat show lists the ids")
    .action(async (flags: ChatFlags & { message: string }) => {
      const { message } = flags;
      const { removedCopies } = await withChat(flags, terminal, (opened) => opened.redact(message));
      const text = `Redacted ${message}. galley doctor --purge removes its bytes from the disk.\n${removalText(removedCopies)}`;
      printResult(terminal, flags, { redacted: message, removedCopies }, text);
    });
}

/** Answers that were regenerated: which there are, and which one the chat goes on with [T13]. */
function addAlternateCommands(chat: Command, terminal: Terminal): void {
  const list = aboutChat(chat, "alternates", "Lists the answers of the active context that were regenerated.");
  list.action(async (flags: ChatFlags) => {
    await withChat(flags, terminal, async (opened) => {
      const alternates = opened.alternates();
      const text = (): string => unknownText(opened, flags) || alternatesText(alternates, terminal);
      printResult(terminal, flags, { alternates }, text);
    });
  });
  aboutChat(chat, "choose", "Goes on with another answer to the last question; the present one stays too.")
    .requiredOption("--message <id>", "the answer; galley chat alternates lists the ids")
    .action(async (flags: ChatFlags & { message: string }) => {
      const { message } = flags;
      await withChat(flags, terminal, (opened) => opened.chooseAlternate(message));
      printResult(terminal, flags, { chosen: message }, `The chat goes on with ${message}.\n`);
    });
}

function addFindCommand(chat: Command, terminal: Terminal): void {
  const command = chat
    .command("find")
    .argument("<words...>", "what to look for; a message must have all of it")
    .description("Finds messages in all chats of the data folder: in active contexts and in what was put away.");
  addPrintFlags(command)
    .option("--limit <count>", "the most messages (default: 50)", wholeNumberFrom(1))
    .action(async (words: readonly string[], flags: PrintFlags & { limit?: number }) => {
      const query = words.join(" ");
      const found = await withChats(flags, (chats) => chats.find(query, flags.limit));
      printResult(terminal, flags, { found }, () => foundText(found, terminal));
    });
}

function addForkCommand(chat: Command, terminal: Terminal): void {
  const description =
    "Begins another chat with the active context of this one, up to a message, and with its settings.";
  aboutChat(chat, "fork", description)
    .option("--message <id>", "the last message that it begins with (default: the newest)")
    .option("--to <key>", "the new chat (default: this one's name with a number behind it)")
    .action(async (flags: ChatFlags & { message?: string; to?: string }) => {
      const { message, to } = flags;
      const fork = await withChats(flags, (chats) => chats.fork(flags.chat, { message, to }));
      printResult(terminal, flags, fork, forkText(fork));
    });
}

import { GalleyError, type ModelMessage, parseJson } from "@galley/engine";
import { type Command, Option } from "commander";
import type { Chat } from "../../chat/chat.ts";
import { type ChatMessage, isContextId, messageId, type RecallMode } from "../../chat/lines/chat-line.ts";
import { toChatMessage } from "../../chat/lines/chat-message.ts";
import { addChatFlags, type ChatFlags, withChat } from "../input/chat-flags.ts";
import { wholeNumberFrom } from "../input/options.ts";
import { clearText, listText, loadText, newText, removalText, showText } from "../print/chat-text.ts";
import { printResult, reportWarnings } from "../terminal/report.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { exists } from "../../disk/data-files.ts";

const examples = `
Examples:
  $ echo '{"role":"user","content":"Plan a trip to Kyoto"}' | galley chat add --chat demo
  $ echo '{"role":"assistant","content":"Three days: temples, Arashiyama, Nara."}' | galley chat add --chat demo
  $ galley chat new --chat demo --title "Kyoto"
  $ galley chat load --chat demo kyoto
  $ galley build --chat demo --budget 8000 --input "Where were we?"`;

/** `galley chat`: the working contexts of a chat. */
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
}

function addNewCommand(chat: Command, terminal: Terminal): void {
  const command = chat.command("new").description("Puts the active context away and starts a new one.");
  addChatFlags(command)
    .option("--title <text>", "names what is put away (default: its first question)")
    .option("--reason <text>", "why, kept with the archive")
    .option("--summarise", "keep a short summary with the archive, extracted without a model")
    .action(async (flags: ChatFlags & { title?: string; reason?: string; summarise?: boolean }) => {
      const { title, reason } = flags;
      const result = await withChat(flags, terminal, (opened) => opened.newContext({ title, reason }), flags);
      reportWarnings(result.problems, terminal);
      printResult(terminal, flags, result, () => newText(result));
    });
}

function addLoadCommand(chat: Command, terminal: Terminal, fail: () => void): void {
  const command = chat
    .command("load")
    .description("Brings an archived context back; the active one is put away first.");
  addChatFlags(command.argument("[query]", "what to look for, or the id of a context"))
    .option("-q, --query <text>", "what to look for")
    .option("--context <id>", "the context itself")
    .addOption(
      new Option("--mode <mode>", "every message, the last 12, or the summary").choices(["full", "recent", "summary"]),
    )
    .option("--summarise", "keep a short summary with what is put away, extracted without a model")
    .action(
      async (
        text: string | undefined,
        flags: ChatFlags & { query?: string; context?: string; mode?: RecallMode; summarise?: boolean },
      ) => {
        const isId = text !== undefined && isContextId(text);
        const input = {
          query: flags.query ?? (isId ? undefined : text),
          contextId: flags.context ?? (isId ? text : undefined),
          mode: flags.mode,
        };
        const result = await withChat(flags, terminal, (opened) => opened.loadContext(input), flags);
        reportWarnings(result.problems, terminal);
        if (!result.loaded) fail();
        printResult(terminal, flags, result, () => loadText(result, terminal));
      },
    );
}

function addListCommand(chat: Command, terminal: Terminal): void {
  const command = chat.command("list").description("Lists the archived contexts, newest first.");
  addChatFlags(command)
    .option("--limit <count>", "how many, at most 200 (default: 20)", wholeNumberFrom(1))
    .action(async (flags: ChatFlags & { limit?: number }) => {
      await withChat(flags, terminal, async (opened) => {
        const result = await opened.listContexts(flags.limit);
        if (!flags.json) reportWarnings(result.problems, terminal);
        printResult(terminal, flags, result, () => unknownText(opened, flags) || listText(result, terminal));
      });
    });
}

function addClearCommand(chat: Command, terminal: Terminal): void {
  const command = chat.command("clear").description("Empties the active context; question and transcript stay.");
  addChatFlags(command).action(async (flags: ChatFlags) => {
    const result = await withChat(flags, terminal, (opened) => opened.clearActive());
    printResult(terminal, flags, result, () => clearText(result));
  });
}

function addShowCommand(chat: Command, terminal: Terminal): void {
  const command = chat.command("show").description("Shows the end of the active context, or of something else.");
  addChatFlags(command)
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
        printResult(terminal, flags, withIds(window), () => text());
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
  addChatFlags(chat.command("rename").description("Gives an archived context another title."))
    .requiredOption("--context <id>", "the context")
    .requiredOption("--title <text>", "its new title")
    .action(async (flags: ChatFlags & { context: string; title: string }) => {
      const { context: contextId, title } = flags;
      await withChat(flags, terminal, (opened) => opened.renameContext(contextId, title));
      printResult(terminal, flags, { contextId, title }, () => `${contextId} is now ${JSON.stringify(title)}.\n`);
    });
  addChatFlags(chat.command("delete").description("Deletes an archived context, or the whole chat, for good."))
    .option("--context <id>", "only this archived context")
    .option("--confirm <name>", "the id of the context, or the key of the chat, once more")
    .action(async (flags: ChatFlags & { context?: string; confirm?: string }) => {
      const { context, confirm } = flags;
      const name = context ?? flags.chat;
      if (confirm !== name) {
        const what = context === undefined ? `the whole chat ${flags.chat}` : `the context ${context}`;
        throw new GalleyError("BadUsage", `This deletes ${what} for good; nothing was deleted yet.`, {
          hint: `To confirm, add --confirm ${JSON.stringify(name)}`,
        });
      }
      const { removedCopies } = await withChat(flags, terminal, (opened) =>
        context === undefined ? opened.deleteChat(name) : opened.deleteContext(context, name),
      );
      const text = `Deleted ${name}.\n${removalText(removedCopies)}`;
      printResult(terminal, flags, { deleted: name, removedCopies }, () => text);
    });
  addChatFlags(chat.command("redact").description("Takes a message out of every later build, list and search."))
    .requiredOption("--message <id>", "the message; galley chat show lists the ids")
    .action(async (flags: ChatFlags & { message: string }) => {
      const { message } = flags;
      const { removedCopies } = await withChat(flags, terminal, (opened) => opened.redact(message));
      const text = `Redacted ${message}. galley doctor --purge removes its bytes from the disk.\n${removalText(removedCopies)}`;
      printResult(terminal, flags, { redacted: message, removedCopies }, () => text);
    });
}

/** How many messages may wait for the disk before more are read; those that wait share an fsync. */
const maxWaiting = 256;

/** `galley chat add`: messages from standard input, one acknowledgement each when it is durable. */
function addChatAddCommand(chat: Command, terminal: Terminal): void {
  const command = chat.command("add");
  command.description(
    "Reads JSON lines {role, content} from standard input into transcript and active context. Prints a line for each message as soon as it is safely on disk, in their order.",
  );
  addChatFlags(command).action(async (flags: ChatFlags) => {
    await withChat(flags, terminal, (opened) => addAll(opened, flags, terminal), { isSaid: true });
  });
}

async function addAll(chat: Chat, { json }: ChatFlags, terminal: Terminal): Promise<void> {
  let failure: unknown;
  let waiting = 0;
  let wake: () => void = () => undefined;
  let last: Promise<void> = Promise.resolve();
  /** Resolves when the message and all before it have been acknowledged, or one of them has failed. */
  const add = async (given: ModelMessage, number: number, before: Promise<void>): Promise<void> => {
    waiting += 1;
    try {
      const [message] = await chat.append([given]);
      await before;
      if (failure === undefined && message) terminal.out(acknowledgement(message, number, json));
    } catch (error) {
      await before;
      failure ??= inLine(error, number);
    }
    waiting -= 1;
    wake();
  };
  let refused: unknown;
  let number = 0;
  for await (const line of terminal.readLines()) {
    number += 1;
    if (line.trim() === "") continue;
    try {
      last = add(readMessage(line, number), number, last);
    } catch (error) {
      refused = inLine(error, number);
      break;
    }
    if (waiting >= maxWaiting) await new Promise<void>((resolve) => (wake = resolve));
    if (failure !== undefined) break;
  }
  await last;
  if ((failure ?? refused) !== undefined) throw failure ?? refused;
}

/** Checks a line before those behind it are read: nothing that follows a bad line is taken. */
function readMessage(line: string, number: number): ModelMessage {
  const path = `line ${number}`;
  const message = parseJson(line, { what: `message in ${path}`, path }) as ModelMessage;
  toChatMessage(message, 0, {}, path);
  return message;
}

function acknowledgement(message: ChatMessage, line: number, isJson = false): string {
  const id = messageId(message);
  return isJson ? `${JSON.stringify({ line, id, ts: message.ts, role: message.role })}\n` : `ok ${line} ${id}\n`;
}

function inLine(error: unknown, number: number): unknown {
  if (!(error instanceof GalleyError) || error.message.includes(`line ${number}`)) return error;
  const { code, message, hint, retryable, cause } = error;
  return new GalleyError(code, `Line ${number} of the input: ${message}`, {
    path: `line ${number}`,
    ...(hint === undefined ? {} : { hint }),
    retryable,
    cause,
  });
}

import { GalleyError, type ModelMessage, parseJson } from "@galley/engine";
import type { Command } from "commander";
import type { Chat } from "../../../chat/chat.ts";
import { type ChatMessage, messageId } from "../../../chat/lines/chat-line.ts";
import { toChatMessage } from "../../../chat/lines/chat-message.ts";
import { addChatFlags, type ChatFlags, withChat } from "../../input/chat-flags.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** How many messages may wait for the disk before more are read; those that wait share an fsync. */
const maxWaiting = 256;

/** `galley chat add`: messages from standard input, one acknowledgement each when it is durable. */
export function addChatAddCommand(chat: Command, terminal: Terminal): void {
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
    hint,
    retryable,
    cause,
  });
}

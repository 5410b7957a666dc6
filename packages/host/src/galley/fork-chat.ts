import { GalleyError, pinnedItems } from "@galley/engine";
import { agentOfChat } from "../api/place-id.ts";
import type { Chat } from "../chat/chat.ts";
import { restoreFiles } from "../chat/lines/chat-files.ts";
import { messageId } from "../chat/lines/chat-line.ts";
import { toModelMessage } from "../chat/lines/chat-message.ts";
import { chatPaths } from "../chat/lines/chat-paths.ts";
import { exists } from "../disk/data-files.ts";
import { mapInSlices, letOthersRun } from "../limits/in-slices.ts";
import type { ForkInput, ForkOrigin } from "../turn/services/galley-ports.ts";

export interface Fork {
  readonly key: string;
  readonly messageCount: number;
  readonly origin: ForkOrigin;
}

/** Writes the active context of a chat, up to a message, as the beginning of a chat that does not exist yet. */
export async function forkChat(
  source: Chat,
  { message, to }: ForkInput,
  open: (key: string) => Promise<Chat>,
): Promise<Fork> {
  const { messages, entries } = await source.whole();
  const ids = await mapInSlices(messages, messageId);
  const last = message === undefined ? messages.length - 1 : ids.indexOf(message);
  const end = messages[last];
  if (!end) {
    const what = message === undefined ? "a message" : `the message ${message}`;
    throw new GalleyError("NotFound", `The active context of ${source.key} does not hold ${what}.`, {
      path: "message",
      hint: "Fork from a message that the active context shows; an archived context is loaded first.",
    });
  }
  const target = await newChat(source.key, to, open);
  const files = chatPaths(source.folder).files;
  const taken = messages.slice(0, last + 1);
  const pins = pinnedItems(entries);
  // Pinned messages that stand further back than the context: their pins bring them into every build.
  const back = pins.flatMap(({ id, entry }) => (entry && !ids.includes(id) ? [{ id, message: entry.message }] : []));
  const own = await mapInSlices(taken, (one) => toModelMessage(restoreFiles(one, files)));
  const copied = [...back.map(({ message: one }) => one), ...own];
  const order = [...back.map(({ id }) => id), ...ids];
  await letOthersRun();
  const written = await target.append(copied);
  await letOthersRun();
  // What was pinned behind the message is not part of the fork.
  for (const { id, text, by } of pins) {
    const copy = written[order.indexOf(id)];
    if (text !== undefined) await target.pin({ text }, by);
    else if (copy) await target.pin({ entryId: messageId(copy) }, by);
  }
  return {
    key: target.key,
    messageCount: copied.length,
    origin: { chat: source.key, message: messageId(end) },
  };
}

/** The chat of the wanted key, or of the first free one: `demo-2` for `demo`. */
async function newChat(key: string, wanted: string | undefined, open: (key: string) => Promise<Chat>): Promise<Chat> {
  const stem = (agentOfChat(key) ?? key).replace(/-\d+$/u, "");
  for (let number = 2; ; number += 1) {
    const chat = await open(wanted ?? `${stem}-${number}`);
    if (!exists(chat.folder)) return chat;
    if (wanted === undefined) continue;
    throw new GalleyError("BadRequest", `There is a chat ${JSON.stringify(wanted)} already.`, {
      path: "to",
      hint: "Name another one, or none: a free name is found then.",
    });
  }
}

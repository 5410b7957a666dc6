import { GalleyError, type Preset, type SessionEntry } from "@galley/engine";
import type { ImportNote } from "@galley/engine/sillytavern";
import { openChat } from "../../../chat/open-chat.ts";
import { chatFolder, chatPaths } from "../../../chat/lines/chat-paths.ts";
import { textOf } from "../../../chat/lines/read-window.ts";
import type { ChatMessage } from "../../../chat/lines/chat-line.ts";
import { exists } from "../../../disk/data-files.ts";
import { readChatSettings } from "../../../galley/chat-settings.ts";
import { withPresets } from "../../input/connect.ts";
import type { FolderFlags } from "../../input/options.ts";

interface ChatToExport {
  readonly preset: Preset;
  readonly entries: readonly SessionEntry[];
  readonly notes: readonly ImportNote[];
}

const everything = { maxMessages: Number.MAX_SAFE_INTEGER, maxCharacters: Number.MAX_SAFE_INTEGER };

/** The active context of a chat with its other answers, and the preset that the chat uses unless another one is given. */
export async function readChatToExport(
  key: string,
  folder: FolderFlags,
  own: Preset | undefined,
): Promise<ChatToExport> {
  const chat = await openChat(folder.data, key);
  try {
    if (!exists(chat.folder))
      throw new GalleyError("NotFound", `There is no chat ${key}.`, {
        hint: "galley chat list --all names the chats.",
      });
    const preset = own ?? (await presetOf(key, folder));
    const { total } = await chat.listContexts(1);
    const notes: ImportNote[] =
      total === 0
        ? []
        : [
            {
              fate: "unsupported",
              path: `chat ${key}`,
              message: `Contexts that were put away are not written: ${total}.`,
            },
          ];
    const others = Map.groupBy(chat.alternates(), ({ of }) => of);
    return { preset, entries: withAlternates(chat.entries(everything), others), notes };
  } finally {
    await chat.close();
  }
}

async function presetOf(key: string, folder: FolderFlags): Promise<Preset> {
  const { preset } = readChatSettings(chatPaths(chatFolder(folder.data, key)).settings);
  if (preset !== undefined) return withPresets(folder, async (library) => (await library.get(preset)).preset);
  throw new GalleyError("BadUsage", `The chat ${key} has no preset of its own.`, {
    hint: `Name the preset file, or choose one: galley chat set --chat ${key} preset=NAME.`,
  });
}

type Alternates = ReadonlyMap<string, readonly { readonly message: ChatMessage }[]>;

/** Gives each answer the others of its question; one that was imported has them in its line. */
function withAlternates(entries: readonly SessionEntry[], others: Alternates): readonly SessionEntry[] {
  let question: string | undefined;
  return entries.map((entry) => {
    if (entry.type !== "message") return entry;
    if (entry.message.role === "user") question = entry.id;
    const found = entry.message.role === "assistant" ? others.get(question ?? "") : undefined;
    if (!found || "sillytavern" in entry) return entry;
    const memory = { sillytavern: { swipes: found.map(({ message }) => textOf(message)) } };
    return { ...entry, ...memory };
  });
}

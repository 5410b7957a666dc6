import { GalleyError, type Preset, type SessionEntry } from "@galley/engine";
import { connect, withPresets } from "../../input/connect.ts";
import type { FolderFlags } from "../../input/options.ts";

/** Keeps an imported preset in the library, and what was said as a chat that uses it. A chat that exists is not added to. */
export async function keepAsChat(
  key: string,
  preset: Preset,
  entries: readonly SessionEntry[],
  folder: FolderFlags & { readonly force?: boolean },
): Promise<{ readonly preset: string; readonly chat: string }> {
  const chat = await openTarget(key, folder);
  try {
    if (await chat.hasMessages()) {
      throw new GalleyError("BadUsage", `The chat ${key} has messages already.`, {
        hint: "Choose another key; an import does not add to a chat.",
      });
    }
    await withPresets(folder, async (library) => {
      const before = (await library.list()).find(({ id }) => id === key);
      if (before && !folder.force)
        throw new GalleyError("BadUsage", `The library has a preset ${key} already.`, {
          hint: "Add --force to replace it.",
        });
      await library.save(key, { preset, expectedVersion: before?.version ?? 0, label: "import" });
    });
    if (entries.length > 0) await chat.add(entries);
    await chat.usePreset(key);
  } finally {
    await chat.close();
  }
  return { preset: key, chat: key };
}

interface Target {
  hasMessages(): Promise<boolean>;
  add(entries: readonly SessionEntry[]): Promise<void>;
  usePreset(name: string): Promise<void>;
  close(): Promise<void>;
}

/** The chat, through the daemon where one runs. */
async function openTarget(key: string, folder: FolderFlags): Promise<Target> {
  const daemon = await connect(folder);
  const params = { key };
  if (daemon) {
    return {
      hasMessages: async () => (await daemon.call("chats.list", {})).chats.some((one) => one.key === key),
      add: async (entries) => {
        await daemon.call("chats.import", { params, body: { entries: entries.map((entry) => ({ ...entry })) } });
      },
      usePreset: async (preset) => void (await daemon.call("chats.settings", { params, body: { preset } })),
      close: async () => {},
    };
  }
  const { openGalley } = await import("../../../galley/open-galley.ts");
  const galley = await openGalley({ data: folder.data, config: false });
  return {
    hasMessages: async () => (await galley.chats.list()).chats.some((one) => one.key === key),
    add: async (entries) => void (await (await galley.chats.open(key)).importEntries(entries)),
    usePreset: (preset) => galley.chats.configure(key, { preset }),
    close: () => galley.close(),
  };
}

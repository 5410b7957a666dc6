import { GalleyError, type Preset, type SessionEntry } from "@galley/engine";
import { withPresets, withRoutes } from "../../input/connect.ts";
import type { FolderFlags } from "../../input/options.ts";

/** Keeps an imported preset in the library, and what was said as a chat that uses it. A chat that exists is not added to. */
export async function keepAsChat(
  key: string,
  preset: Preset,
  entries: readonly SessionEntry[],
  { data, token, force }: FolderFlags & { readonly force?: boolean },
): Promise<{ readonly preset: string; readonly chat: string }> {
  const folder = { data, token };
  const params = { key };
  await withRoutes({ ...folder, config: false }, async (ask) => {
    if ((await ask("chats.list", {})).chats.some((one) => one.key === key)) {
      throw new GalleyError("BadUsage", `The chat ${key} has messages already.`, {
        hint: "Choose another key; an import does not add to a chat.",
      });
    }
    await withPresets(folder, async (library) => {
      const before = (await library.list()).find(({ id }) => id === key);
      if (before && !force)
        throw new GalleyError("BadUsage", `The library has a preset ${key} already.`, {
          hint: "Add --force to replace it.",
        });
      await library.save(key, { preset, expectedVersion: before?.version ?? 0, label: "import" });
    });
    const body = { entries: entries.map((entry) => ({ ...entry })) };
    if (entries.length > 0) await ask("chats.import", { params, body });
    await ask("chats.settings", { params, body: { preset: key } });
  });
  return { preset: key, chat: key };
}

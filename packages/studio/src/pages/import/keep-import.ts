import { call } from "../../api/call.ts";
import type { ReadImport } from "./read-import.ts";

/** Under which names an import is kept; without a chat, only its preset. */
export interface KeptNames {
  readonly preset: string;
  readonly chat: string | undefined;
}

/** What stands under these names already, and would be replaced. */
export interface Taken {
  /** The version of the preset. */
  readonly preset?: number;
  readonly chat?: string;
}

/** Names differ in more than letter case, because they become files. */
const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

export async function findTaken({ preset }: ReadImport, names: KeptNames): Promise<Taken | undefined> {
  const { presets } = preset ? await call("presets.list", {}) : { presets: [] };
  const { chats } = names.chat === undefined ? { chats: [] } : await call("chats.list", {});
  const version = presets.find(({ id }) => isSame(id, names.preset))?.version;
  const chat = chats.find(({ key }) => isSame(key, names.chat ?? ""))?.key;
  if (version === undefined && chat === undefined) return undefined;
  return { ...(version !== undefined && { preset: version }), ...(chat !== undefined && { chat }) };
}

/**
 * Saves the preset as the next version of what is there, and what was said as a chat that uses it. A chat of that name is
 * deleted first: an import that is repeated must not be added to the one before.
 */
export async function keepImport(made: ReadImport, names: KeptNames, taken: Taken = {}): Promise<void> {
  const { preset } = made;
  if (preset) {
    const body = { preset, expectedVersion: taken.preset ?? 0, label: "import" };
    await call("presets.save", { params: { id: names.preset }, body });
  }
  if (names.chat === undefined) return;
  if (taken.chat !== undefined)
    await call("chats.delete", { params: { key: taken.chat }, query: { confirm: taken.chat } });
  const params = { key: names.chat };
  const entries = made.entries.map((entry) => ({ ...entry }));
  if (entries.length > 0) await call("chats.import", { params, body: { entries } });
  if (preset) await call("chats.settings", { params, body: { preset: names.preset } });
}

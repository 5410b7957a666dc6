import type { Preset } from "@galley/engine";
import { type EditHistory, noHistory } from "./edit-history.ts";

/** What the browser keeps of a document, so that a reload loses neither an edit nor the way back. */
export interface KeptDocument {
  /** The version of the library that the edits begin with. */
  readonly version: number;
  /** The document itself, as long as the library does not have it. */
  readonly unsaved?: Preset;
  readonly history: EditHistory;
}

/** Where texts are kept by name. */
export type TextStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const format = 1;
const nameOf = (id: string): string => `galley-document:${id}`;

export function readKept(storage: TextStorage, id: string): KeptDocument | undefined {
  const text = storage.getItem(nameOf(id));
  if (text === null) return undefined;
  try {
    const { v, ...kept } = JSON.parse(text) as KeptDocument & { v: number };
    return v === format && Array.isArray(kept.history.done) && Array.isArray(kept.history.undone) ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** The document comes before its history: where the storage is full, the oldest edits are forgotten, then all of them. */
export function writeKept(storage: TextStorage, id: string, kept: KeptDocument): void {
  const { done, undone } = kept.history;
  const shorter: EditHistory[] = [kept.history, { done: done.slice(-20), undone: undone.slice(-20) }, noHistory];
  for (const history of shorter) {
    try {
      storage.setItem(nameOf(id), JSON.stringify({ v: format, ...kept, history }));
      return;
    } catch {
      storage.removeItem(nameOf(id));
    }
  }
}

export function forgetKept(storage: TextStorage, id: string): void {
  storage.removeItem(nameOf(id));
}

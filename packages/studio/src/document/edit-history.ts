import type { Patch } from "immer";
import type { EditName } from "../i18n/compose-edits.ts";

/** One edit as what it changed, so that it can be taken back and done again. */
export interface Edit {
  readonly name: EditName;
  /** Edits of one thing, such as the letters typed into one text, become one edit as long as they follow closely. */
  readonly thing?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly patches: readonly Patch[];
  readonly inverse: readonly Patch[];
}

export interface EditHistory {
  /** The one to take back next stands last. */
  readonly done: readonly Edit[];
  /** The one to do again next stands last. */
  readonly undone: readonly Edit[];
}

export const noHistory: EditHistory = { done: [], undone: [] };

const together = 1500;
const maxEdits = 200;

/** Takes an edit in. What was undone before it is gone, as everywhere. */
export function pushEdit({ done }: EditHistory, edit: Edit): EditHistory {
  const last = done.at(-1);
  if (last && edit.thing !== undefined && last.thing === edit.thing && edit.at - last.at <= together) {
    const joined: Edit = {
      ...edit,
      patches: [...last.patches, ...edit.patches],
      inverse: [...edit.inverse, ...last.inverse],
    };
    return { done: [...done.slice(0, -1), shorten(joined)], undone: [] };
  }
  return { done: [...done, edit].slice(-maxEdits), undone: [] };
}

/** A text that was typed letter by letter is one replacement: only the first and the last value count. */
function shorten(edit: Edit): Edit {
  const paths = new Set(edit.patches.map((patch) => JSON.stringify([patch.op, patch.path])));
  if (paths.size !== 1 || edit.patches[0]?.op !== "replace") return edit;
  return { ...edit, patches: edit.patches.slice(-1), inverse: edit.inverse.slice(-1) };
}

export interface Step {
  readonly edit: Edit;
  readonly history: EditHistory;
}

export function stepBack({ done, undone }: EditHistory): Step | undefined {
  const edit = done.at(-1);
  return edit && { edit, history: { done: done.slice(0, -1), undone: [...undone, edit] } };
}

export function stepForward({ done, undone }: EditHistory): Step | undefined {
  const edit = undone.at(-1);
  return edit && { edit, history: { done: [...done, edit], undone: undone.slice(0, -1) } };
}

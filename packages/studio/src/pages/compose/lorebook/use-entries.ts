import { useDeferredValue, useMemo } from "react";
import { type EntryQuery, type LoreEntry, findEntries, loreEntries } from "../../../document/lore-entries.ts";
import { type EntryChange, addEntry, deleteEntries, editEntries } from "../../../document/lore-edits.ts";
import { madeOnce } from "../../../document/made-once.ts";
import { lorebookText } from "../../../i18n/lorebook.ts";
import { useText } from "../../../i18n/use-text.ts";
import { showToast } from "../../../kit/notices.tsx";
import { useDocument, useEditor, usePlace, usePreview } from "../state/editor-state.ts";

/** The entries of the recipe that is shown. */
export function useEntries(): readonly LoreEntry[] {
  const { recipe } = usePlace();
  return useDocument((state) => loreEntries(state.preset, recipe));
}

/** What an entry costs when it is sent; counted when it is asked for. */
export function useTokensOf(): (entry: LoreEntry) => number {
  const { preview } = useEditor();
  const tokenizer = usePreview((state) => state.tokenizer);
  return useMemo(() => {
    const { account } = preview;
    return madeOnce(({ activation, content }) => account.countPlain(activation.text ?? content));
    // Another tokenizer has another account.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [preview, tokenizer]);
}

/** Those that are looked at; the table follows what is typed without holding it up. */
export function useFound(query: EntryQuery, tokensOf: (entry: LoreEntry) => number): readonly LoreEntry[] {
  const entries = useEntries();
  const asked = useDeferredValue(query);
  return useMemo(() => findEntries(entries, asked, tokensOf), [entries, asked, tokensOf]);
}

export type EntryActions = ReturnType<typeof useEntryActions>;

/** All that can be done to entries. Each is one edit, however many it changes. */
export function useEntryActions() {
  const { document } = useEditor();
  const place = usePlace();
  const text = useText(lorebookText);
  return useMemo(() => {
    const undo = (): void => void document.undo();
    return {
      /** Gives the key of the new entry. */
      add(book: string | undefined): string | undefined {
        document.edit("add entry", (draft) => addEntry(draft, place, book));
        return loreEntries(document.store.getState().preset, place.recipe).at(-1)?.key;
      },
      /** What is typed into one field is one edit: `field` names it. */
      change(entry: LoreEntry, change: EntryChange, field: string): void {
        document.edit(
          "edit entry",
          (draft) => editEntries(draft, place, [entry.index], change),
          `${field} of ${entry.key}`,
        );
      },
      changeAll(entries: readonly LoreEntry[], change: EntryChange): void {
        const indices = entries.map(({ index }) => index);
        document.edit("edit entries", (draft) => editEntries(draft, place, indices, change));
        showToast({ text: text.changed(entries.length), undo });
      },
      remove(entries: readonly LoreEntry[]): void {
        const ids = entries.map(({ id }) => id);
        document.edit("delete entries", (draft) => deleteEntries(draft, ids));
        showToast({ text: text.deleted(entries.length), undo });
      },
    };
  }, [document, place, text]);
}

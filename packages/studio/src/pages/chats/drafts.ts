import { create } from "zustand";

interface Drafts {
  /** What is written and not yet sent, by the chat's key; it survives a look at another page. */
  readonly texts: Readonly<Record<string, string>>;
}

const useDrafts = create<Drafts>()(() => ({ texts: {} }));

export function setDraft(chat: string, text: string): void {
  useDrafts.setState(({ texts }) => ({ texts: { ...texts, [chat]: text } }));
}

export function useDraft(chat: string): string {
  return useDrafts((state) => state.texts[chat] ?? "");
}

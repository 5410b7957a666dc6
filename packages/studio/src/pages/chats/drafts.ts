import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";

export interface Draft {
  readonly text: string;
  /**
   * The run that was asked for with this very text and that the daemon has not said it took. Asked for under the same id
   * once more, it runs once, whatever became of the first request.
   */
  readonly runId?: string;
}

interface Drafts {
  /** What is written and not yet sent, by the chat's key or by `editKey`; it survives another page and a reload. */
  readonly drafts: Readonly<Record<string, Draft>>;
}

// Each tab keeps its own: one that is written in two tabs must not overwrite the other.
const useDrafts = create<Drafts>()(
  persist(() => ({ drafts: {} }), {
    name: "galley-drafts",
    version: 1,
    storage: createJSONStorage(() => sessionStorage),
  }),
);

/** Where the new words for a message are written. */
export function editKey(chat: string, messageId: string): string {
  return `${chat}\0${messageId}`;
}

export function useDraft(key: string): Draft | undefined {
  return useDrafts((state) => state.drafts[key]);
}

export function setDraft(key: string, text: string): void {
  useDrafts.setState(({ drafts }) => ({ drafts: { ...drafts, [key]: { text } } }));
}

export function dropDraft(key: string): void {
  useDrafts.setState((state) => {
    const { [key]: _, ...drafts } = state.drafts;
    return { drafts };
  });
}

/** Gives what is written, and leaves nothing there. */
export function takeDraft(key: string): Draft {
  const draft = useDrafts.getState().drafts[key] ?? { text: "" };
  dropDraft(key);
  return draft;
}

/** Puts back what was sent and not taken; what has been written there since follows it. */
export function returnDraft(key: string, sent: Required<Draft>): void {
  const since = useDrafts.getState().drafts[key]?.text ?? "";
  if (since.trim() !== "") setDraft(key, `${sent.text}\n\n${since}`);
  else useDrafts.setState(({ drafts }) => ({ drafts: { ...drafts, [key]: sent } }));
}

/** Takes back what was put back, once it turns out that the daemon has the run after all. */
export function forgetReturned(runId: string): void {
  const { drafts } = useDrafts.getState();
  for (const [key, draft] of Object.entries(drafts)) if (draft.runId === runId) dropDraft(key);
}

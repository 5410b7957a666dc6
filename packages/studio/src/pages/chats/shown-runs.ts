import { create } from "zustand";
import type { RunView } from "./run-view.ts";

/**
 * Where what was said has come to, as far as the daemon has told: `asked` for and not answered yet; `taken`, the run is
 * stored; `kept`, the run has ended without a reply and the message is in the transcript; `refused`, the daemon does not
 * have it, or does not answer.
 */
type Delivery = "asked" | "taken" | "kept" | "refused";

/** A run that this page shows, as long as it is of interest. */
export interface ShownRun {
  readonly view: RunView;
  readonly delivery: Delivery;
  /** What was said; unknown for a run that was found under way, and gone once it is back in its box. */
  readonly input?: unknown;
  /** The message that it answers once more or edits: it and what follows it are about to be replaced. */
  readonly replaces?: string;
  /** Does the same once more, where it can be done. */
  readonly again?: () => void;
  /** Where it was written, if a person wrote it. */
  readonly box?: Box;
  /** The daemon was asked about a request that got no answer. */
  readonly isAsked?: boolean;
  /** A person pressed Stop on this page, and the daemon has heard it. */
  readonly isStopped?: boolean;
}

/** Where something is written: the box of a chat, or the editor of a message. */
export interface Box {
  readonly putBack: () => void;
  /** Sends what is written there now. */
  readonly send: () => void;
}

interface ActiveRuns {
  /** By the chat's key. They live beside the page, so that a run goes on being read while another page is shown. */
  readonly runs: Readonly<Record<string, ShownRun>>;
  /** What finished runs have shown, by their ids; tools and switches are not stored in a chat. */
  readonly finished: Readonly<Record<string, RunView>>;
}

export const useActiveRuns = create<ActiveRuns>()(() => ({ runs: {}, finished: {} }));

export const shownIn = (chat: string): ShownRun | undefined => useActiveRuns.getState().runs[chat];

export function update(chat: string, change: (run: ShownRun) => ShownRun): void {
  useActiveRuns.setState(({ runs }) => {
    const run = runs[chat];
    return run ? { runs: { ...runs, [chat]: change(run) } } : {};
  });
}

/** Runs that a person has put aside on this page. */
const dismissed = new Set<string>();

/** Takes a run away from the page; it is not stopped. */
export function dismissRun(chat: string): void {
  dismissed.add(shownIn(chat)?.view.runId ?? "");
  useActiveRuns.setState(({ runs }) => {
    const { [chat]: _, ...rest } = runs;
    return { runs: rest };
  });
}

/** Whether a person has put a run aside on this page. */
export function isDismissed(runId: string): boolean {
  return dismissed.has(runId);
}

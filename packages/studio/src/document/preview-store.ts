import {
  GalleyError,
  type Preset,
  type Problem,
  type SessionEntry,
  type Tokenizer,
  checkPreset,
  digestOf,
  tokenAccount,
} from "@galley/engine";
import { type StoreApi, createStore } from "zustand/vanilla";
import { type CacheCost, type Preview, cacheCost, computePreview } from "./compute-preview.ts";
import type { EditName } from "./edit-names.ts";
import type { LoadedHistory, SentBuild } from "./history-source.ts";
import type { PresetDocument } from "./preset-document.ts";
import { roughTokenizer } from "./rough-tokenizer.ts";

/** What an edit did to the provider's cache. */
export interface EditCost extends CacheCost {
  readonly edit: EditName;
  /** Cached tokens that this one edit threw away; below 0 when it brought some back. */
  readonly lost: number;
}

export interface PreviewState {
  readonly model: string;
  readonly budget: number;
  readonly entries: readonly SessionEntry[];
  readonly userProfile: string;
  readonly tokenizer: Tokenizer;
  /** The last that could be built; with an error, it is the one before. */
  readonly preview: Preview | undefined;
  readonly error: GalleyError | undefined;
  /** How long the engine took, in milliseconds. */
  readonly engineMs: number;
  readonly digest: string | undefined;
  readonly cost: EditCost | undefined;
  /** What is wrong with the preset, and what the build could not fill in. */
  readonly problems: readonly Problem[];
}

export interface PreviewOptions {
  readonly model: string;
  readonly budget: number;
  readonly now: string;
  /** Milliseconds, for how long the engine takes. */
  readonly clock: () => number;
  /** Does what can wait until the preview is seen. */
  readonly later: (work: () => void) => void;
}

export interface PreviewStore {
  readonly store: StoreApi<PreviewState>;
  set(change: Partial<Pick<PreviewState, "model" | "budget" | "userProfile" | "tokenizer">>): void;
  setHistory(history: LoadedHistory): void;
  close(): void;
}

/** Builds the document anew with every edit, in the same turn of the page, so that what is seen is never old. */
export function previewStore(document: PresetDocument, options: PreviewOptions): PreviewStore {
  const { clock, later, now } = options;
  let account = tokenAccount(roughTokenizer);
  let sent: SentBuild | undefined;
  let isSentKnown = false;
  let lastKept: number | undefined;
  let isClosed = false;
  const store = createStore<PreviewState>(() => ({
    model: options.model,
    budget: options.budget,
    entries: [],
    userProfile: "",
    tokenizer: roughTokenizer,
    preview: undefined,
    error: undefined,
    engineMs: 0,
    digest: undefined,
    cost: undefined,
    problems: [],
  }));

  function rebuild(edit: EditName | undefined): void {
    const { model, budget, entries, userProfile, preview: before } = store.getState();
    const { preset } = document.store.getState();
    const start = clock();
    try {
      const preview = computePreview({ preset, model, budget, entries, account, now, userProfile });
      store.setState({ preview, error: undefined, engineMs: clock() - start });
      later(() => finish(preview, edit));
    } catch (error) {
      if (!(error instanceof GalleyError)) throw error;
      store.setState({ error, preview: before, engineMs: clock() - start });
    }
    later(() => check(preset));
  }

  let checked: Preset | undefined;
  function check(preset: Preset): void {
    if (isClosed || document.store.getState().preset !== preset) return;
    const ofPreset = checked === preset ? ofChecked : checkPreset(preset);
    [checked, ofChecked] = [preset, ofPreset];
    const { preview, error } = store.getState();
    store.setState({ problems: [...ofPreset, ...(error ? [] : (preview?.build.problems ?? []))] });
  }
  let ofChecked: readonly Problem[] = [];

  /** Digest and cost look at every message: they may come a moment later than the preview. */
  function finish(preview: Preview, edit: EditName | undefined): void {
    if (isClosed || store.getState().preview !== preview) return;
    const { messages, stablePrefix } = preview.build;
    sent ??= { messages, stablePrefix };
    const { cached, kept } = cacheCost(sent, messages, account);
    const lost = (lastKept ?? cached) - kept;
    lastKept = kept;
    const { cost } = store.getState();
    store.setState({
      digest: digestOf(preview.build),
      cost: edit ? { edit, cached, kept, lost } : cost && { ...cost, cached, kept },
    });
  }

  /** Another model, budget or conversation begins anew, unless it is known what was sent. */
  function forget(): void {
    if (!isSentKnown) sent = undefined;
    lastKept = undefined;
    store.setState({ cost: undefined });
  }

  const unsubscribe = document.store.subscribe((state, before) => {
    if (state.preset === before.preset) return;
    const { history } = state;
    rebuild((history.done.length >= before.history.done.length ? history.done : history.undone).at(-1)?.name);
  });
  rebuild(undefined);
  return {
    store,
    set(change) {
      if (change.tokenizer) account = tokenAccount(change.tokenizer);
      store.setState(change);
      forget();
      rebuild(undefined);
    },
    setHistory(history) {
      sent = history.sent;
      isSentKnown = sent !== undefined;
      store.setState({ entries: history.entries });
      forget();
      rebuild(undefined);
    },
    close() {
      isClosed = true;
      unsubscribe();
    },
  };
}

import {
  GalleyError,
  type Preset,
  type Problem,
  type TokenAccount,
  type Tokenizer,
  type ToolSpec,
  canonicalJson,
  checkPreset,
  digestOf,
  tokenAccount,
} from "@galley/engine";
import { type StoreApi, createStore } from "zustand/vanilla";
import {
  type CacheCost,
  type Preview,
  type PreviewRequest,
  cacheCost,
  computePreview,
  computeFinished,
  isUnfinished,
} from "./compute-preview.ts";
import type { EditName } from "../i18n/compose-edits.ts";
import { type LoadedHistory, type SentBuild, usualSettings } from "./history-source.ts";
import { madeOnce } from "./made-once.ts";
import type { PresetDocument } from "./preset-document.ts";
import { roughTokenizer } from "./rough-tokenizer.ts";

/** What an edit did to the provider's cache. */
interface EditCost extends CacheCost {
  readonly edit: EditName;
  /** Cached tokens that this one edit threw away; below 0 when it brought some back. */
  readonly lost: number;
}

export interface PreviewState extends Omit<PreviewRequest, "preset" | "account" | "now"> {
  /** The budget that the place has, or the model, unless somebody says otherwise. */
  readonly limit: number;
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

/** Rebuilds the document with every edit, before the page draws, so that what is seen is never old. */
export class PreviewStore {
  readonly store: StoreApi<PreviewState>;
  readonly #document: PresetDocument;
  readonly #options: PreviewOptions;
  readonly #unsubscribe: () => void;
  #account = tokenAccount(roughTokenizer);
  #sent: SentBuild | undefined;
  #isSentKnown = false;
  /** How much of the cache was left after the edit before. */
  #lastKept: number | undefined;
  #isClosed = false;

  constructor(document: PresetDocument, options: PreviewOptions) {
    this.#document = document;
    this.#options = options;
    this.store = createStore<PreviewState>(() => ({ ...empty, model: options.model, budget: options.budget }));
    this.#unsubscribe = document.store.subscribe((state, before) => {
      if (state.preset === before.preset) return;
      const { done, undone } = state.history;
      this.#rebuild((done.length >= before.history.done.length ? done : undone).at(-1)?.name);
    });
    this.#rebuild(undefined);
  }

  set(change: Partial<Pick<PreviewState, "model" | "budget" | "limit" | "userProfile" | "say" | "tokenizer">>): void {
    if (change.tokenizer) this.#account = tokenAccount(change.tokenizer);
    this.store.setState(change);
    this.#begin();
  }

  /** What counts the tokens of this page. */
  get account(): TokenAccount {
    return this.#account;
  }

  /** What the preview is built of. */
  request(): PreviewRequest {
    const { preset } = this.#document.store.getState();
    return { ...this.store.getState(), preset, account: this.#account, now: this.#options.now };
  }

  setHistory(history: LoadedHistory): void {
    const { entries, tools = noTools, settings = usualSettings, sent } = history;
    const before = this.store.getState();
    // Asked for again, for example after a save, it is mostly the same: what an edit cost stays said.
    const isSame =
      entries === before.entries &&
      tools === before.tools &&
      sent?.messages === (this.#isSentKnown ? this.#sent?.messages : undefined) &&
      canonicalJson(settings) === canonicalJson(before.settings);
    if (isSame) return;
    this.#sent = sent;
    this.#isSentKnown = sent !== undefined;
    this.store.setState({ entries, tools, settings });
    this.#begin();
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
  }

  /** Another model, budget or conversation starts over, unless it is known what was sent. */
  #begin(): void {
    if (!this.#isSentKnown) this.#sent = undefined;
    this.#lastKept = undefined;
    this.store.setState({ cost: undefined });
    this.#rebuild(undefined);
  }

  #rebuild(edit: EditName | undefined): void {
    const { clock, later } = this.#options;
    const request = this.request();
    const { preset } = request;
    const start = clock();
    try {
      const preview = computePreview(request);
      this.store.setState({ preview, error: undefined, engineMs: clock() - start });
      later(() => {
        this.#finish(preview, edit);
        this.#check(preset);
        if (isUnfinished(preview, request)) void this.#finishAsCall(preview, request, edit);
      });
    } catch (error) {
      if (!(error instanceof GalleyError)) throw error;
      this.store.setState({ error, engineMs: clock() - start });
      later(() => this.#check(preset));
    }
  }

  /** What a call would say of what goes comes a moment later: it takes as long as reading all of that. */
  async #finishAsCall(cut: Preview, request: PreviewRequest, edit: EditName | undefined): Promise<void> {
    const isCurrent = (): boolean => !this.#isClosed && this.store.getState().preview === cut;
    if (!isCurrent()) return;
    const preview = await computeFinished(request, this.store.getState().tokenizer);
    if (!isCurrent()) return;
    this.store.setState({ preview });
    this.#finish(preview, edit);
  }

  /** Digest and cost look at every message: they may come a moment later than the preview. */
  #finish(preview: Preview, edit: EditName | undefined): void {
    if (this.#isClosed || this.store.getState().preview !== preview) return;
    const { messages, stablePrefix } = preview.build;
    this.#sent ??= { messages, stablePrefix };
    const { cached, kept } = cacheCost(this.#sent, messages, this.#account);
    const lost = (this.#lastKept ?? cached) - kept;
    this.#lastKept = kept;
    const { cost } = this.store.getState();
    this.store.setState({
      digest: digestOf(preview.build),
      cost: edit ? { edit, cached, kept, lost } : cost && { ...cost, cached, kept },
    });
  }

  #check(preset: Preset): void {
    if (this.#isClosed || this.#document.store.getState().preset !== preset) return;
    const { preview, error } = this.store.getState();
    this.store.setState({ problems: [...problemsOf(preset), ...(error ? [] : (preview?.build.problems ?? []))] });
  }
}

const problemsOf = madeOnce((preset: Preset) => checkPreset(preset));

const noTools: readonly ToolSpec[] = [];

const empty: PreviewState = {
  model: "",
  budget: 1,
  limit: 1,
  entries: [],
  tools: noTools,
  settings: usualSettings,
  userProfile: "",
  say: "",
  tokenizer: roughTokenizer,
  preview: undefined,
  error: undefined,
  engineMs: 0,
  digest: undefined,
  cost: undefined,
  problems: [],
};

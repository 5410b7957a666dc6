import { type Preset, canonicalJson } from "@galley/engine";
import { applyPatches, enablePatches, produceWithPatches } from "immer";
import { type StoreApi, createStore } from "zustand/vanilla";
import type { DraftPreset } from "./document-draft.ts";
import { type KeptDocument, type TextStorage, readKept, writeKept } from "./document-storage.ts";
import { type Edit, type EditHistory, type Step, noHistory, pushEdit, stepBack, stepForward } from "./edit-history.ts";
import type { EditName } from "../i18n/compose-edits.ts";

enablePatches();

export interface SavedPreset {
  readonly preset: Preset;
  readonly version: number;
}

/** The library of presets, as far as one document needs it. */
export interface PresetLibrary {
  save(request: { preset: Preset; expectedVersion: number; label: string }): Promise<SavedPreset>;
  load(): Promise<SavedPreset>;
  /** What a save would be refused for; it is kept in the browser until it is put right. */
  problemOf(preset: Preset): Error | undefined;
  /** True for the error that says that someone else has saved in the meantime. */
  isConflict(error: unknown): boolean;
}

type SaveStatus = "saved" | "waiting" | "saving" | "failed" | "conflict";

export interface DocumentState {
  readonly preset: Preset;
  /** The version that the library has, as far as this page knows. */
  readonly version: number;
  readonly history: EditHistory;
  readonly status: SaveStatus;
  readonly error?: unknown;
  /** What the library has instead, while both have to be brought together. */
  readonly theirs?: SavedPreset;
}

export interface PresetDocumentOptions {
  readonly id: string;
  readonly saved: SavedPreset;
  readonly library: PresetLibrary;
  readonly storage: TextStorage;
  readonly now: () => number;
  /** Milliseconds of rest before edits are saved. */
  readonly saveAfter?: number;
}

/** A preset as something that is edited: undo, redo, autosave, and nothing lost on a reload. */
export class PresetDocument {
  readonly id: string;
  readonly store: StoreApi<DocumentState>;
  readonly #options: PresetDocumentOptions;
  /** What has been done since the last save. */
  #labels: Set<string>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(options: PresetDocumentOptions) {
    const { id, saved, storage } = options;
    const opened = openState(saved, readKept(storage, id));
    this.id = id;
    this.#options = options;
    this.#labels = new Set(opened.status === "saved" ? [] : ["edits before a reload"]);
    this.store = createStore<DocumentState>(() => opened);
    if (opened.status === "waiting") this.#wait();
  }

  /** Changes the document by a named edit. Edits of one `thing` that follow closely are taken back together. */
  edit(name: EditName, recipe: (draft: DraftPreset) => void, thing?: string): void {
    const { preset, history } = this.store.getState();
    const [next, patches, inverse] = produceWithPatches(preset, (draft: DraftPreset) => {
      recipe(draft);
    });
    if (next === preset || patches.length === 0) return;
    const at = this.#options.now();
    const edit: Edit = { name, at, patches, inverse, ...(thing === undefined ? {} : { thing }) };
    this.#change(next, pushEdit(history, edit), name);
  }

  /** Takes the last edit back and says which it was. */
  undo(): EditName | undefined {
    const step = stepBack(this.store.getState().history);
    return step && this.#move(step, step.edit.inverse, "undo");
  }

  redo(): EditName | undefined {
    const step = stepForward(this.store.getState().history);
    return step && this.#move(step, step.edit.patches, "redo");
  }

  /** Saves what is not saved yet, without waiting for a rest. */
  async saveNow(): Promise<void> {
    clearTimeout(this.#timer);
    this.#saving = this.#saving.then(() => this.#save());
    await this.#saving;
    if (this.store.getState().status === "waiting") this.#wait();
  }

  /** Ends a conflict: mine is saved over theirs (which stays as a version), or theirs takes the place of mine. */
  async settle(choice: "mine" | "theirs"): Promise<void> {
    const { theirs } = this.store.getState();
    if (!theirs) return;
    if (choice === "mine") {
      this.store.setState({ version: theirs.version, status: "waiting", theirs: undefined });
      await this.saveNow();
      return;
    }
    const history = replaced(this.store.getState(), theirs.preset, this.#options.now());
    this.#labels.clear();
    this.store.setState({ ...theirs, history, status: "saved", theirs: undefined });
    this.#keep();
  }

  /** Saves and stops. */
  async close(): Promise<void> {
    this.#keep();
    await this.saveNow();
    clearTimeout(this.#timer);
  }

  #move({ edit, history }: Step, patches: Edit["patches"], verb: string): EditName {
    this.#change(applyPatches(this.store.getState().preset, [...patches]), history, `${verb}: ${edit.name}`);
    return edit.name;
  }

  #change(preset: Preset, history: EditHistory, label: string): void {
    this.#labels.add(label);
    const { status } = this.store.getState();
    this.store.setState({ preset, history, status: status === "conflict" ? "conflict" : "waiting" });
    this.#wait();
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.saveNow(), this.#options.saveAfter ?? 600);
  }

  #keep(): void {
    const { version, preset, history, status } = this.store.getState();
    const kept = { version, history, ...(status === "saved" ? {} : { unsaved: preset }) };
    writeKept(this.#options.storage, this.id, kept);
  }

  async #save(): Promise<void> {
    const { library } = this.#options;
    const { preset, version, status } = this.store.getState();
    if (status !== "waiting" && status !== "failed") return;
    const refused = library.problemOf(preset);
    if (refused) this.store.setState({ status: "failed", error: refused });
    else await this.#send({ preset, version });
    this.#keep();
  }

  async #send({ preset, version }: SavedPreset): Promise<void> {
    const { library } = this.#options;
    const labels = this.#labels;
    this.#labels = new Set();
    this.store.setState({ status: "saving", error: undefined });
    this.#keep();
    try {
      const saved = await library.save({ preset, expectedVersion: version, label: labelOf(labels) });
      const isCurrent = this.store.getState().preset === preset;
      this.store.setState({ version: saved.version, status: isCurrent ? "saved" : "waiting" });
    } catch (error) {
      this.#labels = new Set([...labels, ...this.#labels]);
      const theirs = library.isConflict(error) ? await library.load().catch(() => undefined) : undefined;
      this.store.setState(theirs ? { status: "conflict", theirs } : { status: "failed", error });
    }
  }
}

/** What the library has, with what the browser kept of it: a conflict where both have gone on from the same version. */
function openState(saved: SavedPreset, kept: KeptDocument | undefined): DocumentState {
  const { preset, version } = saved;
  const plain: DocumentState = { preset, version, history: noHistory, status: "saved" };
  if (!kept) return plain;
  const { unsaved, history } = kept;
  if (!unsaved) return kept.version === version ? { ...plain, history } : plain;
  // The answer to the last save may have been lost with the page.
  if (canonicalJson(unsaved) === canonicalJson(preset)) return { ...plain, history };
  const mine = { preset: unsaved, version: kept.version, history };
  return kept.version === version ? { ...mine, status: "waiting" } : { ...mine, status: "conflict", theirs: saved };
}

/** Their version takes the place of mine as an edit, so that mine can be had back. */
function replaced({ preset, history }: DocumentState, next: Preset, at: number): EditHistory {
  const patch = (value: Preset): Edit["patches"] => [{ op: "replace", path: [], value }];
  return pushEdit(history, { name: "take other version", at, patches: patch(next), inverse: patch(preset) });
}

function labelOf(labels: ReadonlySet<string>): string {
  const text = [...labels].join(", ");
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

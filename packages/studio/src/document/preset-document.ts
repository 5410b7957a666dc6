import type { Preset } from "@galley/engine";
import { applyPatches, enablePatches, produceWithPatches } from "immer";
import { type StoreApi, createStore } from "zustand/vanilla";
import type { DraftPreset } from "./document-draft.ts";
import { type TextStorage, openKept, readKept, writeKept } from "./document-storage.ts";
import { type Edit, type EditHistory, pushEdit, stepBack, stepForward } from "./edit-history.ts";
import type { EditName } from "./edit-names.ts";

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

export type SaveStatus = "saved" | "waiting" | "saving" | "failed" | "conflict";

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

export interface PresetDocument {
  readonly id: string;
  readonly store: StoreApi<DocumentState>;
  /** Changes the document by a named edit. Edits of one `thing` that follow closely are taken back together. */
  edit(name: EditName, change: (draft: DraftPreset) => void, thing?: string): void;
  /** Takes the last edit back and says which it was. */
  undo(): EditName | undefined;
  redo(): EditName | undefined;
  /** Saves what is not saved yet, without waiting for a rest. */
  saveNow(): Promise<void>;
  /** Ends a conflict: mine is saved over theirs (which stays as a version), or theirs takes the place of mine. */
  settle(choice: "mine" | "theirs"): Promise<void>;
  /** Saves and stops. */
  close(): Promise<void>;
}

/** A preset as something that is edited: undo, redo, autosave, and nothing lost on a reload. */
export function presetDocument(options: PresetDocumentOptions): PresetDocument {
  const { id, library, storage, now, saveAfter = 600 } = options;
  const opened = openKept(options.saved, readKept(storage, id));
  const store = createStore<DocumentState>(() => ({
    preset: opened.preset,
    version: opened.version,
    history: opened.history,
    status: opened.isConflict ? "conflict" : opened.isUnsaved ? "waiting" : "saved",
    ...(opened.isConflict ? { theirs: options.saved } : {}),
  }));
  let labels = new Set<string>(opened.isUnsaved ? ["edits before a reload"] : []);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;

  const keep = (): void => {
    const { version, preset, history, status } = store.getState();
    writeKept(storage, id, { version, history, ...(status === "saved" ? {} : { unsaved: preset }) });
  };
  const wait = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void saveNow(), saveAfter);
  };
  const change = (preset: Preset, history: EditHistory, label: string): void => {
    labels.add(label);
    const { status } = store.getState();
    store.setState({ preset, history, status: status === "conflict" ? "conflict" : "waiting" });
    wait();
  };

  async function saveOnce(): Promise<void> {
    const { preset, version, status } = store.getState();
    if (status !== "waiting" && status !== "failed") return;
    const refused = library.problemOf(preset);
    if (refused) {
      store.setState({ status: "failed", error: refused });
      keep();
      return;
    }
    const saving = labels;
    labels = new Set();
    store.setState({ status: "saving", error: undefined });
    keep();
    try {
      const saved = await library.save({ preset, expectedVersion: version, label: labelOf(saving) });
      const isCurrent = store.getState().preset === preset;
      store.setState({ version: saved.version, status: isCurrent ? "saved" : "waiting" });
    } catch (error) {
      labels = new Set([...saving, ...labels]);
      if (library.isConflict(error)) {
        const theirs = await library.load().catch(() => undefined);
        store.setState(theirs ? { status: "conflict", theirs } : { status: "failed", error });
      } else store.setState({ status: "failed", error });
    }
    keep();
  }

  async function saveNow(): Promise<void> {
    clearTimeout(timer);
    while (running) await running;
    running = saveOnce();
    await running;
    running = undefined;
    if (store.getState().status === "waiting") wait();
  }

  const move = (step: ReturnType<typeof stepBack>, patchesOf: (edit: Edit) => Edit["patches"], verb: string) => {
    if (!step) return undefined;
    const preset = applyPatches(store.getState().preset, [...patchesOf(step.edit)]);
    change(preset, step.history, `${verb}: ${step.edit.name}`);
    return step.edit.name;
  };

  if (opened.isUnsaved && !opened.isConflict) wait();
  return {
    id,
    store,
    edit(name, recipe, thing) {
      const { preset, history } = store.getState();
      const [next, patches, inverse] = produceWithPatches(preset, (draft: DraftPreset) => void recipe(draft));
      if (next === preset || patches.length === 0) return;
      const edit: Edit = { name, at: now(), patches, inverse, ...(thing === undefined ? {} : { thing }) };
      change(next, pushEdit(history, edit), name);
    },
    undo: () => move(stepBack(store.getState().history), (edit) => edit.inverse, "undo"),
    redo: () => move(stepForward(store.getState().history), (edit) => edit.patches, "redo"),
    saveNow,
    async settle(choice) {
      const { theirs } = store.getState();
      if (!theirs) return;
      if (choice === "mine") {
        store.setState({ version: theirs.version, status: "waiting", theirs: undefined });
        await saveNow();
        return;
      }
      const history = replaced(store.getState(), theirs.preset, now());
      labels.clear();
      store.setState({ ...theirs, history, status: "saved", theirs: undefined });
      keep();
    },
    async close() {
      keep();
      await saveNow();
      clearTimeout(timer);
    },
  };
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

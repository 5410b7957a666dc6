import type { Preset, Problem } from "@galley/engine";

export interface PresetItem {
  readonly id: string;
  readonly name?: string;
  readonly mode: "simple" | "advanced";
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  readonly templates: number;
  readonly recipes: number;
}

/** A preset as it was saved. */
export interface SavedPreset {
  readonly id: string;
  /** Rises with every save; 0 for the preset that is built in. */
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** What was done, for a list of versions. */
  readonly label?: string;
  readonly preset: Preset;
  /** What is not wrong enough to refuse it. */
  readonly problems: readonly Problem[];
}

export interface PresetVersion {
  readonly version: number;
  readonly savedAt: number;
  readonly label?: string;
}

export interface SavePreset {
  /** Checked here: it may come from outside. */
  readonly preset: unknown;
  /** The version that it was made from; 0 for a new one. Another present version is a `PresetConflict`. */
  readonly expectedVersion: number;
  readonly label?: string;
}

/** The presets of a data folder. Every save is kept as a version. */
export interface PresetLibrary {
  /** By id. The built-in `default` is among them while the library has none of that name. */
  list(): Promise<readonly PresetItem[]>;
  get(id: string): Promise<SavedPreset>;
  save(id: string, request: SavePreset): Promise<SavedPreset>;
  /** Its versions stay until the name is used again. */
  delete(id: string): Promise<void>;
  /** Newest first. */
  versions(id: string): Promise<readonly PresetVersion[]>;
  version(id: string, version: number): Promise<SavedPreset>;
}

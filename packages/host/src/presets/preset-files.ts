import { join } from "node:path";
import { GalleyError, type Preset, type Problem, parseJson, parsePreset } from "@galley/engine";
import * as z from "zod";
import { exists, isFolder, namesIn, removeFiles, stampOf } from "../disk/data-files.ts";
import { encodeChatKey } from "../disk/encode-chat-key.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { syncFolder } from "../disk/private-folder.ts";
import { type VersionedFiles, versionedFiles } from "../disk/versioned-files.ts";

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

const fileSchema = z.looseObject({
  v: z.literal(1),
  id: z.string(),
  version: z.int().min(1),
  savedAt: z.number(),
  label: z.string().optional(),
  preset: z.unknown(),
});

const names = { prefix: "v", digits: 6 };
/** Says that the preset was deleted; its versions stay beside it until the name is used again. */
const graveName = "deleted.json";

/** The files of one preset: a folder with one file for each version. */
export interface PresetFiles {
  /** Numbers, oldest first; none when there is no such preset. */
  versions(): readonly number[];
  /** Those of a preset that was deleted too. */
  allVersions(): readonly number[];
  read(version: number): SavedPreset;
  /** A text that differs after every change: of the folder, where versions come and go, or of one version's file. */
  stamp(version?: number): string;
  /** Says no when another process has written this version without the lock, as on a disk that two machines share. */
  write(saved: SavedPreset): Promise<boolean>;
  bury(): Promise<void>;
}

export function presetFiles(library: string, id: string): PresetFiles {
  const folder = join(library, encodeChatKey(id));
  const grave = join(folder, graveName);
  const files = versionedFiles(folder, names);
  return {
    versions: () => (exists(grave) ? [] : files.versions()),
    allVersions: () => files.versions(),
    read: (version) => readVersion(files, version),
    stamp: (version) => stampOf(version === undefined ? folder : files.fileOf(version))?.stamp ?? "",
    async write({ version, updatedAt: savedAt, label, preset }) {
      const isReused = exists(grave);
      if (isReused) files.remove(files.versions());
      const content = { v: 1, id, version, savedAt, label, preset };
      const isAdded = await files.add(version, `${JSON.stringify(content, null, 2)}\n`);
      if (isAdded && isReused) {
        removeFiles(grave);
        syncFolder(folder);
      }
      return isAdded;
    },
    bury: () => replaceFile(grave, ['{"v":1}\n']),
  };
}

function readVersion(files: VersionedFiles, version: number): SavedPreset {
  const file = files.fileOf(version);
  const parsed = parseJson(files.read(version), { what: `file ${file}`, path: file });
  const { success, data } = fileSchema.safeParse(parsed);
  if (!success && isNewer(parsed)) {
    throw new GalleyError("DataNewer", `${file} was written by a newer version of Galley.`, {
      path: file,
      hint: "Use the Galley that wrote it, or a newer one. Nothing was changed.",
    });
  }
  if (!success) {
    const hint = "Delete the file, or bring it back from a backup; the other versions are not harmed.";
    throw new GalleyError("DataDamaged", `${file} does not hold a version of a preset.`, { path: file, hint });
  }
  const { id, savedAt: updatedAt, label } = data;
  const { preset, warnings: problems } = parsePreset(data.preset);
  return { id, version: data.version, updatedAt, label, preset, problems };
}

function isNewer(content: unknown): boolean {
  const { success, data } = z.looseObject({ v: z.number() }).safeParse(content);
  return success && data.v > 1;
}

export function presetIds(library: string): readonly string[] {
  return namesIn(library).flatMap((name) => {
    const folder = join(library, name);
    if (!isFolder(folder) || exists(join(folder, graveName))) return [];
    const files = versionedFiles(folder, names);
    const newest = files.versions().at(-1);
    if (newest === undefined) return [];
    try {
      return [readVersion(files, newest).id];
    } catch {
      // Asking for it by name says what is wrong with it; other presets still load.
      return [];
    }
  });
}

import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { GalleyError, type Preset, type Problem, parseJson, parsePreset } from "@galley/engine";
import * as z from "zod";
import { encodeChatKey } from "../disk/encode-chat-key.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { makeFolder, syncFolder } from "../disk/private-folder.ts";
import { storageError } from "../disk/storage-error.ts";

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

const versionName = /^v(\d{6,})\.json$/;
/** Says that the preset was deleted; its versions stay beside it until the name is used again. */
const graveName = "deleted.json";

/** The files of one preset: a folder with one file for each version. */
export interface PresetFiles {
  /** Numbers, oldest first; none when there is no such preset. */
  versions(): readonly number[];
  /** Those of a preset that was deleted too. */
  allVersions(): readonly number[];
  read(version: number): SavedPreset;
  write(saved: SavedPreset): Promise<void>;
  bury(): Promise<void>;
}

export function presetFiles(library: string, id: string): PresetFiles {
  const folder = join(library, encodeChatKey(id));
  const grave = join(folder, graveName);
  const fileOf = (version: number): string => join(folder, `v${String(version).padStart(6, "0")}.json`);
  const allVersions = (): number[] => {
    if (!existsSync(folder)) return [];
    const numbers = readdirSync(folder).flatMap((name) => versionName.exec(name)?.[1] ?? []);
    return numbers.map(Number).sort((a, b) => a - b);
  };
  return {
    versions: () => (existsSync(grave) ? [] : allVersions()),
    allVersions,
    read: (version) => readVersion(fileOf(version)),
    async write({ version, updatedAt: savedAt, label, preset }) {
      makeFolder(folder);
      const content = { v: 1, id, version, savedAt, label, preset };
      try {
        const isReused = existsSync(grave);
        if (isReused) for (const old of allVersions()) rmSync(fileOf(old), { force: true });
        await replaceFile(fileOf(version), [`${JSON.stringify(content, null, 2)}\n`]);
        if (!isReused) return;
        rmSync(grave, { force: true });
        syncFolder(folder);
      } catch (cause) {
        throw storageError(cause, fileOf(version), "written");
      }
    },
    bury: () => replaceFile(grave, ['{"v":1}\n']),
  };
}

function readVersion(file: string): SavedPreset {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw storageError(cause, file, "read");
  }
  const parsed = parseJson(text, { what: `file ${file}`, path: file });
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
  const { id, version, savedAt: updatedAt, label } = data;
  const { preset, warnings: problems } = parsePreset(data.preset);
  return { id, version, updatedAt, ...(label === undefined ? {} : { label }), preset, problems };
}

function isNewer(content: unknown): boolean {
  const { success, data } = z.looseObject({ v: z.number() }).safeParse(content);
  return success && data.v > 1;
}

/** The ids of the presets of a library. */
export function presetIds(library: string): readonly string[] {
  if (!existsSync(library)) return [];
  return readdirSync(library, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory() || existsSync(join(library, entry.name, graveName))) return [];
    const newest = readdirSync(join(library, entry.name))
      .filter((name) => versionName.test(name))
      .sort()
      .at(-1);
    if (newest === undefined) return [];
    try {
      return [readVersion(join(library, entry.name, newest)).id];
    } catch {
      // Asking for it by name says what is wrong with it; other presets still load.
      return [];
    }
  });
}

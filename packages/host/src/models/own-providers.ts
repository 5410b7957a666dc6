import { GalleyError } from "@galley/engine";
import * as z from "zod";
import { providerName } from "../config/models-schema.ts";
import { exists } from "../disk/data-files.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { folderIdentity, readUserFile, userFile } from "../disk/user-file.ts";

const ownProvider = z.strictObject({
  name: providerName,
  type: z.enum(["openai", "anthropic", "google", "openai-compatible"]),
  /** With the address that it was entered for: a key is sent nowhere else. */
  baseUrl: z.string(),
  apiKey: z.string().min(1).optional(),
  /** Those that the server named when it was last asked. */
  models: z.array(z.string()).default([]),
});

const savedProviders = z.object({ version: z.literal(1), born: z.string(), providers: z.array(ownProvider) });

/** A provider of models that a person has added, by Studio or by `galley provider add`. */
export type OwnProvider = Readonly<z.output<typeof ownProvider>>;

/** Where the providers that a person has added to a data folder are kept. */
export interface OwnProviders {
  read(): readonly OwnProvider[];
  /** Changes what is there by now; gives what is written. */
  change(by: (providers: readonly OwnProvider[]) => readonly OwnProvider[]): Promise<readonly OwnProvider[]>;
}

/**
 * A file in the user's configuration folder with mode 0600, and never one below the data folder, beside which agents work and
 * which is copied and handed on. It belongs to the folder by device, inode and time of birth.
 */
export function ownProviders(dataFolder: string): OwnProviders {
  const place = (): string => {
    const kept = userFile("providers", dataFolder);
    if ("file" in kept) return kept.file;
    throw new GalleyError("UnsafePath", `No provider can be kept for this data folder. ${kept.problem}`, {
      hint: "Declare it in galley.config, with its key in an environment variable.",
    });
  };
  const read = (): readonly OwnProvider[] => {
    if (!exists(dataFolder)) return [];
    const kept = userFile("providers", dataFolder);
    const saved = "file" in kept ? readSaved(kept.file) : undefined;
    return saved?.born === folderIdentity(dataFolder).born ? saved.providers : [];
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    read,
    change(by) {
      const changed = last.then(async () => {
        const file = place();
        const providers = by(read());
        const { born } = folderIdentity(dataFolder);
        await replaceFile(file, [`${JSON.stringify({ version: 1, born, providers }, null, 2)}\n`]);
        return providers;
      });
      last = changed.catch(() => undefined);
      return changed;
    },
  };
}

/** A file that cannot be understood gives no provider; one of a newer Galley is not written over. */
function readSaved(file: string): z.output<typeof savedProviders> | undefined {
  const content = readUserFile(file);
  const { success, data } = z.looseObject({ version: z.number() }).safeParse(content);
  if (success && data.version > 1) {
    throw new GalleyError("DataNewer", `${file} was written by a newer version of Galley.`, {
      path: file,
      hint: "Use the Galley that wrote it, or a newer one. Nothing was changed.",
    });
  }
  return savedProviders.safeParse(content).data;
}

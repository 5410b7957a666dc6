import { GalleyError } from "@galley/engine";
import * as z from "zod";
import { exists } from "./data-files.ts";
import { replaceFile } from "./replace-file.ts";
import { folderIdentity, readUserFile, userFile } from "./user-file.ts";

/** What a person has added to a data folder, by Studio or by a command, and not in galley.config. */
export interface KeptList<Item> {
  read(): readonly Item[];
  /** Changes what is there by now; gives what is written. */
  change(by: (items: readonly Item[]) => readonly Item[]): Promise<readonly Item[]>;
}

/**
 * A file in the user's configuration folder with mode 0600, and never one below the data folder, beside which agents work and
 * which is copied and handed on. It belongs to the folder by device, inode and time of birth.
 */
export function keptList<Item>(
  kind: "providers" | "agents",
  item: z.ZodType<Item>,
  dataFolder: string,
): KeptList<Item> {
  const schema = z.object({ version: z.literal(1), born: z.string(), [kind]: z.array(item) });
  const place = (): string => {
    const kept = userFile(kind, dataFolder);
    if ("file" in kept) return kept.file;
    throw new GalleyError("UnsafePath", `No ${kind} can be kept for this data folder. ${kept.problem}`, {
      hint: "Declare them in galley.config, with keys in environment variables.",
    });
  };
  const read = (): readonly Item[] => {
    if (!exists(dataFolder)) return [];
    const kept = userFile(kind, dataFolder);
    const content = "file" in kept ? readKnown(kept.file) : undefined;
    // A file that cannot be understood gives nothing.
    const { data } = schema.safeParse(content);
    return data?.["born"] === folderIdentity(dataFolder).born ? (data[kind] as Item[]) : [];
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    read,
    change(by) {
      const changed = last.then(async () => {
        const file = place();
        const items = by(read());
        const { born } = folderIdentity(dataFolder);
        await replaceFile(file, [`${JSON.stringify({ version: 1, born, [kind]: items }, null, 2)}\n`]);
        return items;
      });
      last = changed.catch(() => undefined);
      return changed;
    },
  };
}

/** One of a newer Galley is not written over. */
function readKnown(file: string): unknown {
  const content = readUserFile(file);
  const { success, data } = z.looseObject({ version: z.number() }).safeParse(content);
  if (!success || data.version <= 1) return content;
  throw new GalleyError("DataNewer", `${file} was written by a newer version of Galley.`, {
    path: file,
    hint: "Use the Galley that wrote it, or a newer one. Nothing was changed.",
  });
}

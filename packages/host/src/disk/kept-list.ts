import { GalleyError } from "@galley/engine";
import * as z from "zod";
import { dirname } from "node:path";
import { exists, removeFiles } from "./data-files.ts";
import { folderLock } from "./folder-lock.ts";
import { abandonedDrafts, replaceFile } from "./replace-file.ts";
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
  const itemsIn = (content: unknown): readonly Item[] | undefined => {
    const { data } = schema.safeParse(content);
    if (!data) return undefined;
    return data["born"] === folderIdentity(dataFolder).born ? (data[kind] as Item[]) : [];
  };
  return {
    read() {
      if (!exists(dataFolder)) return [];
      const kept = userFile(kind, dataFolder);
      // A file that cannot be understood gives nothing.
      return ("file" in kept ? itemsIn(readKnown(kept.file)) : undefined) ?? [];
    },
    async change(by) {
      const file = place();
      // Two commands at once: what one has said that it keeps, the other must not leave out.
      const lock = folderLock(`${file}.lock`, { patience });
      try {
        return await lock.hold(async () => {
          const before = exists(file) ? itemsIn(readKnown(file)) : [];
          // It may hold the only copy of a key.
          if (!before) throw damaged(file);
          const items = by(before);
          const { born } = folderIdentity(dataFolder);
          await replaceFile(file, [`${JSON.stringify({ version: 1, born, [kind]: items }, null, 2)}\n`]);
          // A process that was killed has left its draft, with the keys that it was about to write.
          removeFiles(...abandonedDrafts(dirname(file)));
          return items;
        });
      } finally {
        await lock.close();
      }
    },
  };
}

/** File systems that do not tell cases apart must not mix two of them up. */
export function isNamed(name: string, wanted: string): boolean {
  return name.toLowerCase() === wanted.toLowerCase();
}

/** In ms: a change takes a few. */
const patience = 10_000;

function damaged(file: string): GalleyError {
  return new GalleyError("DataDamaged", `${file} cannot be understood, and was not changed.`, {
    path: file,
    hint: "Correct it, or move it away to begin again; what is in it may be the only copy of a key.",
  });
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

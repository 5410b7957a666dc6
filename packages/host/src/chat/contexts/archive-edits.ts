import { dirname, join } from "node:path";
import { GalleyError, redactSecrets } from "@galley/engine";
import { archiveFile, checkContextId, withoutRedacted } from "./archive-file.ts";
import type { ArchiveEdits } from "./context-types.ts";
import type { SwitchesInput } from "./context-switches.ts";
import { importArchive } from "./import-archive.ts";
import { readArchive, updateArchive } from "./read-archive.ts";
import { exists, moveEntry, removeFiles, removeFolder, unsafeEntries } from "../../disk/data-files.ts";
import { syncFolder } from "../../disk/private-folder.ts";
import { removeStoreCopies } from "../../disk/store-files.ts";
import { unknownContext } from "./archive-note.ts";

/** What can be done with a single archive [W4b]. */
export function archiveEdits(input: SwitchesInput): ArchiveEdits {
  const { dataFolder, paths, writer, index, redactions, options } = input;
  return {
    readContext(contextId) {
      const archive = readArchive(paths, contextId);
      if (!archive) throw unknownContext(contextId);
      return withoutRedacted(archive, redactions());
    },
    importArchive: (source, messages) => importArchive(input, source, messages),
    async renameContext(contextId, given) {
      const title = redactSecrets(given, options.secrets ?? {});
      if (title.trim() === "") {
        throw new GalleyError("ContextInvalidInput", "A title must not be empty.", { path: "title" });
      }
      if (!exists(archiveFile(paths.archive, contextId))) throw unknownContext(contextId);
      await writer.hold(() => updateArchive(paths, contextId, (archive) => ({ ...archive, title })));
      await index.list();
    },
    async deleteContext(contextId, confirmation) {
      checkConfirmation(checkContextId(contextId), confirmation);
      const file = archiveFile(paths.archive, contextId);
      if (!exists(file)) throw unknownContext(contextId);
      const removal = removeStoreCopies(dataFolder);
      await writer.hold(async () => {
        removeFiles(file);
        syncFolder(paths.archive);
      });
      await index.list();
      return removal;
    },
  };
}

export function checkConfirmation(name: string, confirmation: string): void {
  if (name === confirmation) return;
  throw new GalleyError("BadUsage", `What is deleted is gone: ${JSON.stringify(name)} must be confirmed.`, {
    hint: "Give the same name once more as the confirmation.",
  });
}

/** Moved away first, so that it is gone at once or not at all. What holds a link stays: only the link could be removed. */
export function removeChat(folder: string): void {
  const [unsafe] = unsafeEntries(folder);
  if (unsafe) throw unsafe;
  const grave = join(dirname(folder), `.deleted-${process.pid}-${Date.now()}`);
  moveEntry(folder, grave);
  syncFolder(dirname(folder));
  removeFolder(grave);
}

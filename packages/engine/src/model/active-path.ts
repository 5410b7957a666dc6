import type { SessionEntry } from "./entries.ts";
import type { Problem } from "./errors.ts";

export interface ActivePath {
  /** From the root to the leaf. */
  readonly entries: readonly SessionEntry[];
  readonly problems: readonly Problem[];
}

/**
 * The branch that is in force [M6]: from the leaf (the last entry, unless another is named) back to the root. An entry
 * follows its `parentId`, or else the entry before it in the log. A parent that does not exist, or does not come earlier,
 * makes its child a root; that is reported.
 */
export function activePath(entries: readonly SessionEntry[], leafId?: string): ActivePath {
  if (leafId === undefined && entries.every((entry) => entry.parentId === undefined)) return { entries, problems: [] };
  const indexes = new Map<string, number>();
  for (const [index, entry] of entries.entries()) if (!indexes.has(entry.id)) indexes.set(entry.id, index);
  const problems: Problem[] = [];
  const path: SessionEntry[] = [];
  let index = leafId === undefined ? entries.length - 1 : (indexes.get(leafId) ?? -1);
  if (leafId !== undefined && index < 0) problems.push(missing(leafId, "leafId", "There is no such leaf."));
  while (index >= 0) {
    const entry = entries[index] as SessionEntry;
    path.push(entry);
    if (entry.parentId === null) break;
    if (entry.parentId === undefined) {
      index -= 1;
      continue;
    }
    const parent = indexes.get(entry.parentId) ?? Infinity;
    if (parent >= index) {
      problems.push(
        missing(entry.parentId, entry.id, `The parent of entry ${JSON.stringify(entry.id)} does not come before it.`),
      );
      break;
    }
    index = parent;
  }
  return { entries: path.reverse(), problems };
}

function missing(id: string, path: string, message: string): Problem {
  return {
    severity: "warning",
    code: "UnknownReference",
    message: `${message} (${JSON.stringify(id)})`,
    path,
    hint: "What lies before it is not sent; check whether the file is whole.",
  };
}

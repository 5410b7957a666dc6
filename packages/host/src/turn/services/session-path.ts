import { GalleyError, type SessionEntry } from "@galley/engine";

/** The entries that one of a log follows, and itself, oldest first: of the last one if none is named [M6]. */
export function pathOf(log: readonly SessionEntry[], leafId?: string | null): readonly SessionEntry[] {
  const path: SessionEntry[] = [];
  let wanted = leafId;
  for (let index = log.length - 1; index >= 0 && wanted !== null; index -= 1) {
    const entry = log[index];
    if (!entry || (wanted !== undefined && entry.id !== wanted)) continue;
    path.push(entry);
    wanted = entry.parentId;
  }
  return path.toReversed();
}

/** For a session that is not there. */
export function noSession(id: string): GalleyError {
  const hint = "`galley session list` names those that there are.";
  return new GalleyError("NotFound", `There is no session ${JSON.stringify(id)}.`, { path: "session", hint });
}

import { basename } from "node:path";
import { GalleyError } from "@galley/engine";
import { type AppendToSession, type ImportLogOptions, type ImportedSession, importLog } from "@galley/engine/logs";
import type { ImportNote } from "@galley/engine/sillytavern";
import type { FoundLog } from "./agent-homes.ts";
import { readFound } from "./read-found.ts";

/** What became of an agent's session: its own log and those of its sub-agents. */
export interface OpenedLog {
  readonly id: string;
  readonly sessions: readonly ImportedSession[];
  readonly notes: readonly ImportNote[];
}

/** Imports the files of a session [L3]: importing again adds what is new. */
export async function importFound(
  id: string,
  files: readonly FoundLog[],
  append: AppendToSession,
  options: Pick<ImportLogOptions, "checkStop"> = {},
): Promise<OpenedLog> {
  const sessions: ImportedSession[] = [];
  const notes: ImportNote[] = [];
  for (const file of files) {
    const name = basename(file.path);
    const made = await importLog(readFound(file), append, { name: file.ownId, as: file.agent, ...options }).catch(
      asNote,
    );
    sessions.push(...made.sessions);
    notes.push(...made.notes.map((note) => ({ ...note, path: note.path === "" ? name : `${name}: ${note.path}` })));
  }
  return { id, sessions, notes };
}

/** A file of which nothing is understood, as one of a sub-agent that has not begun, is said and takes nothing from the others. */
function asNote(error: unknown): Pick<OpenedLog, "sessions" | "notes"> {
  if (!(error instanceof GalleyError) || error.code !== "ImportFailed") throw error;
  return { sessions: [], notes: [{ fate: "unsupported", path: "", message: error.message }] };
}

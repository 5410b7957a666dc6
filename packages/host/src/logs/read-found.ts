import { openForeign } from "../disk/foreign/foreign-files.ts";
import { readNamedText } from "../disk/named-files.ts";
import type { FoundLog } from "./agent-homes.ts";
import { type ReadOptions, databaseOf, linesOfFolder, linesOfSession } from "./opencode-store.ts";

/** As much of a file is read to learn what it is. */
const headBytes = 64 * 1024;
/** A document says nothing before it is whole; a larger one is read when it is opened. */
const maxDocument = 4 * 1024 * 1024;

/** The text of a log, in pieces, as `readLog` takes it. */
export function readFound(
  { agent, path, ownId }: Pick<FoundLog, "agent" | "path" | "ownId">,
  options: ReadOptions = {},
): AsyncIterable<string> {
  if (agent !== "opencode") return readNamedText(path);
  const database = databaseOf(path);
  const lines = database === undefined ? linesOfFolder(path, options) : linesOfSession(database, ownId, options);
  return ReadableStream.from(lines);
}

/** Whether what an agent wrote before may change, so that a log that has changed is read again from its start. */
export function isDocument({ agent, path }: Pick<FoundLog, "agent" | "path">): boolean {
  return agent === "opencode" || path.endsWith(".json");
}

/** The start of a log; all of it where it is small. Nothing where the start alone says nothing. */
export async function readHead(
  log: FoundLog,
): Promise<{ readonly text: string; readonly isWhole: boolean } | undefined> {
  if (isDocument(log)) {
    if (log.size > maxDocument) return undefined;
    const pieces: string[] = [];
    for await (const piece of readFound(log)) pieces.push(piece);
    return { text: pieces.join(""), isWhole: true };
  }
  const file = await openForeign(log.path);
  if (!file) return undefined;
  try {
    const bytes = await file.readAt(0, Math.min(headBytes, Math.max(1, log.size)));
    return { text: Buffer.from(bytes).toString("utf8"), isWhole: bytes.length >= log.size };
  } finally {
    await file.close();
  }
}

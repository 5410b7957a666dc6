import { basename, extname } from "node:path";
import { GalleyError, type Problem, type SessionEntry, parseSession, throwOnErrors } from "@galley/engine";
import { detectLog, readLog } from "@galley/engine/logs";
import { chatKeyOf } from "../../api/place-id.ts";
import type { Chat } from "../../chat/chat.ts";
import { exists } from "../../disk/data-files.ts";
import { readNamedText } from "../../disk/named-files.ts";
import { storeFile } from "../../disk/store-files.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readText } from "./files.ts";
import { isFileName, noPlaceError, wholePlace, withKnownChat } from "./place-names.ts";

/** The log of a place, or of a file. */
export interface Conversation {
  readonly id: string;
  readonly entries: readonly SessionEntry[];
}

/**
 * The conversations behind what a person named [V4]: a place of the data folder; the path of an agent's log or a session file, or
 * `-`. A log may hold several.
 */
export async function readConversations(
  place: string,
  data: string,
  terminal: Terminal,
): Promise<readonly Conversation[]> {
  if (place === "-") return fromLog(terminal.readPieces(), "stdin");
  if (await isFileName(place)) return fromLog(readNamedText(place), basename(place, extname(place)));
  const named = wholePlace(place);
  const key = chatKeyOf(named);
  if (key !== undefined) return [{ entries: await withKnownChat(data, key, allEntries), id: place }];
  const stored = exists(storeFile(data)) ? await fromStore(named.sessionId, data) : undefined;
  if (stored) return [stored];
  throw noPlaceError(place, data);
}

export interface Records {
  readonly entries: readonly SessionEntry[];
  readonly warnings: readonly Problem[];
}

/** The log of a place, or of a session file: what records of builds may stand in. An agent's log holds none, and is refused. */
export async function readRecords(place: string, data: string, terminal: Terminal): Promise<Records> {
  if (place === "-" || (await isFileName(place))) return readSession(place, terminal);
  const [conversation] = await readConversations(place, data, terminal);
  return { entries: conversation?.entries ?? [], warnings: [] };
}

async function readSession(file: string, terminal: Terminal): Promise<Records> {
  const text = await readText(file, terminal);
  const { entries, problems } = parseSession(text);
  if (entries.length === 0 && problems.length > 0) refuseLog(text, file);
  throwOnErrors(problems);
  return { entries, warnings: problems };
}

/** A log of an agent is not a session file; who gives one is told how it becomes one [L5]. */
function refuseLog(text: string, file: string): void {
  const format = detectLog(text);
  if (format === undefined || format === "galley") return;
  throw new GalleyError("SessionInvalid", `${file} is a log of ${format}, and not a session file.`, {
    path: file,
    hint: `Read it into a session first: galley import ${file}`,
  });
}

async function fromStore(sessionId: string, data: string): Promise<Conversation | undefined> {
  const { openStore } = await import("../../store/open-store.ts");
  const store = await openStore({ data });
  try {
    const entries = await store.sessions.read({ projectId: "default", sessionId });
    return entries.length === 0 ? undefined : { id: sessionId, entries };
  } finally {
    await store.close();
  }
}

/** The whole active context. */
export function allEntries(chat: Chat): readonly SessionEntry[] {
  return chat.entries({ maxMessages: Number.MAX_SAFE_INTEGER, maxCharacters: Number.MAX_SAFE_INTEGER });
}

async function fromLog(text: AsyncIterable<string> | Iterable<string>, name: string): Promise<readonly Conversation[]> {
  const log = readLog({ name });
  const found = new Map<string, SessionEntry[]>();
  const take = (entries: ReturnType<typeof log.push>["entries"]): void => {
    for (const { session, entry } of entries) {
      const own = found.get(session) ?? [];
      found.set(session, own);
      own.push(entry);
    }
  };
  for await (const piece of text) take(log.push(piece).entries);
  take(log.end().entries);
  return [...found].map(([id, entries]) => ({ id, entries }));
}

import { join } from "node:path";
import { GalleyError, type Problem } from "@galley/engine";
import { deriveTitle } from "../chat/contexts/archive-file.ts";
import { archivedIds } from "../chat/contexts/archive-index.ts";
import { messageId } from "../chat/lines/chat-line.ts";
import { logLines } from "../chat/lines/log-lines.ts";
import { readChatSettings } from "./chat-settings.ts";
import { type ChatPaths, chatKeyIn, chatPaths, chatsFolder, graveName } from "../chat/lines/chat-paths.ts";
import { readWindow, textOf } from "../chat/lines/read-window.ts";
import { redactionReader } from "../chat/lines/redactions.ts";
import { isFile, namesIn, stampOf } from "../disk/data-files.ts";
import { boundedMap } from "../limits/bounded-map.ts";
import { mapInSlices } from "../limits/in-slices.ts";
import type { ChatItem, ChatSettings } from "../turn/services/galley-ports.ts";

const previewLength = 120;
/** Of all chats together. */
const maxKnown = 20_000;
/** Within this time two changes of a folder may bear the same time, in ms. */
const clockStep = 100;

interface Listed {
  readonly chats: ChatItem[];
  readonly problems: readonly Problem[];
}

interface Known {
  /** Of the files that it was made of. */
  readonly stamp: string;
  readonly item: ChatItem | undefined;
}

/** Lists the chats of a data folder. Of each, files are looked at and not read, unless they have changed since the last time. */
export function chatLister(data: string): () => Promise<Listed> {
  const known = boundedMap<string, Known>(maxKnown, () => 1);
  const itemAt = (folder: string): ChatItem | undefined => {
    const paths = chatPaths(folder);
    const { stamp, newest, updatedAt } = looks(paths);
    const before = known.get(folder);
    if (before?.stamp === stamp) return before.item;
    const item = readItem(paths, updatedAt);
    if (Date.now() - newest > clockStep) known.set(folder, { stamp, item });
    else known.delete(folder);
    return item;
  };
  return async () => {
    const folder = chatsFolder(data);
    const problems: Problem[] = [];
    const found = await mapInSlices(namesIn(folder), (name) => {
      const chat = join(folder, name);
      if (graveName.test(name) || isFile(chat)) return undefined;
      try {
        return itemAt(chat);
      } catch (error) {
        const { code = "DataDamaged", message = String(error) } = error instanceof GalleyError ? error : {};
        problems.push({ severity: "warning", code, message, path: chat });
        return undefined;
      }
    });
    const chats = found.filter((item) => item !== undefined).sort((a, b) => b.updatedAt - a.updatedAt);
    return { chats, problems };
  };
}

/** What the system knows of a chat's files: all that its place in a list depends on. */
function looks({ about, transcript, active, archive, redactions, settings }: ChatPaths) {
  const found = [transcript, active, about, archive, redactions, settings].map(stampOf);
  const times = found.map((one) => one?.mtimeMs ?? 0);
  return {
    stamp: found.map((one) => one?.stamp ?? "-").join(" "),
    newest: Math.max(...times),
    updatedAt: Math.floor(times.slice(0, 3).find((time) => time > 0) ?? 0),
  };
}

function readItem(paths: ChatPaths, updatedAt: number): ChatItem | undefined {
  const key = chatKeyIn(paths.about);
  if (key === undefined) return undefined;
  const redactions = redactionReader(paths.redactions)();
  const [last] = readWindow(paths.transcript, { maxMessages: 1 }, redactions).messages;
  const { title, forkedFrom } = readableSettings(paths.settings);
  return {
    key,
    updatedAt,
    contexts: archivedIds(paths.archive).length,
    preview: last ? textOf(last).slice(0, previewLength).toWellFormed() : "",
    title: title ?? firstQuestion(paths.transcript, redactions.ids) ?? key,
    ...(forkedFrom && { forkedFrom }),
  };
}

/** A chat whose settings cannot be read is still listed; using it gives the error. */
function readableSettings(file: string): ChatSettings {
  try {
    return readChatSettings(file);
  } catch {
    return {};
  }
}

/** How many lines of a transcript are looked at for one. */
const maxLinesForTitle = 50;

function firstQuestion(transcript: string, redacted: ReadonlySet<string>): string | undefined {
  let count = 0;
  for (const { line } of logLines(transcript)) {
    count += 1;
    if (count > maxLinesForTitle) break;
    if (line?.type !== "message" || redacted.has(messageId(line.message))) continue;
    const title = deriveTitle([line.message], "");
    if (title !== "") return title;
  }
  return undefined;
}

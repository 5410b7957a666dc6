import { appendFileSync, existsSync, readdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { archiveIndex } from "./archive-index.ts";
import { encodeChatKey } from "./chat-key.ts";
import { type ChatPaths, chatKeyOf, chatPaths, chatsFolder, checkDataFolder } from "./chat-paths.ts";
import { chatWriter } from "./chat-writer.ts";
import { type Finding, checkChat } from "./check-chat.ts";
import { contextSearch } from "./context-search.ts";
import { purgeChat } from "./purge-chat.ts";
import { redactionReader } from "./redactions.ts";
import { makeFolder, syncFolder } from "./replace-file.ts";
import { logLines, rewriteLog } from "./rewrite-log.ts";

export interface DoctorOptions {
  /** Only this chat. */
  readonly chatKey?: string | undefined;
  /** Quarantine what is damaged, and nothing else. */
  readonly fix?: boolean | undefined;
  /** Remove the bytes of what was redacted. */
  readonly purge?: boolean | undefined;
}

export interface ChatHealth {
  readonly chatKey: string;
  /** What was found; with `fix`, before it was mended. */
  readonly findings: readonly Finding[];
  /** What is left after mending. */
  readonly left: readonly Finding[];
  /** Messages whose bytes were removed. */
  readonly purged: number;
}

/** Checks the chats of a data folder, and mends them when asked to [W10, M7]. */
export async function doctor(dataFolder: string, options: DoctorOptions = {}): Promise<readonly ChatHealth[]> {
  checkDataFolder(dataFolder);
  const folder = chatsFolder(dataFolder);
  if (!existsSync(folder)) return [];
  const wanted = options.chatKey === undefined ? undefined : encodeChatKey(options.chatKey);
  const names = readdirSync(folder).filter((name) => !name.startsWith(".") && (wanted ?? name) === name);
  const chats: ChatHealth[] = [];
  for (const name of names) chats.push(await examine(dataFolder, join(folder, name), options));
  return chats;
}

async function examine(dataFolder: string, folder: string, { fix, purge }: DoctorOptions): Promise<ChatHealth> {
  const chatKey = chatKeyOf(folder) ?? keyFromName(basename(folder));
  const paths = chatPaths(folder);
  const findings = checkChat(paths, chatKey);
  if (!fix && !purge) return { chatKey, findings, left: findings, purged: 0 };
  const writer = chatWriter({ dataFolder, chatKey, paths, patience: 30_000, report: () => undefined });
  const redactions = redactionReader(paths.redactions);
  const index = archiveIndex(paths, chatKey, redactions);
  const search = contextSearch(paths, chatKey, index, redactions);
  try {
    await writer.mend();
    if (fix) {
      await writer.hold(() => quarantine(paths, checkChat(paths, chatKey)));
    }
    const purged = purge ? await writer.hold(() => purgeChat(paths, chatKey, redactions().ids)) : 0;
    await index.list();
    await search.refresh();
    return { chatKey, findings, left: checkChat(paths, chatKey), purged };
  } finally {
    search.close();
    await writer.close();
  }
}

function keyFromName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Moves what cannot be read out of the way. Called while the chat's lock is held. */
async function quarantine(paths: ChatPaths, findings: readonly Finding[]): Promise<void> {
  const logs = new Set(findings.filter(({ kind }) => kind === "line").map(({ file }) => file));
  const archives = findings.filter(({ kind }) => kind === "archive").map(({ file }) => file);
  if (logs.size + archives.length === 0) return;
  makeFolder(paths.quarantine);
  const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 17);
  for (const file of logs) {
    const aside = join(paths.quarantine, `${stamp}-${basename(file)}`);
    const lines: Buffer[] = [];
    for (const { bytes, error } of logLines(file)) if (error !== undefined) lines.push(bytes, Buffer.from("\n"));
    // Safe in its new place before it leaves the old one.
    appendFileSync(aside, Buffer.concat(lines), { flush: true });
    syncFolder(paths.quarantine);
    await rewriteLog(file, ({ bytes, error }) => (error === undefined ? bytes : undefined));
  }
  for (const file of archives) {
    renameSync(file, join(paths.quarantine, `${stamp}-${basename(file)}`));
    syncFolder(dirname(file));
    syncFolder(paths.quarantine);
  }
}

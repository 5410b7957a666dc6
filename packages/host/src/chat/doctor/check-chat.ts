import { dirname, join } from "node:path";
import { GalleyError, type Problem } from "@galley/engine";
import * as z from "zod";
import { storedFilesOf } from "../lines/chat-files.ts";
import type { ChatMessage } from "../lines/chat-line.ts";
import { type ChatPaths, type KnownPaths, chatKeyIn, checkAboutVersion } from "../lines/chat-paths.ts";
import { damageAt, lineError, logLines } from "../lines/log-lines.ts";
import { holderOf, isLost } from "../../disk/folder-lock.ts";
import { fateOf } from "../../disk/process-identity.ts";
import { readArchive } from "../contexts/read-archive.ts";
import { exists, namesIn, readDocument, statFile } from "../../disk/data-files.ts";
import { abandonedDrafts } from "../../disk/replace-file.ts";

/** Something that is not as it should be in a chat's folder, and what mends it. */
export interface Finding extends Problem {
  readonly kind: "torn" | "line" | "archive" | "about" | "lock" | "draft" | "file" | "aside" | "closed";
  readonly file: string;
}

/** Looks at every line, every archive and every file of a chat. */
export function checkChat(paths: KnownPaths): readonly Finding[] {
  const used = new Map<string, string>();
  const findings = [
    ...checkAbout(paths),
    ...checkSettings(paths),
    ...[paths.transcript, paths.active, paths.redactions].flatMap((file) => checkLog(file, used, paths)),
    ...checkArchives(paths, used),
    ...checkLock(paths),
  ];
  for (const [name, source] of used) {
    // One that is not a plain file throws: a build shows a note in its place as well.
    if (statFile(join(paths.files, name))) continue;
    const message = `${source} refers to the file ${name}, which is not there.`;
    const hint = "Put it back from a copy; a build shows a note in its place.";
    findings.push({ ...finding("file", source, message, hint), code: "FileNotFound" });
  }
  return findings;
}

function checkAbout({ about, chatKey }: KnownPaths): Finding[] {
  if (!exists(about)) return [];
  return looking(about, () => {
    checkAboutVersion(about);
    if (chatKeyIn(about) === chatKey) return [];
    const message = `${about} does not name the chat ${JSON.stringify(chatKey)}, to which the folder belongs.`;
    return [finding("about", about, message, "--fix moves it to quarantine and writes it again.")];
  });
}

/** What is found in a file, or that it cannot be looked at. */
function looking(file: string, look: () => Finding[]): Finding[] {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error;
    return [closedFile(file, error)];
  }
}

function checkSettings({ settings }: ChatPaths): Finding[] {
  return looking(settings, () => {
    if (readDocument(settings, z.looseObject({})) !== "damaged") return [];
    const hint = "--fix moves it to quarantine; the chat then has no settings of its own.";
    return [finding("about", settings, `${settings} does not hold the settings of a chat.`, hint)];
  });
}

/** Damage, unless the caller says otherwise. */
export function finding(kind: Finding["kind"], file: string, message: string, hint: string): Finding {
  return { kind, file, severity: "error", code: "DataDamaged", message, path: file, hint };
}

/** What is newer, or what the disk does not give, is not damaged: it is said, and left alone. */
export function closedFile(file: string, { code, message, hint }: GalleyError): Finding {
  return { kind: "closed", file, severity: "error", code, message, path: file, hint };
}

function checkLog(file: string, used: Map<string, string>, { redactions }: ChatPaths): Finding[] {
  const findings = looking(file, () => {
    const found: Finding[] = [];
    for (const { number, isEnded, line, error } of logLines(file)) {
      if (line?.type === "message") noteFiles(line.message, file, used);
      if (error instanceof GalleyError) throw lineError(file, number, error);
      if (isEnded && error !== undefined) found.push({ kind: "line", file, ...damageAt(file, number, error) });
      if (!isEnded) found.push(openEnd(file, error === undefined));
    }
    return found;
  });
  findings.push(...checkAside(file));
  if (file !== redactions) return findings;
  // Without the damaged line, what it has hidden is visible again: the user must know that before using --fix.
  const hint = "--fix moves it to quarantine. What it redacted is shown again then: redact it again.";
  return findings.map((finding) => (finding.kind === "line" ? { ...finding, hint } : finding));
}

function openEnd(file: string, isLine: boolean): Finding {
  const message = `${file} ends with ${isLine ? "a line that has no end" : "half a line"}.`;
  const hint = isLine
    ? "--fix, or the next line, ends it; what it says is kept."
    : "It was never acknowledged. --fix, or the next message, sets it aside in a .torn file.";
  return finding("torn", file, message, hint);
}

function checkAside(file: string): Finding[] {
  const aside = `${file}.torn`;
  return looking(aside, () => {
    const found = statFile(aside);
    if (!found) return [];
    const message = `${aside} holds ${found.size} bytes that were set aside.`;
    const hint = "They were never acknowledged; delete the file when it is not needed.";
    return [{ ...finding("aside", aside, message, hint), severity: "warning" }];
  });
}

const movable = new Set(["DataDamaged", "ContextInvalidInput"]);

function checkArchives(paths: KnownPaths, used: Map<string, string>): Finding[] {
  return looking(paths.archive, () => namesIn(paths.archive).flatMap((name) => checkArchive(paths, name, used)));
}

function checkArchive(paths: KnownPaths, name: string, used: Map<string, string>): Finding[] {
  const file = join(paths.archive, name);
  try {
    const archive = readArchive(paths, name.replace(/\.json$/, ""));
    for (const message of archive?.messages ?? []) noteFiles(message, file, used);
    return [];
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error;
    if (!movable.has(error.code)) return [closedFile(file, error)];
    const hint = "--fix moves it to quarantine and keeps all others.";
    const message = error.code === "DataDamaged" ? error.message : `${file} is not an archive.`;
    return [finding("archive", file, message, hint)];
  }
}

function checkLock(paths: ChatPaths): Finding[] {
  const findings: Finding[] = [];
  const held = join(paths.lock, "held");
  const holder = holderOf(held);
  const isKnown = holder === undefined || (holder !== "damaged" && fateOf(holder) === "alive");
  if (!isKnown) {
    const [message, hint] = isLost(holder)
      ? [`${held} was left by a process that is gone.`, "--fix, or the next writer, removes it."]
      : [
          `${held} belongs to a process on another machine or in another container.`,
          "If that process is surely gone, delete the file.",
        ];
    findings.push({ ...finding("lock", held, message, hint), severity: "warning", code: "DataLocked" });
  }
  for (const folder of [paths.folder, paths.contexts, paths.files, dirname(paths.transcript)]) {
    for (const file of abandonedDrafts(folder)) {
      const message = `${file} is a draft of a process that is gone.`;
      const hint = "--fix, or the next writer, removes it.";
      findings.push({ ...finding("draft", file, message, hint), severity: "warning" });
    }
  }
  return findings;
}

function noteFiles(message: ChatMessage, source: string, used: Map<string, string>): void {
  for (const name of storedFilesOf(message)) if (!used.has(name)) used.set(name, source);
}

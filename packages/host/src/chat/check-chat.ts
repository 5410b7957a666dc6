import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { GalleyError, type Problem } from "@galley/engine";
import { storedFileOf } from "./chat-files.ts";
import type { ChatMessage } from "./chat-line.ts";
import type { ChatPaths } from "./chat-paths.ts";
import { damageAt } from "./damaged-line.ts";
import { holderOf } from "./folder-lock.ts";
import { fateOf } from "./process-identity.ts";
import { readArchive } from "./read-archive.ts";
import { abandonedDrafts } from "./replace-file.ts";
import { logLines } from "./rewrite-log.ts";

/** Something that is not as it should be in a chat's folder, and what mends it. */
export interface Finding extends Problem {
  readonly kind: "torn" | "line" | "archive" | "lock" | "draft" | "file" | "aside";
  /** What is concerned. */
  readonly file: string;
}

/** Looks at every line, every archive and every file of a chat. */
export function checkChat(paths: ChatPaths, chatKey: string): readonly Finding[] {
  const used = new Map<string, string>();
  const findings = [
    ...[paths.transcript, paths.active].flatMap((file) => checkLog(file, used)),
    ...checkArchives(paths, chatKey, used),
    ...checkLock(paths),
  ];
  for (const [name, source] of used) {
    if (existsSync(join(paths.files, name))) continue;
    const message = `${source} refers to the file ${name}, which is not there.`;
    const hint = "Put it back from a copy; a build shows a note in its place.";
    findings.push({ kind: "file", file: source, severity: "error", code: "FileNotFound", message, path: source, hint });
  }
  return findings;
}

function checkLog(file: string, used: Map<string, string>): Finding[] {
  if (!existsSync(file)) return [];
  const findings: Finding[] = [];
  for (const { number, isEnded, line, error } of logLines(file)) {
    if (line?.type === "message") noteFiles(line.message, file, used);
    if (error instanceof GalleyError) throw error;
    if (isEnded && error !== undefined) findings.push({ kind: "line", file, ...damageAt(file, number, error) });
    if (!isEnded) {
      const message = `${file} ends with ${error === undefined ? "a line that has no end" : "half a line"}.`;
      const hint = "It was never acknowledged. --fix, or the next message, sets it aside in a .torn file.";
      findings.push({ kind: "torn", file, severity: "error", code: "DataDamaged", message, path: file, hint });
    }
  }
  const aside = `${file}.torn`;
  if (existsSync(aside)) {
    const message = `${aside} holds ${statSync(aside).size} bytes that were set aside.`;
    const hint = "They were never acknowledged; delete the file when it is not needed.";
    findings.push({ kind: "aside", file: aside, severity: "warning", code: "DataDamaged", message, path: aside, hint });
  }
  return findings;
}

const movable = new Set(["DataDamaged", "ContextInvalidInput"]);

function checkArchives({ archive }: ChatPaths, chatKey: string, used: Map<string, string>): Finding[] {
  if (!existsSync(archive)) return [];
  const findings: Finding[] = [];
  for (const name of readdirSync(archive)) {
    const file = join(archive, name);
    try {
      for (const message of readArchive(archive, name.replace(/\.json$/, ""), chatKey)?.messages ?? []) {
        noteFiles(message, file, used);
      }
    } catch (error) {
      // What is newer, or what the disk does not give, is not damaged.
      if (!(error instanceof GalleyError) || !movable.has(error.code)) throw error;
      const hint = "--fix moves it to quarantine and keeps all others.";
      const message = error.code === "DataDamaged" ? error.message : `${file} is not an archive.`;
      findings.push({ kind: "archive", file, severity: "error", code: "DataDamaged", message, path: file, hint });
    }
  }
  return findings;
}

function checkLock(paths: ChatPaths): Finding[] {
  const findings: Finding[] = [];
  const held = join(paths.lock, "held");
  const holder = holderOf(held);
  const fate = holder === "nobody" ? "dead" : holder && fateOf(holder);
  if (fate === "dead") {
    const message = `${held} was left by a process that is gone.`;
    const hint = "--fix, or the next writer, removes it.";
    findings.push({ kind: "lock", file: held, severity: "warning", code: "DataLocked", message, path: held, hint });
  } else if (fate === "unknown") {
    const message = `${held} belongs to a process on another machine or in another container.`;
    const hint = "If that process is surely gone, delete the file.";
    findings.push({ kind: "lock", file: held, severity: "warning", code: "DataLocked", message, path: held, hint });
  }
  for (const folder of [paths.folder, paths.contexts, paths.files, dirname(paths.transcript)]) {
    for (const file of abandonedDrafts(folder)) {
      const message = `${file} is a draft of a process that is gone.`;
      const hint = "--fix, or the next writer, removes it.";
      findings.push({ kind: "draft", file, severity: "warning", code: "DataDamaged", message, path: file, hint });
    }
  }
  return findings;
}

function noteFiles({ content }: ChatMessage, source: string, used: Map<string, string>): void {
  if (typeof content === "string") return;
  for (const part of content) {
    const name = storedFileOf(part);
    if (name !== undefined && !used.has(name)) used.set(name, source);
  }
}

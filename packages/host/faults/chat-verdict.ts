import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** What is wrong with a chat after its writers were killed. All three lists are empty when nothing is. */
export interface Verdict {
  /** Acknowledged, and not there. */
  readonly lost: readonly string[];
  /** Files and lines that cannot be read. */
  readonly damaged: readonly string[];
  /** Messages of a writer that stand in the transcript twice or in another order than they were written. */
  readonly disordered: readonly string[];
}

/** Reads a chat's files with nothing but JSON.parse and holds them against what was acknowledged. */
export function judge(folder: string, acknowledged: readonly string[]): Verdict {
  const damaged: string[] = [];
  const transcript = namesIn(join(folder, "conversations/history.jsonl"), damaged);
  const working = new Set(namesIn(join(folder, "contexts/active.jsonl"), damaged));
  const archives = new Set<string>();
  const archiveFolder = join(folder, "contexts/archive");
  for (const file of existsSync(archiveFolder) ? readdirSync(archiveFolder) : []) {
    try {
      const archive = JSON.parse(readFileSync(join(archiveFolder, file), "utf8")) as {
        contextId: string;
        messages: Line[];
      };
      archives.add(archive.contextId);
      for (const message of archive.messages) working.add(nameOf(message));
    } catch {
      damaged.push(file);
    }
  }
  const written = new Set(transcript);
  const lost = acknowledged.filter((line) => {
    const [kind, name = ""] = line.split(" ");
    return kind === "s" ? !archives.has(name) : !written.has(name) || !working.has(name);
  });
  return { lost, damaged, disordered: disorder(transcript) };
}

interface Line {
  readonly content?: string;
}

function nameOf({ content = "" }: Line): string {
  return content.split(" ")[0] ?? "";
}

function namesIn(file: string, damaged: string[]): string[] {
  if (!existsSync(file)) return [];
  const names: string[] = [];
  const lines = readFileSync(file, "utf8").split("\n");
  if (lines.pop() !== "") damaged.push(`${file}: no end`);
  for (const [index, line] of lines.entries()) {
    try {
      const name = nameOf(JSON.parse(line) as Line);
      if (name !== "") names.push(name);
    } catch {
      damaged.push(`${file}:${index + 1}`);
    }
  }
  return names;
}

function disorder(names: readonly string[]): string[] {
  const last = new Map<string, number>();
  return names.filter((name) => {
    const at = name.lastIndexOf("-");
    const [writer, number] = [name.slice(0, at), Number(name.slice(at + 1))];
    const isLater = number > (last.get(writer) ?? 0);
    last.set(writer, number);
    return !isLater;
  });
}

import { closeSync, fdatasync, openSync, readFileSync, writeSync } from "node:fs";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import type { SessionEntry, Tokenizer } from "@galley/engine";
import { type Galley, openGalley } from "galley";
import { numbersFrom } from "../packages/engine/src/model/testing/fuzz-chance.ts";

// What people run: `openGalley().turn` and `commit`, with default settings, over chats and sessions of any length.

const words =
  "a reply is written down before the next question comes and what was said long ago is summed up so that the window holds what matters most".split(
    " ",
  );
const next = numbersFrom(1);

/** A text of some 280 characters that was never there before. */
export function freshText(length = 280): string {
  let text = "";
  while (text.length < length) text += `${words[draw() % words.length]} ${draw() % 9973} `;
  return text.slice(0, length);
}

/** A whole number: the same in every run, and never the same twice within one. */
const draw = (): number => next() * 2 ** 32;

const start = 1_738_713_600_000;

/** Writes a chat of the given number of messages below a data folder. */
export function writeChat(data: string, key: string, size: number): void {
  for (const path of ["contexts/active.jsonl", "conversations/history.jsonl"]) {
    mkdirSync(join(data, "chat", key, path, ".."), { recursive: true });
  }
  for (let at = 0; at < size; at += 1000) {
    const lines = Array.from({ length: Math.min(1000, size - at) }, (_, index) => {
      const role = (at + index) % 2 === 0 ? "user" : "assistant";
      return `${JSON.stringify({ v: 1, ts: start + at + index, role, content: freshText() })}\n`;
    }).join("");
    appendFileSync(join(data, "chat", key, "contexts/active.jsonl"), lines);
    appendFileSync(join(data, "chat", key, "conversations/history.jsonl"), lines);
  }
}

export async function writeSession(galley: Galley, sessionId: string, size: number): Promise<void> {
  for (let at = 0; at < size; at += 1000) {
    const entries = Array.from({ length: Math.min(1000, size - at) }, (_, index): SessionEntry => ({
      id: `x${at + index}`,
      ts: start + at + index,
      type: "message",
      message: { role: (at + index) % 2 === 0 ? "user" : "assistant", content: freshText() },
    }));
    await galley.store.sessions.append({ projectId: "default", sessionId }, entries);
  }
}

/** A model of the catalogue with a window of a million tokens; nothing here calls it. */
export const model = "claude-opus-5";

export function openQuietly(data: string, options: Parameters<typeof openGalley>[0] = {}): Promise<Galley> {
  return openGalley({ data, config: false, environment: {}, ...options });
}

type Place = { readonly chat: string } | { readonly session: string };

/** One turn with its commit, as a program makes it that calls the model itself. */
export async function turnIn(galley: Galley, place: Place, rest: object = {}): Promise<void> {
  const turn = await galley.turn({ ...place, input: freshText(), model, ...rest });
  await turn.commit({ assistant: freshText() });
}

/** The processor time of the whole process, its threads included, in ms. */
export function processTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What this process has written so far, in bytes, by the system's own count; nothing where it keeps none. */
export function writtenBytes(): number | undefined {
  try {
    const found = /^write_bytes: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"));
    return found ? Number(found[1]) : undefined;
  } catch {
    return undefined;
  }
}

const sync = promisify(fdatasync);

/** The least that a durable turn takes: counting two texts, two lines each written and synced, one row committed. */
export function physicalTurn(folder: string, tokenizer: Tokenizer): { run(): Promise<void>; close(): void } {
  const files = ["a.jsonl", "b.jsonl"].map((name) => openSync(join(folder, name), "a"));
  const db = new DatabaseSync(join(folder, "peer.sqlite"));
  db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE records (n INTEGER PRIMARY KEY, body TEXT)");
  const insert = db.prepare("INSERT INTO records (body) VALUES (?)");
  return {
    async run() {
      const said = [freshText(), freshText()];
      for (const text of said) tokenizer.count(text);
      const lines = said.map((content) => `${JSON.stringify({ v: 1, ts: start, role: "user", content })}\n`).join("");
      for (const file of files) writeSync(file, lines);
      await Promise.all(files.map((file) => sync(file)));
      db.exec("BEGIN IMMEDIATE");
      insert.run(lines);
      db.exec("COMMIT");
    },
    close() {
      for (const file of files) closeSync(file);
      db.close();
    },
  };
}

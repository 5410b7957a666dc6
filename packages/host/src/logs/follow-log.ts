import { setTimeout as sleep } from "node:timers/promises";
import { type AppendToSession, type LogImporter, importLog, logImporter } from "@galley/engine/logs";
import { openForeign } from "../disk/foreign/foreign-files.ts";
import { type FoundLog, statLog } from "./agent-homes.ts";
import { isDocument, readFound } from "./read-found.ts";

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** How often the files are looked at, in ms. */
  readonly pollMs?: number;
  /** After this long without a change, in ms, the last reply counts as whole. */
  readonly quietMs?: number;
}

/** What a look at the files has brought. */
export interface FollowStep {
  /** The file that has grown or was replaced. */
  readonly file: string;
  /** Entries that are new in the store. */
  readonly added: number;
}

/**
 * Keeps sessions current while their agent works [L3]. What is added to a file is read on from where it ended; a file that was
 * replaced, cut or rewritten is read again from its start, which adds what is new.
 * @param files gives the files of the session each time: sub-agents come and go
 */
export async function* followLog(
  files: () => Promise<readonly FoundLog[]>,
  append: AppendToSession,
  { signal, pollMs = 500, quietMs = 3000 }: FollowOptions,
): AsyncGenerator<FollowStep> {
  const followed = new Map<string, FollowedFile>();
  for (let look = 0; !signal.aborted; look += 1) {
    if (look % looksPerSearch === 0) {
      for (const log of await files())
        if (!followed.has(log.path)) followed.set(log.path, new FollowedFile(log, append));
    }
    for (const [path, file] of followed) {
      const added = await file.look(performance.now(), quietMs);
      if (added > 0) yield { file: path, added };
      if (signal.aborted) break;
    }
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
  for (const file of followed.values()) await file.finish();
}

/** New files are looked for less often than known ones are looked at. */
const looksPerSearch = 10;
const pieceBytes = 128 * 1024;

/** One file, as far as it was read. */
class FollowedFile {
  readonly #log: FoundLog;
  readonly #append: AppendToSession;
  #added = 0;
  #importer: LogImporter | undefined;
  #decoder = new TextDecoder();
  #offset = 0;
  #stamp = "";
  #tail = "";
  #changedAt = 0;
  // Whether a document was read with the reply that it may have been in the middle of.
  #isWhole = true;

  constructor(log: FoundLog, append: AppendToSession) {
    this.#log = log;
    this.#append = async (session, entries) => {
      const added = await append(session, entries);
      this.#added += added;
      return added;
    };
  }

  /** Reads what is new; gives how many entries it added. */
  async look(now: number, quietMs: number): Promise<number> {
    const found = statLog(this.#log.agent, this.#log.path, this.#log.ownId);
    // Between two names, as a program replaces it.
    if (!found) return 0;
    this.#added = 0;
    const stamp = `${found.size} ${found.mtimeMs}`;
    if (stamp !== this.#stamp) {
      this.#stamp = stamp;
      this.#changedAt = now;
      await (isDocument(this.#log) ? this.#readDocument(true) : this.#readOn(found.size));
    } else if (now - this.#changedAt >= quietMs) await this.finish();
    return this.#added;
  }

  /** What waits is written. What comes later is read with the whole file again, so that a reply is joined in one piece. */
  async finish(): Promise<void> {
    if (!this.#isWhole) await this.#readDocument(false);
    const importer = this.#importer;
    if (!importer) return;
    this.#importer = undefined;
    this.#offset = 0;
    // A file of which nothing is understood yet is looked at again when it has grown.
    await importer.end().catch(() => undefined);
  }

  /** Half a document says nothing: it is read again with the next change. */
  async #readDocument(isLive: boolean): Promise<void> {
    this.#isWhole = !isLive;
    const { agent: as, ownId: name } = this.#log;
    await importLog(readFound(this.#log, { isLive }), this.#append, { name, as }).catch(() => undefined);
  }

  async #readOn(size: number): Promise<void> {
    const file = await openForeign(this.#log.path);
    if (!file) return;
    try {
      const isSame = size >= this.#offset && (await file.digestBefore(this.#offset)) === this.#tail;
      if (!isSame || !this.#importer) this.#begin();
      for (;;) {
        const bytes = await file.readAt(this.#offset, pieceBytes);
        if (bytes.length === 0) break;
        this.#offset += bytes.length;
        await this.#importer?.push(this.#decoder.decode(bytes, { stream: true }));
      }
      this.#tail = await file.digestBefore(this.#offset);
      await this.#importer?.flush();
    } finally {
      await file.close();
    }
  }

  #begin(): void {
    this.#importer = logImporter(this.#append, { name: this.#log.ownId, as: this.#log.agent });
    this.#decoder = new TextDecoder();
    this.#offset = 0;
  }
}

import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

// As text, because a bundle has no file of its own for it. Whatever goes wrong, the log stays, and the next commit takes it in.
const threadCode = `
const { workerData } = require("node:worker_threads");
const { DatabaseSync } = require("node:sqlite");
const db = new DatabaseSync(new URL(workerData.file), { timeout: 0 });
db.exec("PRAGMA wal_checkpoint(PASSIVE)");
db.close();
`;

/** Takes SQLite's log into its file in a thread of its own; resolves when that is over. */
function checkpointInThread(file: string): Promise<void> {
  const url = pathToFileURL(file);
  // A file that is gone is not made again.
  url.searchParams.set("mode", "rw");
  return new Promise((resolve) => {
    const options = { eval: true, workerData: { file: url.href }, execArgv: ["--no-warnings"] };
    const thread = new Worker(threadCode, options);
    thread.on("error", () => resolve());
    thread.on("exit", () => resolve());
    thread.unref();
  });
}

/** Says when SQLite takes its log into the file, for one connection. */
export interface Checkpoints {
  /** Before the commit of a transaction that wrote much: this thread would be silent while all of it is copied. */
  readonly postpone: () => void;
  /** Behind that commit. */
  readonly run: () => void;
  /** Resolves when no thread is at work. */
  readonly idle: () => Promise<void>;
}

export function checkpoints(db: DatabaseSync, file: string): Checkpoints {
  const pages = Number(db.prepare("PRAGMA wal_autocheckpoint").get()?.["wal_autocheckpoint"]);
  let isPostponed = false;
  let work: Promise<void> | undefined;
  const set = (count: number): void => {
    if (db.isOpen) db.exec(`PRAGMA wal_autocheckpoint=${count}`);
  };
  return {
    postpone() {
      isPostponed = true;
      set(0);
    },
    run() {
      if (!isPostponed) return;
      isPostponed = false;
      const mine = checkpointInThread(file).then(() => {
        if (work !== mine) return;
        work = undefined;
        if (!isPostponed) set(pages);
      });
      work = mine;
    },
    idle: async () => work,
  };
}

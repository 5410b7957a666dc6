import { appendText, moveEntry, statFile } from "../../disk/data-files.ts";

/** One line of JSON for each thing that happened; no bodies, no secrets. */
export interface DaemonLog {
  write(event: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Waits until everything is written. */
  close(): Promise<void>;
}

export interface DaemonLogOptions {
  readonly file: string;
  readonly redact: <Value>(value: Value) => Value;
  /** When the file is longer it becomes `….1`, in the place of the one before; 10 MB if absent. */
  readonly rotateBytes?: number;
}

export function daemonLog({ file, redact, rotateBytes = 10_000_000 }: DaemonLogOptions): DaemonLog {
  let waiting: string[] = [];
  let writing: Promise<void> | undefined;
  let size: number | undefined;
  let isFailing = false;
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const text = waiting.join("");
      waiting = [];
      size ??= statFile(file)?.size ?? 0;
      if (size > rotateBytes) {
        moveEntry(file, `${file}.1`);
        size = 0;
      }
      // Half a line that a full disk has left is ended first.
      await appendText(file, isFailing ? `\n${text}` : text);
      isFailing = false;
      size += Buffer.byteLength(text);
    }
  };
  const start = (): void => {
    // A log that cannot be written must not end the daemon; standard error is all that is left.
    writing = drain()
      .catch((error: unknown) => {
        // Said once, until it works again.
        if (!isFailing)
          process.stderr.write(`daemon.log cannot be written: ${error instanceof Error ? error.message : ""}\n`);
        isFailing = true;
      })
      .finally(() => {
        writing = undefined;
        if (waiting.length > 0) start();
      });
  };
  return {
    write(event, fields = {}) {
      waiting.push(`${JSON.stringify(redact({ at: new Date().toISOString(), event, ...fields }))}\n`);
      if (!writing) start();
    },
    async close() {
      // What is written while it waits is waited for as well.
      for (let under = writing; under; under = writing) await under;
    },
  };
}

import { appendText, moveEntry, statFile } from "../../disk/data-files.ts";

/** One line of JSON for each thing that happened; no bodies, no secrets. */
export interface DaemonLog {
  write(event: string, fields?: Readonly<Record<string, unknown>>): void;
  /** The same for an unexpected error; needs no `this`. */
  readonly writeError: (error: unknown) => void;
  /** Waits until everything is written. */
  close(): Promise<void>;
}

/** When the file is longer, in bytes, it becomes `….1`, in the place of the one before. */
const maxLogSize = 10_000_000;

export function daemonLog(file: string, redact: <Value>(value: Value) => Value): DaemonLog {
  let waiting: string[] = [];
  let writing: Promise<void> | undefined;
  let size: number | undefined;
  let isFailing = false;
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const text = waiting.join("");
      waiting = [];
      size ??= statFile(file)?.size ?? 0;
      if (size > maxLogSize) {
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
  const write: DaemonLog["write"] = (event, fields = {}) => {
    waiting.push(`${JSON.stringify(redact({ at: new Date().toISOString(), event, ...fields }))}\n`);
    if (!writing) start();
  };
  return {
    write,
    writeError: (error) =>
      write(
        "error",
        error instanceof Error ? { message: error.message, stack: error.stack } : { message: String(error) },
      ),
    async close() {
      // What is written while it waits is waited for as well.
      for (let under = writing; under; under = writing) await under;
    },
  };
}

/**
 * The path of a request as a person reads it. What stands there in half-encoded form would be found by no search for what
 * it says, and so not be masked either [P6]; bytes that are not text stay as they are.
 */
export function pathForLog(path: string): string {
  return path.replace(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}

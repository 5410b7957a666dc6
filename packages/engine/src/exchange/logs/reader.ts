import type { LogRecord } from "./log-types.ts";
import type { LogWriter } from "./log-writer.ts";

/** Reads the records of one format, one by one, and writes what they say. */
export interface FormatReader {
  read(record: LogRecord): void;
  /** What waits for more is written as it is. */
  end?(): void;
}

/** What a reader says besides entries: kinds of records that it leaves out, with the reason. */
export interface ReaderContext {
  readonly writer: LogWriter;
  /** The session's own id where the log has none: the name of the file. */
  readonly name: string;
  /** Counts a record that is not read by the model, and stands elsewhere or means nothing here. */
  readonly leftOut: (kind: string) => void;
  /** Counts something that was said in another way here. */
  readonly converted: (what: string) => void;
}

export type OpenReader = (context: ReaderContext) => FormatReader;

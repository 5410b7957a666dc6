import type { SessionEntry } from "../../model/entries.ts";
import type { JsonObject } from "../../model/messages.ts";
import type { ImportNote } from "../files/import-report.ts";

/** Whose logs can be read. */
export const logFormats = ["claude-code", "codex", "pi", "opencode", "gemini-cli", "copilot-cli", "galley"] as const;
export type LogFormat = (typeof logFormats)[number];

/** A conversation of a log. */
export interface LogSession {
  /** `<agent>:<its own id>`, so that reading a log again finds the same session. */
  readonly id: string;
  readonly format: LogFormat;
  /** The session that started it, for a sub-agent. */
  readonly parent?: string | undefined;
  readonly title?: string | undefined;
  /** Where the agent worked. */
  readonly folder?: string | undefined;
  readonly counts: LogCounts;
}

/** What a log holds, by kind. */
export interface LogCounts {
  /** Those of users, assistants and the system; a tool's results are counted as results. */
  readonly messages: number;
  /** Calls of tools. */
  readonly calls: number;
  readonly results: number;
  /** Replies of which the log says what they cost. */
  readonly usage: number;
  readonly compactions: number;
  /** Records that are kept as they are, because they are not messages. */
  readonly custom: number;
}

/** An entry for a session, with the entry that it follows there. */
export interface LogEntry {
  readonly session: string;
  readonly entry: SessionEntry;
  /** The entry before it in the log; `null` for the first. */
  readonly after: string | null;
  /** Roughly its characters as JSON. */
  readonly size: number;
}

/** What a piece of a log gave. Entries of one session come in the order of its log. */
export interface LogStep {
  readonly entries: readonly LogEntry[];
}

/** What became of a whole log. */
export interface LogSummary extends LogStep {
  readonly format: LogFormat;
  readonly sessions: readonly LogSession[];
  /** In the words of every import: kept, converted, repaired, not supported. */
  readonly notes: readonly ImportNote[];
  /** Lines that are not JSON, or too long to be read. */
  readonly damaged: number;
  /** Whether the last line was cut off, as in a file that is still written to. */
  readonly isTorn: boolean;
}

/** One record of a log: a JSON object with its place in the file. */
export interface LogRecord {
  readonly value: JsonObject;
  /** Its line, `12`, or `12.2` for the second object on that line. */
  readonly at: string;
}

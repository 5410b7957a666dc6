import { textCheck } from "../../model/check/input.ts";
import { GalleyError } from "../../model/check/errors.ts";
import type { JsonObject } from "../../model/messages.ts";
import { ClaudeCode } from "./claude-code.ts";
import { readLight } from "./claude-light.ts";
import { Codex } from "./codex.ts";
import { copilotCli } from "./copilot-cli.ts";
import { geminiCli } from "./gemini-cli.ts";
import { objectOf, textOf, timeOf } from "../files/json-fields.ts";
import { has, isQwen } from "../files/unread-files.ts";
import { LineReader, type ReadLight } from "./json-lines.ts";
import type { LogFormat, LogRecord } from "./log-types.ts";
import { opencode } from "./opencode.ts";
import { Pi } from "./pi.ts";
import type { OpenReader } from "./reader.ts";
import type { SessionEntry } from "../../model/entries.ts";
import { entrySchemaFor } from "../../model/entry-schema.ts";

interface Format {
  readonly open: OpenReader;
  /** Whether a record can only be of this format. */
  readonly owns: (record: JsonObject) => boolean;
  /** For a log that is read for its messages. */
  readonly readLight?: ReadLight;
}

const codexTypes = new Set(["session_meta", "response_item", "event_msg", "turn_context", "compacted"]);
const claudeTypes =
  /^(user|assistant|system|progress|attachment|file-history-snapshot|queue-operation|permission-mode|last-prompt|mode|ai-title|custom-title|pr-link)$/;

/** Session files of Galley itself [M2]: entries as they are. Such a file does not say its session; the file's name does. */
const galleySession: OpenReader = ({ writer, name, leftOut }) => ({
  read({ value, at }: LogRecord) {
    const session = writer.session(name);
    const read = entrySchemaFor(value).safeParse(value);
    if (read.success) session.entry(value as unknown as SessionEntry);
    else {
      leftOut("lines without an entry, kept as they are");
      session.custom({ id: textOf(value["id"]) ?? `line-${at}`, ts: timeOf(value["ts"]) }, "line", value);
    }
  },
});

/** What can be read, told apart by content and never by the name of a file. */
export const formats: Readonly<Record<LogFormat, Format>> = {
  "claude-code": {
    open: (context) => new ClaudeCode(context),
    owns: (record) =>
      (claudeTypes.test(textOf(record["type"]) ?? "") &&
        (has(record, "sessionId") || has(record, "snapshot")) &&
        !isQwen(record)) ||
      (record["type"] === "summary" && has(record, "leafUuid")) ||
      Array.isArray(record["loglines"]),
    readLight,
  },
  codex: {
    open: (context) => new Codex(context),
    owns: (record) => codexTypes.has(textOf(record["type"]) ?? "") && has(record, "payload"),
  },
  pi: {
    open: (context) => new Pi(context),
    owns: (record) => record["type"] === "session" && has(record, "id", "timestamp", "cwd"),
  },
  opencode: {
    open: opencode,
    owns: (record) => has(objectOf(record["info"]), "id") && Array.isArray(record["messages"]),
  },
  "gemini-cli": {
    open: geminiCli,
    owns: (record) => has(record, "sessionId", "projectHash"),
  },
  "copilot-cli": {
    open: copilotCli,
    owns: (record) => /^[a-z]+\.[a-z_]+$/.test(textOf(record["type"]) ?? "") && has(record, "data", "id", "timestamp"),
  },
  galley: {
    open: galleySession,
    owns: (record) => has(record, "id", "ts", "type") && !has(record, "payload"),
  },
};

export function formatOf(record: JsonObject): LogFormat | undefined {
  return (Object.keys(formats) as LogFormat[]).find((format) => formats[format].owns(record));
}

/** Records that wait until one of them tells the format. */
export const maxUndecided = 200;

/** Finds out whose log a text is that comes in pieces. */
export interface LogDetector {
  /** The format as soon as it is known; `null` for a text that is not a log; nothing while it may be any. */
  push(text: string): LogFormat | null | undefined;
  /** At the end of the text; nothing for one that is not a log. */
  end(): LogFormat | undefined;
}

/** Tells whose log a file is while it is read: by its first records, or by all of it where it is one document. */
export function logDetector(): LogDetector {
  const lines = new LineReader();
  let seen = 0;
  const find = (records: readonly LogRecord[]): LogFormat | undefined => {
    seen += records.length;
    return records.map(({ value }) => formatOf(value)).find((format) => format !== undefined);
  };
  return {
    push(text) {
      textCheck(text, "text");
      try {
        const format = find(lines.push(text));
        return format ?? (Math.max(seen, lines.damaged.length) > maxUndecided ? null : undefined);
      } catch (error) {
        // A document that is too large to be held.
        if (error instanceof GalleyError) return null;
        throw error;
      }
    },
    end: () => find(restOf(lines)),
  };
}

/** Whose log a file is, by its first lines, or by all of it where it is one document; nothing for one that is not a log. */
export function detectLog(text: string): LogFormat | undefined {
  const detector = logDetector();
  const format = detector.push(text);
  return format === undefined ? detector.end() : (format ?? undefined);
}

/** The last record; nothing for one that is cut off. */
function restOf(lines: LineReader): readonly LogRecord[] {
  try {
    return lines.end().records;
  } catch {
    return [];
  }
}

import { fieldsCheck, flagCheck, oneOfCheck, textCheck } from "../../model/check/input.ts";
import type { GalleyError } from "../../model/check/errors.ts";
import { counted } from "../files/counted.ts";
import { type ImportNote, importFailed } from "../files/import-report.ts";
import { readableLogs, unreadFile } from "../files/unread-files.ts";
import { formatOf, formats, maxUndecided } from "./formats.ts";
import { type DamagedLine, LineReader } from "./json-lines.ts";
import { type LogFormat, type LogRecord, type LogStep, type LogSummary, logFormats } from "./log-types.ts";
import { LogWriter } from "./log-writer.ts";
import type { FormatReader } from "./reader.ts";

export interface ReadLogOptions {
  /** What the file is called: the session's id where the log itself names none. */
  readonly name: string;
  /** Whose log it is; without it, its content tells. */
  readonly as?: LogFormat | undefined;
  /**
   * For those who read a log for its texts, at the cost of little more than parsing it: what is not a message or a compaction is
   * left out, and so is a second record of an id, whatever it says.
   */
  readonly messagesOnly?: boolean | undefined;
  /** Leaves the middle of long results out: it is read for nothing but its size. */
  readonly clipsResults?: boolean | undefined;
}

/** A log under way: text in pieces of any size goes in, entries come out. */
export interface LogReader {
  push(text: string): LogStep;
  /** What waited for more, and what became of the whole log. Throws `ImportFailed` where nothing was understood. */
  end(): LogSummary;
}

const optionsCheck = fieldsCheck(
  { name: textCheck, as: oneOfCheck([...logFormats, undefined]), messagesOnly: flagCheck, clipsResults: flagCheck },
  ["name"],
);
/** How much of the start is kept to say what a file is that is not a log of JSON. */
const startLength = 4000;
/** What stands for bytes that no encoding explains. */
const noSign = "\uFFFD";

interface Reading {
  readonly format: LogFormat;
  readonly writer: LogWriter;
  readonly reader: FormatReader;
}

/**
 * Reads the log of an agent [L1]: strings in, entries out, the state between them here. The format is detected from the
 * content. What a log says of a compaction becomes a compaction entry [F8]; what is not understood is kept as a custom
 * entry; ids come from the log, so that reading it again adds nothing.
 *
 * @example
 * const line = '{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00Z","cwd":"/home/ada"}';
 * const said = '{"type":"message","id":"a1","parentId":null,"timestamp":0,"message":{"role":"user","content":"Hello"}}';
 * const log = readLog({ name: "log" });
 * log.push(`${line}\n${said}\n`);
 * log.end().sessions[0].id; // → "pi:s1"
 */
export function readLog(options: ReadLogOptions): LogReader {
  optionsCheck(options, "options");
  const lines = new LineReader(
    options.messagesOnly && options.as !== undefined ? formats[options.as].readLight : undefined,
  );
  const counts = { leftOut: new Map<string, number>(), converted: new Map<string, number>() };
  let start = "";
  let unreadable = 0;
  let reading: Reading | undefined;
  let undecided: LogRecord[] = [];
  const begin = (format: LogFormat): Reading => {
    const count = (of: Map<string, number>) => (what: string) => void of.set(what, (of.get(what) ?? 0) + 1);
    const masked = count(counts.converted);
    const onSecret = (kind: string): void => masked(`secrets of the kind ${kind}, masked`);
    const writer = new LogWriter({ ...options, format, onSecret });
    const context = { writer, name: options.name, leftOut: count(counts.leftOut), converted: count(counts.converted) };
    reading = { format, writer, reader: formats[format].open(context) };
    for (const record of undecided) reading.reader.read(record);
    undecided = [];
    return reading;
  };
  if (options.as !== undefined) begin(options.as);
  const take = (records: readonly LogRecord[]): void => {
    for (const record of records) {
      if (reading) {
        reading.reader.read(record);
        continue;
      }
      undecided.push(record);
      const format = formatOf(record.value);
      if (format !== undefined) begin(format);
      else if (undecided.length > maxUndecided) throw notALog(undecided[0]?.value, start);
    }
  };
  return {
    push(text) {
      textCheck(text, "text");
      for (let at = text.indexOf(noSign); at >= 0; at = text.indexOf(noSign, at + 1)) unreadable += 1;
      if (start.length < startLength) start += text.slice(0, startLength);
      take(lines.push(text));
      return { entries: reading?.writer.take() ?? [] };
    },
    end() {
      const { records, isTorn } = lines.end();
      take(records);
      if (!reading) throw notALog(lines.other ?? undecided[0]?.value, start);
      reading.reader.end?.();
      const { format, writer } = reading;
      const sessions = writer.sessions();
      const repeated = writer.repeated();
      const notes = notesOf({ sessions, ...counts, repeated, unreadable, damaged: lines.damaged, isTorn });
      return { format, entries: writer.take(), sessions, notes, damaged: lines.damaged.length, isTorn };
    },
  };
}

interface Outcome extends Pick<LogSummary, "sessions" | "isTorn"> {
  readonly leftOut: ReadonlyMap<string, number>;
  readonly converted: ReadonlyMap<string, number>;
  readonly repeated: number;
  readonly unreadable: number;
  readonly damaged: readonly DamagedLine[];
}

const maxDamagedNotes = 20;

function notesOf({ sessions, leftOut, converted, repeated, unreadable, damaged, isTorn }: Outcome): ImportNote[] {
  const note = (fate: ImportNote["fate"], message: string, path = ""): ImportNote => ({ fate, path, message });
  const kinds = ["messages", "calls", "results", "usage", "compactions", "custom"] as const;
  const names = {
    messages: "messages",
    calls: "calls of tools",
    results: "results of tools",
    usage: "replies with their usage",
    compactions: "compactions",
    custom: "records of other kinds, as custom entries",
  };
  const kept = sessions.flatMap(({ id, counts }) =>
    kinds.filter((kind) => counts[kind] > 0).map((kind) => note("kept", counted(counts[kind], names[kind]), id)),
  );
  return [
    ...kept,
    ...[...converted].map(([what, count]) => note("converted", counted(count, what))),
    ...[...leftOut].map(([what, count]) => note("unsupported", counted(count, what))),
    ...(repeated > 0 ? [note("repaired", counted(repeated, "records that the log repeats, read once"))] : []),
    ...(unreadable > 0 ? [note("repaired", counted(unreadable, "signs U+FFFD: bytes that are not text"))] : []),
    ...damaged
      .slice(0, maxDamagedNotes)
      .map(({ line, why }) => note("unsupported", `Not read: ${why}`, `line ${line}`)),
    ...(damaged.length > maxDamagedNotes
      ? [note("unsupported", counted(damaged.length - maxDamagedNotes, "lines more that could not be read"))]
      : []),
    ...(isTorn ? [note("repaired", "The last line is not whole yet; it is read when the log is imported again.")] : []),
  ];
}

function notALog(value: unknown, start: string): GalleyError {
  const message = "This file is not a log of an agent that Galley knows.";
  return unreadFile(value, start) ?? importFailed(message, readableLogs);
}

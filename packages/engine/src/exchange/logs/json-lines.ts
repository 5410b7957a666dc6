import { GalleyError } from "../../model/check/errors.ts";
import type { JsonObject } from "../../model/messages.ts";
import { endOfString, isJsonObject, parseJson } from "../../model/parse-json.ts";
import { importFailed } from "../files/import-report.ts";
import type { LogRecord } from "./log-types.ts";

/** What could not be read of a file, with the line. */
export interface DamagedLine {
  readonly line: number;
  readonly why: string;
}

/** In characters. A longer line is skipped and counted. */
const maxLineLength = 64 * 1024 * 1024;

/** Reads a line without what is not asked for; nothing where it must be read as a whole. */
export type ReadLight = (line: string) => JsonObject | undefined;

/** Text in pieces becomes records: JSON lines, or one JSON document over many lines. */
export class LineReader {
  readonly damaged: DamagedLine[] = [];
  /** A first value that is not an object: the lists that some agents write. */
  other: unknown;
  #mode: "unknown" | "lines" | "document" = "unknown";
  // The line under way, as it came: put together once, when it is whole.
  #pieces: string[] = [];
  #length = 0;
  #line = 0;
  #isSkipping = false;
  readonly #readLight: ReadLight | undefined;

  constructor(readLight?: ReadLight) {
    this.#readLight = readLight;
  }

  push(text: string): readonly LogRecord[] {
    if (this.#mode === "unknown") return this.#begin(text);
    if (this.#mode === "lines") return this.#readLines(text);
    this.#keep(text);
    if (this.#length <= maxLineLength) return [];
    const message = `The file is one JSON document of more than ${maxLineLength} characters.`;
    throw importFailed(message, "Only logs of JSON lines may be larger.");
  }

  /** The rest. A last line without its end that is not JSON is torn, not damaged. */
  end(): { readonly records: readonly LogRecord[]; readonly isTorn: boolean } {
    const last = this.#taken();
    if (this.#mode === "document") return { records: this.#readDocument(last), isTorn: false };
    if (this.#isSkipping) this.#tooLong();
    if (last.trim() === "") return { records: [], isTorn: false };
    const records = this.#take(last, true);
    return { records, isTorn: records.length === 0 && this.other === undefined };
  }

  /** A document begins with a bracket alone on its line; no log of lines does. */
  #begin(text: string): readonly LogRecord[] {
    this.#keep(text);
    if (!text.includes("\n") && this.#length <= maxLineLength) return [];
    const all = this.#taken();
    const start = all.replace(/^\uFEFF/, "").trimStart();
    const end = start.indexOf("\n");
    if (end >= 0) this.#mode = /^[[{]\s*$/.test(start.slice(0, end)) ? "document" : "lines";
    else if (all.length > maxLineLength) this.#mode = "lines";
    if (this.#mode === "lines") return this.#readLines(all);
    this.#keep(all);
    return [];
  }

  #keep(text: string): void {
    if (text === "") return;
    this.#pieces.push(text);
    this.#length += text.length;
  }

  #taken(): string {
    const all = this.#pieces.length === 1 ? (this.#pieces[0] ?? "") : this.#pieces.join("");
    [this.#pieces, this.#length] = [[], 0];
    return all;
  }

  #readDocument(text: string): readonly LogRecord[] {
    const value = parseJson(text, { what: "log" });
    if (isJsonObject(value)) return [{ value, at: "1" }];
    this.other = value;
    return [];
  }

  #readLines(text: string): readonly LogRecord[] {
    const records: LogRecord[] = [];
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      this.#keep(text.slice(from, at));
      const line = this.#taken();
      if (this.#isSkipping || line.length > maxLineLength) this.#tooLong();
      else for (const record of this.#take(line, false)) records.push(record);
      from = at + 1;
    }
    this.#keep(text.slice(from));
    this.#isSkipping ||= this.#length > maxLineLength;
    if (this.#isSkipping) [this.#pieces, this.#length] = [[], 0];
    return records;
  }

  #tooLong(): void {
    this.#line += 1;
    this.#isSkipping = false;
    this.damaged.push({ line: this.#line, why: `The line is longer than ${maxLineLength} characters.` });
  }

  #take(text: string, isLast: boolean): readonly LogRecord[] {
    this.#line += 1;
    const light = isLast ? undefined : this.#readLight?.(text);
    if (light) return [{ value: light, at: String(this.#line) }];
    if (text.trim() === "") return [];
    const { records, why, other } = readObjects(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text, this.#line);
    if (records.length === 0) this.other ??= other;
    const isTorn = isLast && records.length === 0;
    if (why !== undefined && !isTorn) this.damaged.push({ line: this.#line, why });
    return records;
  }
}

interface ReadLine {
  readonly records: readonly LogRecord[];
  readonly why?: string;
  readonly other?: unknown;
}

/** The objects of one line. Two that are glued together are both read. */
function readObjects(text: string, line: number): ReadLine {
  const whole = parse(text);
  if (isJsonObject(whole.value)) return { records: [{ value: whole.value, at: String(line) }] };
  if (whole.why === undefined) return { records: [], why: "The line is not an object.", other: whole.value };
  const values: JsonObject[] = [];
  let from = 0;
  while (from < text.length) {
    const to = endOfObject(text, from);
    const { value } = to > from ? parse(text.slice(from, to)) : { value: undefined };
    if (!isJsonObject(value)) break;
    values.push(value);
    from = to;
    while (from < text.length && text.charCodeAt(from) <= 0x20) from += 1;
  }
  return {
    records: values.map((value, index) => ({ value, at: index === 0 ? String(line) : `${line}.${index + 1}` })),
    ...(from >= text.length ? {} : { why: whole.why }),
  };
}

function parse(text: string): { readonly value?: unknown; readonly why?: string } {
  try {
    return { value: parseJson(text, { what: "line" }) };
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error;
    return { why: error.message };
  }
}

/** Where the object ends that begins at `start`, by its brackets outside of strings; `start` where it does not end. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x7b) depth += 1;
    else if (code === 0x7d) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
    if (depth === 0) return start;
  }
  return start;
}

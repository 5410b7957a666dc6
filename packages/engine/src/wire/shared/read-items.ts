import { anyListCheck, objectCheck, textCheck, wrongInput } from "../../model/check/input.ts";
import { parseJson } from "../../model/parse-json.ts";
import type {
  CustomPart,
  FileData,
  FilePart,
  JsonObject,
  ModelMessage,
  ToolResultContent,
  ToolSpec,
  UserPart,
} from "../../model/messages.ts";

/** Our messages, and the run of a provider's items that they stand for. */
export interface ReadUnit {
  readonly from: number;
  /** The index behind the last item. */
  readonly to: number;
  readonly messages: readonly ModelMessage[];
}

/** Reads a list of a provider's items from one of them on; paths in errors begin with `path`. */
export type ItemReader = (items: readonly unknown[], path: string, from?: number, names?: CallNames) => ReadUnit[];

/** The names of tools by the ids of their calls: results of most formats carry only the id. */
export type CallNames = Map<string, string>;

/** How the requests of a format are read. */
export interface RequestReader {
  /** The field that holds the items. */
  readonly list: string;
  /** Whether a text of the user may stand in their place. */
  readonly takesText?: true;
  readonly items: ItemReader;
  /** The system messages that a request has beside them. */
  readonly system?: (request: Fields) => readonly ModelMessage[];
  /** The tools, where they are not a list. */
  readonly tools?: (request: Fields) => unknown;
}

/** Items of which each is read by itself. */
export function readEach(
  items: readonly unknown[],
  path: string,
  start: number,
  read: (item: unknown, path: string) => readonly ModelMessage[],
): ReadUnit[] {
  // Not `map`, which passes over the holes of a list.
  return Array.from(items.slice(start), (item, index) => {
    const from = start + index;
    return { from, to: from + 1, messages: read(item, `${path}[${from}]`) };
  });
}

/** A request read back. */
export interface WireImport {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
}

/** Data from outside, of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsAt(value: unknown, path: string): Fields {
  objectCheck(value, path);
  return value as Fields;
}

export function textAt(fields: Fields, name: string, path: string): string {
  textCheck(fields[name], `${path}.${name}`);
  return fields[name] as string;
}

/** The text of a field that may be missing or null. */
export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value : undefined;
}

export function listAt(fields: Fields, name: string, path: string): readonly unknown[] {
  anyListCheck(fields[name], `${path}.${name}`);
  return fields[name] as readonly unknown[];
}

/** The parts of a message's content, each read with its own path; a mere text stays one. */
export function readContent<Part>(
  content: unknown,
  path: string,
  read: (part: Fields, path: string) => readonly Part[],
): string | Part[] {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw wrongInput(path, "a text or a list of parts", content);
  return content.flatMap((part, index) => read(fieldsAt(part, `${path}[${index}]`), `${path}[${index}]`));
}

/** The texts of a content, a line each: where only text is taken. */
export function readTexts(content: unknown, path: string): string {
  const parts = readContent(content, path, (part, at) => [textIn(part, "text") ?? textAt(part, "refusal", at)]);
  return typeof parts === "string" ? parts : parts.join("\n");
}

/** What a provider was told or said in a form that we have no part for: kept whole, and counted as JSON. */
export function opaquePart(provider: "openai" | "anthropic" | "google", part: Fields): CustomPart {
  const kind = typeof part["type"] === "string" ? part["type"] : (Object.keys(part)[0] ?? "part");
  // Only what is sent of it: programs mark items with symbols, and leave fields undefined.
  const sent = Object.entries(part).filter(([, value]) => value !== undefined);
  const providerOptions = { [provider]: Object.fromEntries(sent) as JsonObject };
  return { type: "custom", kind: `${provider}.${kind}`, providerOptions };
}

/** An image or file: bytes as base64 or a data URL, a URL, or the id under which a provider keeps it. */
export function mediaPart(
  source: string | Readonly<Record<string, string>>,
  mediaType: string,
  more: Pick<FilePart, "providerOptions"> & { readonly filename?: string | undefined } = {},
): FilePart {
  // A URL is recognised by its scheme, wherever data is read.
  const data: FileData =
    typeof source === "string" ? { type: "data", data: source } : { type: "reference", reference: { ...source } };
  const { filename, ...options } = more;
  return { type: "file", data, mediaType, ...(filename === undefined ? {} : { filename }), ...options };
}

/** What a tool gave, in the form of what a user may say. */
export function outputPiece(part: UserPart): ToolResultContent {
  // `mediaPart` makes no other images and files.
  return part as Extract<ToolResultContent, { type: "text" | "file" }>;
}

/** The media type that a data URL names. */
function dataUrlType(url: string): string | undefined {
  return /^data:([^;,]+)/i.exec(url)?.[1];
}

/** A file of OpenAI's by its id, or as data. */
export function openAiFile(file: Fields, path: string): FilePart {
  const filename = textIn(file, "filename");
  const id = textIn(file, "file_id");
  if (id !== undefined) return mediaPart({ openai: id }, "application/octet-stream", { filename });
  const data = textIn(file, "file_url") ?? textAt(file, "file_data", path);
  return mediaPart(data, dataUrlType(data) ?? "application/pdf", { filename });
}

/** A call's arguments: an object where the text is one, else the text as it is. */
export function readArguments(text: string): unknown {
  try {
    return parseJson(text, { what: "arguments", path: "" });
  } catch {
    return text;
  }
}

/**
 * Tools in any of the forms that providers take: with `inputSchema` (ours), `parameters` (OpenAI, also within
 * `function`), `input_schema` (Anthropic), or Gemini's lists of declarations. Tools that a provider runs itself have no
 * schema; their other settings are counted in its place.
 */
export function readTools(value: unknown, path: string): ToolSpec[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrongInput(path, "a list", value);
  return value.flatMap((item, index): ToolSpec[] => {
    const fields = fieldsAt(item, `${path}[${index}]`);
    if (Array.isArray(fields["functionDeclarations"]))
      return readTools(fields["functionDeclarations"], `${path}[${index}].functionDeclarations`);
    return [readTool(fields, `${path}[${index}]`)];
  });
}

// One for each tool that was read, so that it is counted once.
const known = new WeakMap<Fields, ToolSpec>();

function readTool(tool: Fields, path: string): ToolSpec {
  const before = known.get(tool);
  if (before) return before;
  const spec = "function" in tool ? fieldsAt(tool["function"], `${path}.function`) : tool;
  const name = textIn(spec, "name") ?? textIn(spec, "type") ?? Object.keys(spec)[0];
  if (name === undefined) throw wrongInput(`${path}.name`, "a text", undefined);
  const schema = spec["inputSchema"] ?? spec["input_schema"] ?? spec["parameters"] ?? spec["parametersJsonSchema"];
  const description = textIn(spec, "description");
  const read: ToolSpec = {
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema: (typeof schema === "object" && schema !== null ? schema : {}) as JsonObject,
  };
  known.set(tool, read);
  return read;
}

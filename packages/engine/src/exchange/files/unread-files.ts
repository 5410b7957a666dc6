import { GalleyError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/messages.ts";
import { isJsonObject } from "../../model/parse-json.ts";
import { objectOf, objectsOf, textOf } from "./json-fields.ts";

/** What can be read, for people whose file cannot be. */
export const readableLogs =
  "Logs of Claude Code, Codex, pi, opencode, Gemini CLI, Copilot CLI and Galley can be read. " +
  "Sessions in opencode's database: `galley logs` lists them, `galley logs open ID` imports one.";
export const readableTavern =
  "Of SillyTavern's files, cards (PNG, CharX, JSON), world info, chat-completion presets, chats, personas, author's notes " +
  "and settings.json can be read.";

const has = (record: JsonObject, ...fields: readonly string[]): boolean => fields.every((field) => field in record);

/** Formats that are known by name and not read yet, so that a person is told what the file is. */
const unread: readonly (readonly [title: string, is: (record: JsonObject) => boolean])[] = [
  [
    "what Claude Code notes about a sub-agent (its log is the .jsonl beside this file)",
    (record) => has(record, "agentType"),
  ],
  ["a conversation of Cline", (record) => has(record, "ts", "type") && (has(record, "say") || has(record, "ask"))],
  [
    "a conversation of OpenHands",
    (record) =>
      (textOf(record["kind"]) ?? "").endsWith("Event") ||
      (has(record, "source") && (has(record, "action") || has(record, "observation"))),
  ],
  ["a conversation of OpenHands", (record) => has(record, "baseState") || has(record, "trajectory")],
  ["a conversation of LangChain", (record) => record["lc"] === 1],
  [
    "a conversation of Cursor",
    (record) => has(record, "role", "message") && Array.isArray(objectOf(record["message"])["content"]),
  ],
  ["a conversation of ShareGPT", (record) => Array.isArray(record["conversations"])],
  ["an export of ChatGPT", (record) => has(record, "mapping", "current_node")],
  ["an evaluation by Inspect", (record) => has(record, "samples", "eval")],
  [
    "a recording of goose",
    (record) => Object.values(record).some((value) => isJsonObject(value) && has(value, "input", "output")),
  ],
  [
    "a request to OpenAI or Anthropic",
    (record) => has(record, "messages") && objectsOf(record["messages"]).some((message) => has(message, "role")),
  ],
  ["messages of a model API", (record) => has(record, "role", "content")],
];

/**
 * Says by name what a file is that cannot be read yet; nothing for one that is not known at all.
 * @param value its JSON, or the first record of it
 * @param start its first lines, which tell what is not JSON
 */
export function unreadFile(value: unknown, start: string): GalleyError | undefined {
  const record = Array.isArray(value) ? objectsOf(value)[0] : isJsonObject(value) ? value : undefined;
  const title = (record && unread.find(([, is]) => is(record))?.[0]) ?? textTitle(start);
  if (title === undefined) return undefined;
  return new GalleyError("ImportFailed", `This file is ${title}, which Galley cannot read yet.`, {
    hint: readableLogs,
  });
}

function textTitle(start: string): string | undefined {
  if (/^# aider chat started at/m.test(start)) return "a conversation of aider";
  if (/^interactions:/m.test(start)) return "a cassette of recorded HTTP requests";
  if (start.startsWith("SQLite format 3\0")) return "a database";
  return undefined;
}

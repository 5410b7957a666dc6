import type { GalleyError } from "../../model/check/errors.ts";
import type { JsonObject, JsonValue } from "../../model/messages.ts";
import { isJsonObject } from "../../model/parse-json.ts";
import { importFailed } from "./import-report.ts";
import { objectOf, objectsOf, textOf } from "./json-fields.ts";

/** What can be read, for people whose file cannot be. */
export const readableLogs =
  "Logs of Claude Code, Codex, pi, opencode, Gemini CLI, Copilot CLI and Galley can be read. " +
  "Sessions in opencode's database: `galley logs` lists them, `galley logs open ID` imports one.";
export const readableTavern =
  "Of SillyTavern's files, cards (PNG, CharX, JSON), world info, chat-completion presets, chats, personas, author's notes " +
  "and settings.json can be read.";

export const has = (record: JsonObject, ...fields: readonly string[]): boolean =>
  fields.every((field) => field in record);

const speakers: ReadonlySet<string> = new Set(["human", "ai", "tool", "system"]);

/** The fields of the first of a list. */
const first = (list: JsonValue | undefined): JsonObject => objectsOf(list)[0] ?? {};

/** Formats that are known by name and not read yet, so that a person is told what the file is. The first that fits counts. */
const unread: readonly (readonly [title: string, is: (record: JsonObject) => boolean])[] = [
  [
    "what Claude Code notes about a sub-agent (its log is the .jsonl beside this file)",
    (record) => has(record, "agentType"),
  ],
  ["a session of Qwen Code", isQwen],
  ["a conversation of Cline", (record) => has(record, "ts", "type") && (has(record, "say") || has(record, "ask"))],
  ["a session of Cline", (record) => has(record, "agent", "sessionId", "messages", "system_prompt")],
  ["a run of SWE-agent", (record) => has(record, "trajectory", "history", "info")],
  [
    "a conversation of OpenHands",
    (record) =>
      (textOf(record["kind"]) ?? "").endsWith("Event") ||
      (has(record, "source") && (has(record, "action") || has(record, "observation"))),
  ],
  [
    "a conversation of OpenHands",
    (record) =>
      has(record, "baseState") || has(record, "trajectory") || (has(record, "instruction") && isActed(record)),
  ],
  [
    "a conversation of LangChain",
    (record) => record["lc"] === 1 || (speakers.has(textOf(record["type"]) ?? "") && has(record, "data")),
  ],
  [
    "a conversation of Cursor",
    (record) => has(record, "role", "message") && Array.isArray(objectOf(record["message"])["content"]),
  ],
  ["a session of Continue", (record) => has(record, "sessionId", "history", "workspaceDirectory")],
  ["a conversation of ShareGPT", (record) => Array.isArray(record["conversations"])],
  ["an export of ChatGPT", (record) => has(record, "mapping", "current_node")],
  ["an export of Claude", (record) => has(record, "uuid", "chat_messages")],
  ["an evaluation by Inspect", (record) => has(record, "samples", "eval")],
  ["a result of tau-bench", (record) => has(record, "task_id", "traj")],
  ["a run of ToolBench", (record) => has(record, "answer_generation", "tree")],
  ["a run of MINT", (record) => has(objectOf(record["state"]), "history") && has(record, "task")],
  ["a cassette of recorded HTTP requests", (record) => isCassette(record) || isCassette(objectOf(record["log"]))],
  [
    "a session of goose",
    (record) => has(record, "working_dir", "message_count") || has(record, "role", "created", "content"),
  ],
  [
    "a recording of goose",
    (record) => Object.values(record).some((value) => isJsonObject(value) && has(value, "input", "output")),
  ],
  ["messages of the AI SDK", (record) => has(record, "role", "parts") && has(first(record["parts"]), "type")],
  [
    "a request to OpenAI or Anthropic",
    (record) =>
      has(record, "messages") ? objectsOf(record["messages"]).some((message) => has(message, "role")) : isAsked(record),
  ],
  ["messages of a model API", (record) => has(record, "role", "content")],
];

/** Its records have the fields of Claude Code's; what was said stands in `parts`, as Gemini has it. */
export function isQwen(record: JsonObject): boolean {
  return has(record, "sessionId", "uuid") && Array.isArray(objectOf(record["message"])["parts"]);
}

function isActed(record: JsonObject): boolean {
  const [one] = Array.isArray(record["history"]) ? record["history"] : [];
  const step = Array.isArray(one) ? first(one) : objectOf(one);
  return has(step, "action") || has(step, "observation");
}

function isCassette(record: JsonObject): boolean {
  // Browsers write entries.
  const isArchive = has(first(record["entries"]), "request", "response");
  return Array.isArray(record["interactions"]) || Array.isArray(record["http_interactions"]) || isArchive;
}

/** A request in the form of OpenAI's Responses. */
function isAsked(record: JsonObject): boolean {
  return has(record, "model", "input") && (typeof record["input"] === "string" || Array.isArray(record["input"]));
}

/**
 * Says by name what a file is that cannot be read yet; nothing for one that is not known at all.
 * @param value its JSON, or the first record of it
 * @param start its first lines, which tell what is not JSON
 */
export function unreadFile(value: unknown, start: string): GalleyError | undefined {
  const record = Array.isArray(value) ? objectsOf(value)[0] : isJsonObject(value) ? value : undefined;
  const title = (record && unread.find(([, is]) => is(record))?.[0]) ?? textTitle(start);
  if (title === undefined) return undefined;
  return importFailed(`This file is ${title}, which Galley cannot read yet.`, readableLogs);
}

function textTitle(start: string): string | undefined {
  if (/^# aider chat started at/m.test(start)) return "a conversation of aider";
  if (/^interactions:/m.test(start)) return "a cassette of recorded HTTP requests";
  if (start.startsWith("SQLite format 3\0")) return "a database";
  return undefined;
}

import type { CallFacts, Tally } from "../../model/entries.ts";
import type {
  AssistantPart,
  JsonObject,
  ModelMessage,
  ProviderOptions,
  ToolResultPart,
  UserPart,
} from "../../model/messages.ts";
import { isJsonObject } from "../../model/parse-json.ts";
import { numberOf, objectOf, objectsOf, textOf, timeOf } from "../files/json-fields.ts";
import { AgentWindow, type ResultPlace, clearedResults } from "./agent-window.ts";
import type { LogRecord } from "./log-types.ts";
import { type Origin, type SessionWriter, callFacts, textResult, usageOf } from "./log-writer.ts";
import type { FormatReader, OpenReader, ReaderContext } from "./reader.ts";

/** Parts that say what happened to files and snapshots; no model reads them. */
const aside = new Set(["step-start", "step-finish", "snapshot", "patch", "agent", "retry"]);

/**
 * What `opencode export` writes: one document with the session and its messages. Where a host reads opencode's own store, the
 * document's `messages` are empty and each message follows as a record, so that a session of any size can be read. A call and
 * its result are one part.
 */
export const opencode: OpenReader = (context) => new Opencode(context);

class Opencode implements FormatReader {
  readonly #context: ReaderContext;
  #session: SessionWriter | undefined;
  #count = 0;
  // What had been said before each message, for compactions that keep the messages from there on.
  readonly #before = new Map<string, Tally>();
  #keptFrom: string | undefined;
  readonly #window = new AgentWindow();
  // Results that were cleared, and when: the messages before that had read them.
  #clears: Clear[] = [];

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  read({ value, at }: LogRecord): void {
    if (Array.isArray(value["messages"])) this.#begin(objectOf(value["info"]));
    const session = (this.#session ??= this.#begin({}));
    for (const message of objectsOf(value["messages"])) this.#readMessage(session, message);
    if (Array.isArray(value["parts"])) this.#readMessage(session, value);
    else if (!Array.isArray(value["messages"])) session.custom({ id: `line-${at}`, ts: 0 }, "record", value);
  }

  end(): void {
    this.#clear(Infinity);
  }

  #begin(info: JsonObject): SessionWriter {
    const parent = textOf(info["parentID"]);
    this.#session = this.#context.writer.session(`opencode:${textOf(info["id"]) ?? this.#context.name}`, {
      folder: textOf(info["directory"]),
      title: textOf(info["title"]),
      ...(parent === undefined ? {} : { parent: `opencode:${parent}` }),
    });
    return this.#session;
  }

  #readMessage(session: SessionWriter, message: JsonObject): void {
    this.#count += 1;
    const facts = objectOf(message["info"]);
    const origin = {
      id: textOf(facts["id"]) ?? `message-${this.#count}`,
      ts: timeOf(objectOf(facts["time"])["created"]),
    };
    this.#clear(typeof origin.ts === "number" ? origin.ts : 0);
    this.#before.set(origin.id, session.tally());
    const parts = objectsOf(message["parts"]);
    for (const part of parts) {
      const type = textOf(part["type"]) ?? "";
      if (aside.has(type)) this.#context.leftOut(`parts of the kind ${type}`);
      // The person, or the program, asks for a compaction; the summary is the reply.
      if (type === "compaction") this.#keptFrom = textOf(part["tail_start_id"]);
    }
    if (facts["summary"] === true && facts["role"] !== "user") return this.#readSummary(session, origin, parts);
    const { first, clears } =
      facts["role"] === "user"
        ? { first: readUser(session, origin, parts, this.#context), clears: [] }
        : readAssistant(session, origin, facts, parts);
    if (first !== undefined) this.#window.wrote(first);
    this.#clears.push(...clears);
  }

  /** Says which results had left the window before this time. The agent's program marks them one by one, between two messages. */
  #clear(time: number): void {
    const due = this.#clears.filter((clear) => clear.time <= time);
    if (due.length === 0 || !this.#session) return;
    this.#clears = this.#clears.filter((clear) => clear.time > time);
    this.#context.converted(clearedResults);
    const ts = Math.max(...due.map((clear) => clear.time));
    const decision = this.#window.cleared(due.map(({ entryId, part }) => ({ entryId, part })));
    this.#session.compaction({ id: `cleared-${ts}`, ts }, decision);
  }

  #readSummary(session: SessionWriter, origin: Origin, parts: readonly JsonObject[]): void {
    this.#context.converted("compactions of the agent");
    const kept = this.#keptFrom === undefined ? undefined : this.#before.get(this.#keptFrom);
    const summary = parts.map((part) => (part["type"] === "text" ? (textOf(part["text"]) ?? "") : "")).join("");
    const said = { summary, summarisedBy: "opencode", summarised: kept ?? session.tally() };
    session.compaction(origin, this.#window.compacted(said, kept && this.#keptFrom ? this.#keptFrom : null));
    this.#keptFrom = undefined;
  }
}

/** A result that left the window, and when that was. */
interface Clear extends ResultPlace {
  readonly time: number;
}

function readUser(
  session: SessionWriter,
  origin: Origin,
  parts: readonly JsonObject[],
  { converted }: ReaderContext,
): string | undefined {
  const content = parts.flatMap((part): UserPart[] => {
    const type = textOf(part["type"]);
    if (type === "text") return [{ type: "text", text: textOf(part["text"]) ?? "" }];
    if (type === "subtask") {
      converted("requests for a sub-task, as messages of the user");
      return [{ type: "text", text: textOf(part["prompt"]) ?? "" }];
    }
    const url = textOf(part["url"]);
    if (type !== "file" || url === undefined) return [];
    return [{ type: "file", data: url, mediaType: textOf(part["mime"]) ?? "application/octet-stream" }];
  });
  if (content.length === 0) return undefined;
  const [only] = content;
  return session.message(origin, {
    role: "user",
    content: content.length === 1 && only?.type === "text" ? only.text : content,
  });
}

/** One message may hold several calls of the model, each begun by `step-start`. Gives its first entry, and what was cleared. */
function readAssistant(
  session: SessionWriter,
  origin: Origin,
  facts: JsonObject,
  parts: readonly JsonObject[],
): { readonly first: string | undefined; readonly clears: readonly Clear[] } {
  const steps = stepsOf(parts);
  const clears: Clear[] = [];
  let first: string | undefined;
  for (const [index, step] of steps.entries()) {
    const id = index === 0 ? origin.id : `${origin.id}/${index + 1}`;
    const ids = new Set<string>();
    const said: AssistantPart[] = [];
    const results: ToolResultPart[] = [];
    for (const part of step) readPart(part, ids, said, results);
    const call = index === steps.length - 1 || steps.length === 1 ? callOf(facts) : {};
    const write = (own: string, content: ModelMessage, facts?: CallFacts): string => {
      const entryId = session.message({ id: own, ts: origin.ts }, content, facts);
      first ??= entryId;
      return entryId;
    };
    if (said.length > 0) write(id, { role: "assistant", content: said }, call);
    if (results.length === 0) continue;
    const entryId = write(`${id}/results`, { role: "tool", content: results });
    for (const [part, time] of step.flatMap(clearedAt).entries()) if (time >= 0) clears.push({ time, entryId, part });
  }
  return { first, clears };
}

/** When each result of a part was cleared; -1 where it was not. */
function clearedAt(part: JsonObject): readonly number[] {
  const state = objectOf(part["state"]);
  if (part["type"] !== "tool" || !hasResult(state)) return [];
  return [numberOf(objectOf(state["time"])["compacted"]) ?? -1];
}

function hasResult(state: JsonObject): boolean {
  return state["status"] === "completed" || state["status"] === "error";
}

function stepsOf(parts: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  const steps: JsonObject[][] = [];
  for (const part of parts) {
    if (part["type"] === "step-start" || steps.length === 0) steps.push([]);
    if (!aside.has(textOf(part["type"]) ?? "") && part["type"] !== "compaction") steps.at(-1)?.push(part);
  }
  return steps.filter((step) => step.length > 0);
}

function readPart(part: JsonObject, ids: Set<string>, said: AssistantPart[], results: ToolResultPart[]): void {
  const [type, text] = [textOf(part["type"]), textOf(part["text"]) ?? ""];
  if (type === "text") said.push({ type: "text", text });
  else if (type === "reasoning") said.push({ type: "reasoning", text, ...optionsOf(part) });
  else if (type === "tool") {
    const state = objectOf(part["state"]);
    const wanted = textOf(part["callID"]) ?? "";
    // Two calls of one reply may share an id; the part's own is unique.
    const toolCallId = ids.has(wanted) ? (textOf(part["id"]) ?? `${wanted}-${ids.size}`) : wanted;
    ids.add(toolCallId);
    const toolName = textOf(part["tool"]) ?? "tool";
    said.push({ type: "tool-call", toolCallId, toolName, input: state["input"] ?? {} });
    if (hasResult(state)) {
      const isError = state["status"] === "error";
      const value = textOf(state[isError ? "error" : "output"]) ?? "";
      results.push(textResult(toolCallId, toolName, value, isError));
    }
  } else said.push({ type: "text", text: text === "" ? JSON.stringify(part) : text });
}

function optionsOf(part: JsonObject): { readonly providerOptions?: ProviderOptions } {
  const options = Object.entries(objectOf(part["metadata"])).filter(([, value]) => isJsonObject(value));
  return options.length === 0 ? {} : { providerOptions: Object.fromEntries(options) as ProviderOptions };
}

const usageFields = { input: ["input", "read", "write"], output: ["output"], cached: ["read"] };

function callOf(facts: JsonObject): CallFacts {
  const tokens = objectOf(facts["tokens"]);
  const figures = facts["tokens"] === undefined ? undefined : { ...tokens, ...objectOf(tokens["cache"]) };
  return callFacts(facts["modelID"], usageOf(figures, usageFields));
}

import type { CallFacts } from "../../model/entries.ts";
import type { AssistantPart, JsonObject, JsonValue, UserPart } from "../../model/messages.ts";
import { assistantPart, blocksOf, toolPart, userPart } from "./anthropic-blocks.ts";
import { numberOf, objectOf, textOf, timeOf } from "../files/json-fields.ts";
import { AgentWindow, type ResultPlace, clearedResults } from "./agent-window.ts";
import { type Origin, type SessionWriter, callFacts, usageOf } from "./log-writer.ts";

/** A reply under way: its blocks come one a line. */
interface OpenReply {
  readonly messageId: string;
  readonly origin: Origin;
  readonly uuids: string[];
  /** What the first line of each id says. */
  readonly firsts: Map<string, JsonValue | undefined>;
  /** Of ids that came again, all that they said. */
  readonly said: Set<string>;
  readonly parts: AssistantPart[];
  call: CallFacts;
}

interface WaitingRecord {
  readonly uuid: string | undefined;
  readonly write: () => string | undefined;
}

/** One conversation of Claude Code: the main one, or that of a sub-agent. */
export class ClaudeChain {
  readonly #writer: SessionWriter;
  readonly #converted: (what: string) => void;
  // Which entry a record became, or led to.
  readonly #entryOf = new Map<string, string>();
  readonly #toolNames = new Map<string, string>();
  readonly #resultAt = new Map<string, ResultPlace>();
  #reply: OpenReply | undefined;
  // Replies whose usage was told: one that goes on behind something else is counted once.
  readonly #counted = new Set<string>();
  #unnamed = 0;
  // Records that came while the reply was not whole yet. They follow it one after the other, whatever they name as their
  // parents: results of calls that ran side by side each name a line of the reply.
  #waiting: WaitingRecord[] = [];
  // A compaction whose summary comes with the next record.
  #boundary: JsonObject | undefined;
  readonly #window = new AgentWindow();

  constructor(writer: SessionWriter, converted: (what: string) => void) {
    this.#writer = writer;
    this.#converted = converted;
  }

  /** A record of the user or the assistant. */
  said(record: JsonObject): void {
    if (record["isCompactSummary"] === true) {
      const boundary = this.#boundary ?? record;
      this.#boundary = undefined;
      const blocks = blocksOf(objectOf(record["message"])["content"]);
      this.#compacted(record, boundary, blocks.map((block) => textOf(block["text"]) ?? "").join("\n"));
      return;
    }
    this.#settle();
    if (record["type"] === "assistant") this.#assistant(record);
    else this.#user(record);
  }

  /** Everything before is out of the window. */
  boundary(record: JsonObject): void {
    this.flush();
    this.#boundary = record;
  }

  /** Results of tools that were cleared from the window. */
  cleared(record: JsonObject): void {
    this.flush();
    const { compactedToolIds: ids } = objectOf(record["microcompactMetadata"]);
    const found = (Array.isArray(ids) ? ids : []).flatMap((id) => this.#resultAt.get(textOf(id) ?? "") ?? []);
    this.#converted(clearedResults);
    this.#stands(record, this.#writer.compaction(this.#originOf(record), this.#window.cleared(found)));
  }

  /** A record that is part of the chain and of which nothing is written. */
  passes(record: JsonObject): void {
    this.#behindReply(record, ({ parent }) => parent ?? undefined);
  }

  /** A record that is part of the chain and not of the conversation. */
  other(record: JsonObject, at: string, kind: string): void {
    const id = textOf(record["uuid"]) ?? `line-${at}`;
    this.#behindReply(record, (origin) => this.#writer.custom({ ...origin, id }, kind, record));
  }

  title(title: string | undefined): void {
    this.#writer.note({ title });
  }

  /** Writes what waits for more. */
  flush(): void {
    this.#settle();
    this.#writeReply();
  }

  #originOf(record: JsonObject): Origin {
    const [id, parent] = [textOf(record["uuid"]), textOf(record["parentUuid"])];
    const ts = timeOf(record["timestamp"]);
    const known = parent === undefined ? undefined : this.#entryOf.get(parent);
    const follows = record["parentUuid"] === null ? null : known;
    return { id: id ?? `${this.#writer.id}@${ts}`, ts, parent: follows };
  }

  #wrote(record: JsonObject, id: string): void {
    this.#stands(record, id);
    this.#window.wrote(id);
  }

  /** What follows the record follows the entry. */
  #stands(record: JsonObject, id: string): void {
    const uuid = textOf(record["uuid"]);
    if (uuid !== undefined) this.#entryOf.set(uuid, id);
  }

  #writeReply(): void {
    if (this.#reply) {
      const { messageId, origin, parts, call, uuids, firsts, said } = this.#reply;
      if (firsts.size > 1 || said.size > 1) this.#converted("replies that came in several lines, joined");
      const { usage, ...facts } = call;
      const told = usage === undefined || this.#counted.has(messageId) ? facts : call;
      this.#counted.add(messageId);
      const id = this.#writer.message(origin, { role: "assistant", content: parts }, told);
      for (const uuid of uuids) this.#entryOf.set(uuid, id);
      this.#window.wrote(id);
    }
    this.#reply = undefined;
    const batch = this.#waiting;
    this.#waiting = [];
    let last: string | undefined;
    for (const { write } of batch) last = write() ?? last;
    if (last === undefined) return;
    for (const { uuid } of batch) if (uuid !== undefined) this.#entryOf.set(uuid, last);
  }

  /** Writes at once, or behind the reply that is not whole yet. */
  #behindReply(record: JsonObject, write: (origin: Origin) => string | undefined): void {
    const uuid = textOf(record["uuid"]);
    if (this.#reply) {
      this.#waiting.push({ uuid, write: () => write({ ...this.#originOf(record), parent: undefined }) });
      return;
    }
    const id = write(this.#originOf(record));
    if (id !== undefined) this.#wrote(record, id);
  }

  /** A boundary without a summary: what was before it is gone all the same. */
  #settle(): void {
    if (!this.#boundary) return;
    const boundary = this.#boundary;
    this.#boundary = undefined;
    this.#compacted(boundary, boundary, undefined);
  }

  #compacted(record: JsonObject, boundary: JsonObject, summary: string | undefined): void {
    this.#writeReply();
    this.#converted("compactions of the agent");
    const tokens = numberOf(objectOf(boundary["compactMetadata"])["preTokens"]);
    const said = this.#writer.replaced("claude-code", summary, tokens);
    // It names no parent, and follows all the same.
    const origin = { ...this.#originOf(boundary), parent: undefined };
    const id = this.#writer.compaction(origin, this.#window.compacted(said, null));
    for (const each of [record, boundary]) this.#stands(each, id);
  }

  #assistant(record: JsonObject): void {
    const message = objectOf(record["message"]);
    if (record["isApiErrorMessage"] === true || message["model"] === "<synthetic>") {
      this.#writeReply();
      this.#wrote(record, this.#writer.custom(this.#originOf(record), "api-error", record));
      return;
    }
    const messageId = textOf(message["id"]) ?? textOf(record["uuid"]) ?? `unnamed ${(this.#unnamed += 1)}`;
    if (this.#reply?.messageId !== messageId) this.#writeReply();
    this.#reply ??= openReply(messageId, this.#originOf(record));
    const uuid = textOf(record["uuid"]) ?? "";
    if (repeats(this.#reply, uuid, message["content"])) return this.#writer.repeats();
    if (uuid !== "") this.#reply.uuids.push(uuid);
    this.#reply.call = callFacts(message["model"], usageOf(message["usage"], usageFields));
    for (const block of blocksOf(message["content"])) {
      const part = assistantPart(block) ?? ({ type: "text", text: JSON.stringify(block) } as const);
      if (part.type === "tool-call") this.#toolNames.set(part.toolCallId, part.toolName);
      this.#reply.parts.push(part);
    }
  }

  #user(record: JsonObject): void {
    const blocks = blocksOf(objectOf(record["message"])["content"]);
    const given = blocks.filter((block) => block["type"] === "tool_result");
    const words = blocks.filter((block) => block["type"] !== "tool_result");
    if (given.length > 0) this.#results(record, given);
    if (given.length > 0 && words.length === 0) return;
    this.#writeReply();
    const parts = words.map((block): UserPart => userPart(block) ?? { type: "text", text: JSON.stringify(block) });
    const [first] = parts;
    const content = parts.length === 1 && first?.type === "text" ? first.text : parts;
    const { id, ts, parent } = this.#originOf(record);
    const origin = given.length > 0 ? { id: `${id}/said`, ts } : { id, ts, parent };
    this.#wrote(record, this.#writer.message(origin, { role: "user", content }));
  }

  #results(record: JsonObject, blocks: readonly JsonObject[]): void {
    this.#behindReply(record, ({ id: wanted, ts }) => {
      const content = blocks.map((block) => toolPart(block, (id) => this.#toolNames.get(id)));
      const id = this.#writer.message({ id: wanted, ts }, { role: "tool", content });
      for (const [part, { toolCallId }] of content.entries()) this.#resultAt.set(toolCallId, { entryId: id, part });
      return id;
    });
  }
}

function openReply(messageId: string, origin: Origin): OpenReply {
  return { messageId, origin, uuids: [], firsts: new Map(), said: new Set(), parts: [], call: {} };
}

/** Whether a line of a reply says what one of the same id has said. Looked at where an id comes again: hardly one does. */
function repeats({ firsts, said }: OpenReply, uuid: string, content: JsonValue | undefined): boolean {
  const lineOf = (what: JsonValue | undefined): string => `${uuid} ${JSON.stringify(what ?? null)}`;
  if (!firsts.has(uuid)) {
    firsts.set(uuid, content);
    return false;
  }
  said.add(lineOf(firsts.get(uuid)));
  const line = lineOf(content);
  if (said.has(line)) return true;
  said.add(line);
  return false;
}

/** Every line of a reply repeats what it cost; the last figures count. */
const usageFields = {
  input: ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"],
  output: ["output_tokens"],
  cached: ["cache_read_input_tokens"],
};

import type { CallFacts, CompactionEntry, MessageEntry, SessionEntry, Tally } from "../../model/entries.ts";
import type {
  AssistantMessage,
  AssistantPart,
  JsonObject,
  JsonValue,
  ModelMessage,
  ToolResultPart,
} from "../../model/messages.ts";
import { numberOf, objectOf, textOf } from "../files/json-fields.ts";
import { fingerprint } from "./fingerprint.ts";
import { maskSecrets } from "./mask-secrets.ts";
import type { LogCounts, LogEntry, LogFormat, LogSession } from "./log-types.ts";

/** What a record says of itself: its id, its time and what it follows. */
export interface Origin {
  readonly id: string;
  readonly ts: string | number;
  /** The entry that it follows; `undefined` for the one before it, `null` for none. */
  readonly parent?: string | null | undefined;
}

/** The call behind a reply, as far as a log says. */
export function callFacts(model: JsonValue | undefined, usage: CallFacts["usage"]): CallFacts {
  const name = textOf(model);
  return { ...(name === undefined ? {} : { model: name }), ...(usage ? { usage } : {}) };
}

/** The fields with the figures of a call, by what each counts; those of one kind are added up. */
interface UsageFields {
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly cached: readonly string[];
}

/** What a log says that a call has cost; nothing where it does not say it. */
export function usageOf(said: JsonValue | undefined, { input, output, cached }: UsageFields): CallFacts["usage"] {
  if (said === undefined) return undefined;
  const figures = objectOf(said);
  const sum = (names: readonly string[]): number =>
    names.reduce((total, name) => total + (numberOf(figures[name]) ?? 0), 0);
  return { inputTokens: sum(input), outputTokens: sum(output), cachedInputTokens: sum(cached) };
}

/** What a tool gave, as text. */
export function textResult(toolCallId: string, toolName: string, value: string, isError: boolean): ToolResultPart {
  return { type: "tool-result", toolCallId, toolName, output: { type: isError ? "error-text" : "text", value } };
}

/** What is known of a conversation besides its messages. */
export interface SessionFacts {
  readonly parent?: string | undefined;
  readonly title?: string | undefined;
  readonly folder?: string | undefined;
}

/** What a log says of a compaction that its agent made. */
export type AgentsCompaction = Pick<
  CompactionEntry,
  "firstKeptEntryId" | "carried" | "shrunk" | "summary" | "summarisedBy" | "summarised" | "dropped"
>;

/** What stands for the messages that a compaction took out of the window. */
export type ReplacedMessages = Omit<AgentsCompaction, "firstKeptEntryId" | "shrunk">;

/** What is left out of a log that is read for its texts. */
interface ReadingOptions {
  /** Leaves other records out, and does not compare records with one id. */
  readonly messagesOnly?: boolean | undefined;
  readonly clipsResults?: boolean | undefined;
}

interface WriterOptions extends ReadingOptions {
  readonly format: LogFormat;
  /** Takes each entry, and nothing for a record that repeats one. */
  readonly emit: (entry: LogEntry | undefined) => void;
  /** Is told the kind of each secret that was masked. */
  readonly onSecret: (kind: string) => void;
}

type EntryFields = { readonly type: SessionEntry["type"] } & Readonly<Record<string, unknown>>;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const notCompared = { print: "", size: 0 };

/** The sessions of a log, and what was written since it was last asked. */
export class LogWriter {
  readonly #options: WriterOptions;
  readonly #sessions = new Map<string, SessionWriter>();
  #written: LogEntry[] = [];
  #repeats = 0;

  constructor(options: Omit<WriterOptions, "emit">) {
    const emit = (entry: LogEntry | undefined): void => {
      if (entry) this.#written.push(entry);
      else this.#repeats += 1;
    };
    this.#options = { ...options, emit };
  }

  session(id: string, facts: SessionFacts = {}): SessionWriter {
    const session = this.#sessions.get(id) ?? new SessionWriter(id, this.#options);
    this.#sessions.set(id, session);
    session.note(facts);
    return session;
  }

  take(): readonly LogEntry[] {
    const taken = this.#written;
    this.#written = [];
    return taken;
  }

  sessions(): readonly LogSession[] {
    const { format } = this.#options;
    return [...this.#sessions].map(([id, { facts, counts }]) => ({ id, format, ...facts, counts: { ...counts } }));
  }

  /** How often a record repeated one before it. */
  repeated(): number {
    return this.#repeats;
  }
}

/** Writes the entries of one conversation. Each method gives the id that the entry has got. */
export class SessionWriter {
  readonly id: string;
  readonly counts: Mutable<LogCounts> = { messages: 0, calls: 0, results: 0, usage: 0, compactions: 0, custom: 0 };
  facts: SessionFacts = {};
  readonly #options: WriterOptions;
  // By id, what was written under it: a record may come twice, and another one may have its id.
  readonly #known = new Map<string, string>();
  #last: string | null = null;

  constructor(id: string, options: WriterOptions) {
    this.id = id;
    this.#options = options;
  }

  message(origin: Origin, message: ModelMessage, call?: CallFacts): string {
    const own = message.role === "assistant" ? this.#withoutRepeats(message) : message;
    const read = this.#options.clipsResults ? clipped(own) : own;
    return this.#put(origin, { type: "message", message: read, ...(call ? { call } : {}) }, () => {
      this.#count(own);
      if (call?.usage) this.counts.usage += 1;
    });
  }

  /** Counts a record that says what one before it has said. */
  repeats(): void {
    this.#options.emit(undefined);
  }

  /** A call that a log repeats within a reply is one call; another one of the same id gets an id of its own. */
  #withoutRepeats(message: AssistantMessage): AssistantMessage {
    if (typeof message.content === "string") return message;
    const calls = message.content.filter((part) => part.type === "tool-call");
    if (new Set(calls.map(({ toolCallId }) => toolCallId)).size === calls.length) return message;
    const known = new Map<string, string>();
    const content = message.content.flatMap((part): AssistantPart[] => {
      if (part.type !== "tool-call") return [part];
      const print = fingerprint(part).print;
      const first = known.get(part.toolCallId);
      if (first === print) this.repeats();
      if (first === print) return [];
      const toolCallId = first === undefined ? part.toolCallId : `${part.toolCallId}~${print}`;
      known.set(toolCallId, print);
      return [{ ...part, toolCallId }];
    });
    return { ...message, content };
  }

  compaction(origin: Origin, decision: AgentsCompaction): string {
    // What no summary stands for is said, so that it is not counted a second time.
    return this.#put(origin, { type: "compaction", dropped: { count: 0, tokens: 0 }, ...decision }, () => {
      this.counts.compactions += 1;
    });
  }

  /** A record that is not a message, kept as it is. */
  custom(origin: Origin, kind: string, record: JsonObject): string {
    if (this.#options.messagesOnly) return origin.id;
    return this.#put(origin, { type: "custom", kind: `${this.#options.format}/${kind}`, record }, () => {
      this.counts.custom += 1;
    });
  }

  /** An entry of Galley's own, as it is. */
  entry({ id, ts, parentId, ...fields }: SessionEntry): string {
    return this.#put({ id, ts, parent: parentId }, fields, () => {
      if (fields.type === "message") this.#count((fields as unknown as MessageEntry).message);
      else if (fields.type === "compaction") this.counts.compactions += 1;
      else this.counts.custom += 1;
    });
  }

  /** What is learned of the session: the first folder and parent count, and the last title. */
  note(facts: SessionFacts): void {
    const { parent = facts.parent, folder = facts.folder, title } = this.facts;
    this.facts = { parent, folder, title: facts.title ?? title };
  }

  /** All messages so far: what a compaction stands for. */
  tally(tokens = 0): Tally {
    return { count: this.counts.messages + this.counts.results, tokens };
  }

  /** What a compaction says of all messages so far: that a summary stands for them, or that nothing does. */
  replaced(by: string, summary: string | undefined, tokens?: number): ReplacedMessages {
    const tally = this.tally(tokens);
    return summary === undefined ? { dropped: tally } : { summary, summarisedBy: by, summarised: tally };
  }

  #put({ id: own, ts, parent }: Origin, given: EntryFields, count: () => void): string {
    const wanted = own === "" ? `record-${this.#known.size + 1}` : own;
    // Galley's own entries stay as they are: what they were built into has digests.
    const { format, emit, onSecret, messagesOnly } = this.#options;
    const seen: string[] = [];
    const fields = format === "galley" ? given : maskSecrets(given, (kind) => seen.push(kind));
    const { print, size } = messagesOnly ? notCompared : fingerprint({ ts, ...fields });
    const isTaken = this.#known.has(wanted) && this.#known.get(wanted) !== print;
    const id = isTaken ? `${wanted}~${print}` : wanted;
    if (this.#known.has(id)) {
      emit(undefined);
      return id;
    }
    this.#known.set(id, print);
    for (const kind of seen) onSecret(kind);
    const follows = parent === undefined || parent === this.#last ? {} : { parentId: parent };
    const entry = { id, ts, ...follows, ...fields } as SessionEntry;
    emit({ session: this.id, entry, after: this.#last, size });
    this.#last = id;
    count();
    return id;
  }

  #count({ role, content }: ModelMessage): void {
    if (role !== "tool") this.counts.messages += 1;
    if (typeof content === "string") return;
    for (const part of content) {
      if (part.type === "tool-call") this.counts.calls += 1;
      if (part.type === "tool-result") this.counts.results += 1;
    }
  }
}

/** Of a result, this many characters at its start and at its end are read. */
const [headLength, tailLength] = [1000, 500];

/** Cut between words, so that no secret is torn: a part of one would not be masked. A private key has many words. */
function clipped(message: ModelMessage): ModelMessage {
  if (message.role !== "tool") return message;
  const content = message.content.map((part) => {
    if (part.type !== "tool-result" || part.output.type !== "text") return part;
    const { value } = part.output;
    if (value.length <= headLength + tailLength || value.includes("PRIVATE KEY")) return part;
    let head = headLength;
    while (head > 0 && !isBlank(value, head - 1)) head -= 1;
    let tail = value.length - tailLength;
    while (tail < value.length && !isBlank(value, tail)) tail += 1;
    return { ...part, output: { ...part.output, value: `${value.slice(0, head)}\n${value.slice(tail)}` } };
  });
  return { ...message, content };
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

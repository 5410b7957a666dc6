import type { JsonObject } from "../../model/messages.ts";
import { ClaudeChain } from "./claude-chain.ts";
import { objectOf, objectsOf, textOf } from "../files/json-fields.ts";
import type { LogRecord } from "./log-types.ts";
import type { FormatReader, ReaderContext } from "./reader.ts";

/** Records beside the conversation: what the screen showed, what was typed ahead, copies of files. */
const aside = new Set([
  "file-history-snapshot",
  "queue-operation",
  "permission-mode",
  "last-prompt",
  "mode",
  "summary",
  "pr-link",
]);

/**
 * Claude Code's sessions, one record a line. A reply comes in several lines, one for each block, with tool results
 * between them; sub-agents stand in the same file (by `isSidechain`), in files of their own (by `agentId`), or inside
 * `progress` records.
 */
export class ClaudeCode implements FormatReader {
  readonly #context: ReaderContext;
  readonly #chains = new Map<string, ClaudeChain>();
  // For sub-agents without an id of their own: which chain a record belongs to.
  readonly #rootOf = new Map<string, string>();
  #own: string;
  #session: string | undefined;

  constructor(context: ReaderContext) {
    this.#context = context;
    this.#own = `claude-code:${context.name}`;
  }

  read({ value: record, at }: LogRecord): void {
    // Sessions of Claude Code in the browser are one document.
    const lines = objectsOf(record["loglines"]);
    for (const [index, value] of lines.entries()) this.read({ value, at: `${at}.${index + 1}` });
    if (lines.length > 0) return;
    const type = textOf(record["type"]) ?? "";
    if (type === "ai-title" || type === "custom-title") {
      this.#chainOf(record, undefined).title(textOf(record["aiTitle"]) ?? textOf(record["customTitle"]));
    } else if (aside.has(type)) this.#context.leftOut(`records of the kind ${type}`);
    else if (type === "progress") this.#progress(record);
    else this.#inChain(record, at, type);
  }

  end(): void {
    for (const chain of this.#chains.values()) chain.flush();
  }

  #inChain(record: JsonObject, at: string, type: string): void {
    const chain = this.#chainOf(record, this.#agentOf(record));
    const kind = type === "system" ? textOf(record["subtype"]) : undefined;
    const attachment = objectOf(record["attachment"]);
    if (type === "user" || type === "assistant") chain.said(record);
    else if (kind === "compact_boundary") chain.boundary(record);
    else if (kind === "microcompact_boundary") chain.cleared(record);
    else if (type === "attachment" && attachment["type"] === "queued_command") {
      this.#context.converted("texts typed ahead, as messages of the user");
      chain.said({ ...record, type: "user", message: { content: attachment["prompt"] ?? "" } });
    } else chain.other(record, at, type === "attachment" ? `attachment/${textOf(attachment["type"]) ?? ""}` : type);
  }

  /** What the screen showed; some versions tell there what a sub-agent said. */
  #progress(record: JsonObject): void {
    const data = objectOf(record["data"]);
    const inner = objectOf(data["message"]);
    const [kind, agent] = [textOf(data["type"]) ?? "", textOf(data["agentId"])];
    if (kind === "agent_progress" && agent !== undefined && textOf(inner["type"]) !== undefined) {
      this.#chainOf(record, `agent-${agent}`).said(inner);
    } else this.#context.leftOut(`records of the kind progress (${kind})`);
    this.#chainOf(record, this.#agentOf(record)).passes(record);
  }

  #chainOf(record: JsonObject, agent: string | undefined): ClaudeChain {
    const session = textOf(record["sessionId"]);
    if (session !== undefined && session !== this.#session) {
      this.#session = session;
      this.#own = `claude-code:${session}`;
    }
    const id = agent === undefined ? this.#own : `${this.#own}/${agent}`;
    const found = this.#chains.get(id);
    if (found) return found;
    const { writer, converted } = this.#context;
    const parent = agent === undefined ? undefined : this.#own;
    const made = new ClaudeChain(writer.session(id, { folder: textOf(record["cwd"]), parent }), converted);
    this.#chains.set(id, made);
    return made;
  }

  /** The sub-agent that a record belongs to: by name, or by the first record of its chain. */
  #agentOf(record: JsonObject): string | undefined {
    if (record["isSidechain"] !== true) return undefined;
    const named = textOf(record["agentId"]);
    if (named !== undefined) return `agent-${named}`;
    const [uuid, parent] = [textOf(record["uuid"]) ?? "", textOf(record["parentUuid"])];
    const root = this.#rootOf.get(parent ?? "") ?? `side-${uuid}`;
    this.#rootOf.set(uuid, root);
    return root;
  }
}

import type {
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  ToolCall,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { GalleyError } from "@galley/engine";
import type { TimeLimits } from "../config/time-limits.ts";
import type { Redactor } from "../secrets/redactor.ts";
import {
  type AskPermission,
  type PermissionPolicy,
  type PermissionRequest,
  type ToolCallFacts,
  isPermitted,
  permissionAnswer,
  hasTitleInInput,
  readPermissionRequest,
} from "./permission-policy.ts";
import { TextRedactor } from "../secrets/text-redactor.ts";

/** Something that an agent says while it works, as ACP has it, without secrets. */
export type AgentUpdate = SessionUpdate;

/** How the client side of one session behaves. */
export interface PromptRules {
  readonly agentName: string;
  /** The name under which the agent knows our own tools. */
  readonly serverName: string;
  readonly permissions: PermissionPolicy;
  readonly ask?: AskPermission | undefined;
  readonly onDecision?: (request: PermissionRequest, isAllowed: boolean) => void;
  readonly redactor: Redactor;
  readonly limits: TimeLimits;
}

/** In characters; no useful answer is as long. */
const maxTextLength = 8_000_000;
/** Within one prompt. */
const maxPermissions = 5000;
/** For how many of the latest calls it is kept what was said of them. */
const keptCalls = 200;
/** In characters of JSON; longer facts are replaced by a note. */
const maxFactLength = 200_000;
/** In characters. */
const maxTitleLength = 1000;
const tooLong = "(too long to be shown)";

/** What an agent says and asks between a prompt and its answer. */
export class AcpPrompt {
  readonly #rules: PromptRules;
  readonly #onUpdate: (update: AgentUpdate) => void;
  readonly #toolCalls = new Map<string, ToolCallFacts>();
  readonly #cancelled = Promise.withResolvers<false>();
  readonly #givenUp = Promise.withResolvers<never>();
  readonly #pieces: Record<"agent_message_chunk" | "agent_thought_chunk", TextRedactor>;
  #text = "";
  #permissions = 0;
  #isGivenUp = false;

  constructor(rules: PromptRules, onUpdate: (update: AgentUpdate) => void = () => {}) {
    this.#rules = rules;
    this.#onUpdate = onUpdate;
    const pieces = (): TextRedactor => new TextRedactor(rules.redactor);
    this.#pieces = { agent_message_chunk: pieces(), agent_thought_chunk: pieces() };
    // It may be given up before anything waits for it.
    this.#givenUp.promise.catch(() => undefined);
  }

  /** Rejects when the agent is to be waited for no longer. */
  get givenUp(): Promise<never> {
    return this.#givenUp.promise;
  }

  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  giveUp(why: string): void {
    const { agentName } = this.#rules;
    this.#isGivenUp = true;
    this.#givenUp.reject(
      new GalleyError("AgentFailed", `${agentName} ${why}, and was ended.`, {
        path: agentName,
        hint: "Start it again, or see what it wrote to its standard error.",
        retryable: true,
      }),
    );
  }

  get text(): string {
    return this.#text;
  }

  /** Ends a question for permission that is still open. */
  cancel(): void {
    this.#cancelled.resolve(false);
  }

  take(update: AgentUpdate): void {
    if (this.#isGivenUp) return;
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") this.#note(update);
    const kind = update.sessionUpdate;
    if ((kind === "agent_message_chunk" || kind === "agent_thought_chunk") && update.content.type === "text") {
      this.#say(kind, this.#pieces[kind].push(update.content.text));
    } else {
      // What comes next belongs to another paragraph: nothing may stay behind.
      this.end();
      this.#onUpdate(this.#rules.redactor.redact(update));
    }
  }

  /** Gives out what was held back. */
  end(): void {
    for (const kind of ["agent_thought_chunk", "agent_message_chunk"] as const) {
      this.#say(kind, this.#pieces[kind].flush());
    }
  }

  async permit(request: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    const { agentName, serverName, permissions, ask, redactor, onDecision } = this.#rules;
    this.#permissions += 1;
    if (this.#permissions > maxPermissions) this.giveUp(`asked for more than ${maxPermissions} permissions`);
    if (this.#isGivenUp) return { outcome: { outcome: "cancelled" } };
    const facts = this.#toolCalls.get(request.toolCall.toolCallId);
    const asked = readPermissionRequest(agentName, serverName, request, facts);
    const permitted = isPermitted(asked, permissions, ask && ((question) => ask(redactor.redact(question))));
    const isAllowed = await Promise.race([permitted, this.#cancelled.promise]);
    onDecision?.(asked, isAllowed);
    return permissionAnswer(request, isAllowed);
  }

  /** Keeps what a request for permission may leave out, and not what a call gave. */
  #note(update: ToolCall | ToolCallUpdate): void {
    const known = this.#toolCalls.get(update.toolCallId);
    this.#toolCalls.delete(update.toolCallId);
    const { title = known?.title, rawInput } = update;
    const isTitleWritten = known?.isTitleWritten === true || hasTitleInInput({ title, rawInput });
    const facts = shortFacts(update, this.#rules.redactor.redact);
    this.#toolCalls.set(update.toolCallId, { ...known, ...facts, isTitleWritten });
    const [oldest] = this.#toolCalls.keys();
    if (this.#toolCalls.size > keptCalls && oldest !== undefined) this.#toolCalls.delete(oldest);
  }

  #say(kind: "agent_message_chunk" | "agent_thought_chunk", text: string): void {
    if (text === "" || this.#isGivenUp) return;
    if (kind === "agent_message_chunk") this.#text += text;
    if (this.#text.length > maxTextLength)
      return this.giveUp(`said more than ${maxTextLength} characters in one prompt`);
    this.#onUpdate({ sessionUpdate: kind, content: { type: "text", text } });
  }
}

/** What is too long leaves a word in its place: what was said before must not be shown as if it were meant now. */
function shortFacts(update: ToolCall | ToolCallUpdate, redact: Redactor["redact"]): ToolCallFacts {
  const { content: _, rawOutput: __, locations: ___, _meta: meta, title, ...others } = update;
  const facts = Object.entries(others).map(([name, value]) => [name, isLong(value) ? tooLong : value] as const);
  return {
    ...Object.fromEntries(facts),
    ...(title === undefined ? {} : { title: title ? redact(title).slice(0, maxTitleLength).toWellFormed() : title }),
    // Without any name of the tool its title would be taken for one.
    ...(meta === undefined ? {} : { _meta: isLong(meta) ? { toolName: tooLong } : meta }),
  };
}

function isLong(value: unknown): boolean {
  return (JSON.stringify(value)?.length ?? 0) > maxFactLength;
}

/** An agent works on one prompt at a time. */
export function busyError(agentName: string): GalleyError {
  return new GalleyError("AgentBusy", `${agentName} is still answering the prompt before this one.`, {
    hint: "Wait for the answer, or end that prompt.",
    retryable: true,
  });
}

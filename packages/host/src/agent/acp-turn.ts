import type {
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import type { Redactor } from "../inject/redactor.ts";
import {
  type AskPermission,
  type PermissionPolicy,
  type PermissionRequest,
  type ToolCallFacts,
  isPermitted,
  permissionAnswer,
  readPermissionRequest,
} from "./permission-policy.ts";
import { TextRedactor } from "./text-redactor.ts";

/** Something that an agent says while it works, as ACP has it, without secrets. */
export type AgentUpdate = SessionUpdate;

/** How the client side of one session behaves. */
export interface TurnRules {
  readonly agentName: string;
  /** The name under which the agent knows our own tools. */
  readonly serverName: string;
  readonly permissions: PermissionPolicy;
  readonly ask?: AskPermission;
  /** Is told of every decision. */
  readonly onDecision?: (request: PermissionRequest, isAllowed: boolean) => void;
  readonly redactor: Redactor;
}

/** What an agent says and asks between a prompt and its answer. */
export class AcpTurn {
  readonly #rules: TurnRules;
  readonly #onUpdate: (update: AgentUpdate) => void;
  readonly #toolCalls = new Map<string, ToolCallFacts>();
  readonly #cancelled = Promise.withResolvers<false>();
  readonly #pieces: Record<"agent_message_chunk" | "agent_thought_chunk", TextRedactor>;
  #text = "";

  constructor(rules: TurnRules, onUpdate: (update: AgentUpdate) => void = () => {}) {
    this.#rules = rules;
    this.#onUpdate = onUpdate;
    const { redactor } = rules;
    const pieces = (): TextRedactor => new TextRedactor(() => Object.values(redactor.secrets()), redactor.redact);
    this.#pieces = { agent_message_chunk: pieces(), agent_thought_chunk: pieces() };
  }

  /** Everything that the agent has said so far. */
  get text(): string {
    return this.#text;
  }

  /** Whoever is being asked for a permission need not answer any more. */
  cancel(): void {
    this.#cancelled.resolve(false);
  }

  take(update: AgentUpdate): void {
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") {
      const { toolCallId } = update;
      this.#toolCalls.set(toolCallId, { ...this.#toolCalls.get(toolCallId), ...(update as ToolCallFacts) });
    }
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
    const facts = this.#toolCalls.get(request.toolCall.toolCallId);
    const asked = readPermissionRequest(agentName, serverName, request, facts);
    const permitted = isPermitted(asked, permissions, ask && ((question) => ask(redactor.redact(question))));
    const isAllowed = await Promise.race([permitted, this.#cancelled.promise]);
    onDecision?.(asked, isAllowed);
    return permissionAnswer(request, isAllowed);
  }

  #say(kind: "agent_message_chunk" | "agent_thought_chunk", text: string): void {
    if (text === "") return;
    if (kind === "agent_message_chunk") this.#text += text;
    this.#onUpdate({ sessionUpdate: kind, content: { type: "text", text } });
  }
}

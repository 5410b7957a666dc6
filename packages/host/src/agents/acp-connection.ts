import { setTimeout as sleep } from "node:timers/promises";
import {
  type ClientConnection,
  type ContentBlock,
  type InitializeResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  methods,
} from "@agentclientprotocol/sdk/unstable";
import { GalleyError } from "@galley/engine";
import * as z from "zod";
import { shorten } from "../limits/short-text.ts";
import { type AgentUpdate, type PromptRules, AcpPrompt, busyError } from "./acp-prompt.ts";
import type { AgentExit, AgentProcess } from "./agent-process.ts";
import { type SessionChoices, updatedChoices } from "./session-choices.ts";
import { type SystemTextWay, firstPromptBlock } from "./system-text-delivery.ts";
import { messageOf } from "../disk/storage-error.ts";

/** Who hears what the agent does, and what stops it. */
export interface PromptOptions {
  readonly onUpdate?: (update: AgentUpdate) => void;
  /** Ends the prompt; the agent is told so. */
  readonly signal?: AbortSignal;
  /** A block that goes in front, for a session that knows nothing of what was said [A6]. */
  readonly before?: string;
}

/** What became of one prompt. */
export interface PromptOutcome {
  readonly stopReason: string;
  /** Everything that the agent said. */
  readonly text: string;
}

/** A session that an agent has opened. */
export interface OpenSession {
  readonly sessionId: string;
  readonly initialized: InitializeResponse;
  readonly choices: SessionChoices;
  readonly systemTextWay: SystemTextWay;
  /** For agents that can be told in no other way: goes in front of the first prompt. */
  readonly firstPromptText: string;
  /** MCP servers that this agent cannot reach. */
  readonly leftServers: readonly string[];
}

/** How much agent output an error quotes, in characters; of its last words the end. */
const maxWordsLength = 1000;
/** What the SDK says of a connection that ended in good order. */
const isClosing = /^ACP connection closed$/u;

/** A running agent and its session. */
export class AcpConnection {
  readonly #process: AgentProcess;
  readonly #connection: ClientConnection;
  readonly #rules: PromptRules;
  #session: OpenSession | undefined;
  #isFirstPrompt = true;
  #prompt: AcpPrompt | undefined;
  #isEnding = false;
  /** Whether the agent has spoken in a session that it was told to leave. */
  #isElsewhere = false;

  constructor(process: AgentProcess, connect: (owner: AcpConnection) => ClientConnection, rules: PromptRules) {
    this.#process = process;
    this.#rules = rules;
    this.#connection = connect(this);
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Resolves when the agent's program has ended, for whatever reason. */
  get exited(): Promise<AgentExit> {
    return this.#process.exited;
  }

  /** Resolves when no more can be said to the agent or heard of it; its program may still run. */
  get closed(): Promise<void> {
    return this.#connection.closed;
  }

  get agent(): ClientConnection["agent"] {
    return this.#connection.agent;
  }

  get session(): OpenSession {
    if (this.#session) return this.#session;
    throw new GalleyError("AgentFailed", `${this.#rules.agentName} has opened no session yet.`);
  }

  set session(session: OpenSession) {
    this.#session = session;
    this.#isFirstPrompt = true;
  }

  /** The model of the session, as the agent names it, where it says so. */
  get model(): string | undefined {
    const value = this.#session?.choices.options.find(({ category }) => category === "model")?.value;
    return typeof value === "string" ? value : undefined;
  }

  /** Whether the session has not answered any prompt yet. */
  get isFresh(): boolean {
    return this.#isFirstPrompt;
  }

  /** Refuses a prompt that the agent cannot take now. */
  checkFree(): void {
    const { agentName } = this.#rules;
    if (this.#isEnding) {
      throw new GalleyError("AgentFailed", `${agentName} is being ended, and takes no more prompts.`, {
        path: agentName,
        hint: "Start it again, and say it then.",
        retryable: true,
      });
    }
    if (this.#prompt) throw busyError(agentName);
  }

  /** Runs one prompt. An agent works on one prompt at a time. */
  async prompt(text: string, { onUpdate, signal, before = "" }: PromptOptions = {}): Promise<PromptOutcome> {
    const { sessionId, firstPromptText } = this.session;
    this.checkFree();
    const prompt = new AcpPrompt(this.#rules, onUpdate);
    this.#prompt = prompt;
    this.#isElsewhere = false;
    const { agentPromptMs } = this.#rules.limits;
    const timer = setTimeout(() => prompt.giveUp(`gave no answer within ${agentPromptMs} ms`), agentPromptMs);
    const cancel = (): void => void this.cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      const request = this.agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt: promptBlocks(before, this.#isFirstPrompt ? firstPromptText : "", text),
      });
      if (signal?.aborted) cancel();
      const answer = await Promise.race([this.orFailure(request.then(readStop), "answering"), prompt.givenUp]);
      if (prompt.text === "" && this.#isElsewhere) throw elsewhereError(this.#rules.agentName);
      this.#isFirstPrompt = false;
      return { stopReason: answer, text: (prompt.end(), prompt.text) };
    } finally {
      // One that still works on this prompt would mix it up with the next: it is ended, and can be started again.
      if (prompt.isGivenUp) void this.close();
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      prompt.cancel();
      this.#prompt = undefined;
    }
  }

  /**
   * Asks the agent to end the prompt that it is at work on, which the answer of that prompt then says; false without one. One
   * that takes no notice is ended.
   */
  cancel(): boolean {
    const prompt = this.#prompt;
    if (!prompt) return false;
    prompt.cancel();
    const { sessionId } = this.session;
    this.agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => {});
    const { agentCancelMs } = this.#rules.limits;
    setTimeout(() => {
      if (this.#prompt === prompt) prompt.giveUp(`did not stop within ${agentCancelMs} ms`);
    }, agentCancelMs).unref();
    return true;
  }

  /** What the agent says outside of a prompt (which commands it has) is ignored. */
  take({ sessionId, update }: SessionNotification): void {
    if (sessionId !== this.#session?.sessionId) {
      if (this.#prompt && update.sessionUpdate === "agent_message_chunk") this.#isElsewhere = true;
      return;
    }
    const choices = updatedChoices(this.#session.choices, update);
    if (choices !== this.#session.choices) this.#session = { ...this.#session, choices };
    this.#prompt?.take(update);
  }

  async permit(request: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    if (request.sessionId !== this.#session?.sessionId) return { outcome: { outcome: "cancelled" } };
    const prompt = this.#prompt ?? new AcpPrompt({ ...this.#rules, permissions: { allow: [], otherwise: "deny" } });
    return prompt.permit(request);
  }

  /** Waits for an answer; when the agent ends instead, the error says how, and what it wrote last. */
  async orFailure<Answer>(answer: Promise<Answer>, doing: string): Promise<Answer> {
    try {
      return await answer;
    } catch (cause) {
      if (cause instanceof GalleyError) throw cause;
      throw await this.#failure(cause, doing);
    }
  }

  /** Ends the agent with everything that it has started. */
  async close(): Promise<AgentExit> {
    this.#isEnding = true;
    this.#prompt?.cancel();
    const exit = await this.#process.stop();
    this.#connection.close();
    return exit;
  }

  /** The end of what it wrote to its standard error, in a sentence. */
  get lastWords(): string {
    const last = this.#rules.redactor.redact(this.#process.errorTail()).trim().split("\n").slice(-5).join("\n");
    const tail = last.slice(-maxWordsLength).toWellFormed();
    return tail === "" ? "It wrote nothing to its standard error." : `Its last words: ${tail}`;
  }

  async #failure(cause: unknown, doing: string): Promise<GalleyError> {
    const { agentName, redactor } = this.#rules;
    // The connection breaks a moment before the exit is known.
    const exit = await Promise.race([this.#process.exited, sleep(200)]);
    const how = exit && (exit.signal === null ? `it ended with code ${exit.code}` : `it was ended by ${exit.signal}`);
    // Redacted before it is cut: half a secret is not found any more.
    const why = shorten(redactor.redact(messageOf(cause)), maxWordsLength);
    // An agent exits once its output is closed; how it ended says more than that.
    const reason = how === undefined || isClosing.test(why) ? (how ?? why) : `${why}; ${how}`;
    const hint = this.lastWords;
    return new GalleyError("AgentFailed", `${agentName} failed while ${doing}: ${reason}.`, { hint, retryable: true });
  }
}

const stopSchema = z.looseObject({ stopReason: z.string() });

/** What an agent answers is not checked by the SDK. */
function readStop(answer: unknown): string {
  const { data } = stopSchema.safeParse(answer);
  if (data) return data.stopReason;
  throw new Error("its answer does not say why it stopped");
}

function promptBlocks(before: string, firstPromptText: string, text: string): ContentBlock[] {
  const system = firstPromptText === "" ? "" : firstPromptBlock(firstPromptText);
  return [before, system, text].filter((block) => block !== "").map((block) => ({ type: "text", text: block }));
}

function elsewhereError(agentName: string): GalleyError {
  return new GalleyError("AgentFailed", `${agentName} answered in a session that it was told to leave.`, {
    path: agentName,
    hint: "Its context was switched, and it takes no second session. Stop it and start it again: it then begins with what is active.",
    retryable: true,
  });
}

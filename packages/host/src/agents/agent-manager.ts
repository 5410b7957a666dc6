import { GalleyError } from "@galley/engine";
import type { AgentDeclaration } from "../config/config-schema.ts";
import type { PromptOptions, PromptOutcome } from "./acp-connection.ts";
import { type AgentUpdate, busyError } from "./acp-prompt.ts";
import type { AgentChat } from "../inject/session/agent-chat.ts";
import type { AgentExit } from "./agent-process.ts";
import type { AgentRuntime } from "./agent-runtime.ts";
import { type AgentSession, openAgentSession, tokenDeliveryOf } from "./agent-session.ts";
import { type AgentState, type RestartPolicy, type AgentLife, defaultRestart } from "./agent-life.ts";
import { messageOf } from "../disk/storage-error.ts";

/** What is known of an agent at this moment. */
export interface AgentStatus {
  readonly name: string;
  readonly state: AgentState;
  readonly pid?: number;
  readonly sessionId?: string;
  /** How often it has been started again since it was last told to start. */
  readonly restarts: number;
  /** Why it did not start, or how it ended by itself. */
  readonly problem?: string;
  /** Whether it is at work on a prompt. */
  readonly isBusy: boolean;
}

/** The agents, and what they need to run. */
export interface AgentManagerOptions extends AgentRuntime {
  /** Those of this moment: people add and remove some while others run. */
  readonly agents: () => readonly AgentDeclaration[];
  readonly restart?: Partial<RestartPolicy>;
}

/** Starts and stops the agents of a configuration, and starts those again that end by themselves [I9]. */
export class AgentManager {
  readonly #options: AgentManagerOptions;
  readonly #restart: RestartPolicy;
  readonly #lives = new Map<string, AgentLife>();

  constructor(options: AgentManagerOptions) {
    this.#options = options;
    this.#restart = { ...defaultRestart, ...options.restart };
  }

  listAgents(): readonly AgentStatus[] {
    return this.#options.agents().map(({ name }) => this.statusOf(name));
  }

  statusOf(name: string): AgentStatus {
    const { state = "stopped", session, restarts = 0, problem, isPrompted = false } = this.#lives.get(name) ?? {};
    return {
      name,
      state,
      restarts,
      isBusy: isPrompted,
      ...(problem !== undefined && { problem }),
      ...(session ? { pid: session.connection.pid, sessionId: session.sessionId } : {}),
    };
  }

  sessionOf(name: string): AgentSession | undefined {
    return this.#lives.get(name)?.session;
  }

  /** Starts an agent and gives its session; one that runs is left as it is. */
  async startAgent(name: string): Promise<AgentSession> {
    const agent = this.#declared(name);
    const known = this.#lives.get(name);
    if (known?.state === "starting") await known.work;
    if (known?.session) return known.session;
    if (known) {
      // One that waits for its next start is not made to wait any longer.
      await this.stopAgent(name);
      // Another caller may have waited for the same end, and have started it by now.
      if (this.#lives.get(name) !== known) return this.startAgent(name);
    }
    const life: AgentLife = {
      state: "starting",
      session: undefined,
      restarts: 0,
      startedAt: 0,
      work: Promise.resolve(),
      timer: undefined,
      stopping: new AbortController(),
      known: undefined,
      windowTokens: undefined,
      isPrompted: false,
      problem: undefined,
    };
    this.#lives.set(name, life);
    life.work = this.#open(agent, life);
    await life.work;
    return this.#session(name);
  }

  /**
   * Sends a prompt to a running agent, and keeps what was said in its chat [A6]. If the context was switched since the last
   * prompt, by whomever, the prompt goes to a new session; the first prompt of a session has what is active in front.
   */
  async prompt(name: string, text: string, options: PromptOptions = {}): Promise<PromptOutcome> {
    const life = this.#running(name);
    const chat = await this.#options.chatOf?.(name);
    const { connection } = this.#session(name);
    connection.checkFree();
    if (!chat) return connection.prompt(text, options);
    if (life.isPrompted) throw busyError(name);
    life.isPrompted = true;
    this.#emit("agent:prompted", name);
    try {
      return await this.#promptIn(chat, name, life, text, options);
    } finally {
      life.isPrompted = false;
      this.#emit("agent:answered", name);
    }
  }

  async #promptIn(
    chat: AgentChat,
    name: string,
    life: AgentLife,
    text: string,
    options: PromptOptions,
  ): Promise<PromptOutcome> {
    if (!this.#session(name).connection.isFresh && life.known !== chat.stamp()) await this.#renew(name, life);
    const { connection } = this.#session(name);
    const facts = { windowTokens: life.windowTokens, model: connection.model };
    const known = connection.isFresh ? await chat.recall(facts) : "";
    const onUpdate = (update: AgentUpdate): void => {
      if (update.sessionUpdate === "usage_update") life.windowTokens = update.size;
      options.onUpdate?.(update);
    };
    const exchange = await chat.begin(text);
    const before = [known, exchange.results].filter((part) => part !== "").join("\n\n");
    let outcome: PromptOutcome;
    try {
      outcome = await connection.prompt(text, { ...options, onUpdate, before });
    } catch (error) {
      await exchange.fail();
      throw error;
    }
    const isStopped = outcome.stopReason === "cancelled";
    if (isStopped && outcome.text === "") await exchange.fail();
    else life.known = await exchange.commit({ text: outcome.text, isStopped });
    return outcome;
  }

  /** A new session in the same process, or in a new one where the program takes no second session. */
  async #renew(name: string, life: AgentLife): Promise<void> {
    const session = this.#session(name);
    const left = session.sessionId;
    const { systemTextWay: way } = session.connection.session;
    const agent = this.#declared(name);
    // A text that was given with the launch, with the token in it, cannot be given again.
    const isTold = tokenDeliveryOf(agent, this.#options.gateway !== undefined) === "prompt";
    const needsProcess = isTold && way !== "session" && way !== "first-prompt";
    try {
      if (needsProcess) throw new GalleyError("AgentFailed", `${name} knows its token by its start.`);
      await session.renew();
    } catch (error) {
      const reason = this.#options.redactor.redact(messageOf(error));
      this.#emit("agent:session-refused", name, { reason });
      if (this.#lives.get(name) !== life || life.session !== session || life.state !== "running") throw error;
      life.session = undefined;
      life.state = "starting";
      life.work = session.end().then(() => this.#open(agent, life));
      await life.work;
    }
    life.known = undefined;
    this.#emit("agent:session-renewed", name, { left, sessionId: this.#session(name).sessionId });
  }

  /** Asks a running agent to end its prompt; false when it is at work on none. */
  cancelPrompt(name: string): boolean {
    return this.#session(name).connection.cancel();
  }

  /** Stops an agent with everything that it has started; its token is good for nothing from then on. */
  async stopAgent(name: string): Promise<void> {
    const life = this.#lives.get(name);
    // One that was taken away may still run.
    if (!life) return void this.#declared(name);
    if (life.state !== "stopped") {
      life.state = "stopped";
      life.problem = undefined;
      clearTimeout(life.timer);
      life.stopping.abort();
      life.work = this.#end(name, life, life.work);
    }
    await life.work;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lives.keys()].map((name) => this.stopAgent(name)));
  }

  async #end(name: string, life: AgentLife, before: Promise<unknown>): Promise<void> {
    // A start that is under way comes to its end first, soon: its agent is being ended. What it has opened can then be closed.
    await before.catch(() => {});
    const { session } = life;
    life.session = undefined;
    await session?.end();
    this.#options.tokenStore.revokeAgent(name);
    if (session) this.#emit("agent:stopped", name, { sessionId: session.sessionId });
  }

  async #open(agent: AgentDeclaration, life: AgentLife): Promise<void> {
    this.#emit("agent:starting", agent.name);
    let session: AgentSession;
    try {
      session = await openAgentSession(this.#options, agent, life.stopping.signal);
    } catch (error) {
      // A caller that has stopped it need not hear that it did not start.
      if (life.state === "stopped") throw error;
      life.state = "failed";
      const reason = this.#options.redactor.redact(messageOf(error));
      const hint = error instanceof GalleyError ? (error.hint ?? "") : "";
      life.problem = `${reason} ${this.#options.redactor.redact(hint)}`.trim();
      this.#emit("agent:failed", agent.name, { reason });
      throw error;
    }
    life.session = session;
    life.startedAt = performance.now();
    life.problem = undefined;
    // Told to stop while it started: the one who stops it waits, and ends it.
    if (life.state !== "stopped") life.state = "running";
    const { pid, session: opened } = session.connection;
    this.#emit("agent:started", agent.name, {
      sessionId: session.sessionId,
      pid,
      systemText: opened.systemTextWay,
      toolsListed: session.hasListedTools,
      serversLeft: opened.leftServers,
    });
    void session.connection.exited.then((exit) => this.#exited(agent, life, session, exit));
  }

  async #exited(agent: AgentDeclaration, life: AgentLife, session: AgentSession, exit: AgentExit): Promise<void> {
    if (life.session !== session || life.state === "stopped") return;
    life.session = undefined;
    life.state = "restarting";
    const hasRunWell = performance.now() - life.startedAt >= this.#restart.stableMs;
    if (hasRunWell) life.restarts = 0;
    life.problem = `${endOf(exit)} ${session.connection.lastWords}`;
    this.#emit("agent:exited", agent.name, { sessionId: session.sessionId, ...exit });
    life.work = session.end();
    await life.work;
    this.#later(agent, life);
  }

  /** Starts it again after a while, or gives it up. */
  #later(agent: AgentDeclaration, life: AgentLife): void {
    if (life.state !== "restarting") return;
    const { firstDelayMs, maxDelayMs, maxRestarts } = this.#restart;
    if (agent.launchMode !== "managed" || life.restarts >= maxRestarts) {
      life.state = "failed";
      this.#emit("agent:given-up", agent.name, { restarts: life.restarts });
      return;
    }
    const delayMs = Math.min(firstDelayMs * 2 ** life.restarts, maxDelayMs);
    life.restarts += 1;
    this.#emit("agent:restarting", agent.name, { restart: life.restarts, maxRestarts, delayMs });
    life.timer = setTimeout(() => {
      life.work = this.#open(agent, life).catch(() => {
        if (life.state !== "failed") return;
        life.state = "restarting";
        this.#later(agent, life);
      });
    }, delayMs);
  }

  #declared(name: string): AgentDeclaration {
    const agent = this.#options.agents().find((candidate) => candidate.name === name);
    if (agent) return agent;
    const names = this.#options
      .agents()
      .map((candidate) => candidate.name)
      .join(", ");
    throw new GalleyError("NotFound", `There is no agent ${JSON.stringify(name)}.`, {
      path: name,
      hint: names === "" ? "None is declared." : `Declared are ${names}.`,
    });
  }

  #session(name: string): AgentSession {
    return this.#running(name).session;
  }

  #running(name: string): AgentLife & { readonly session: AgentSession } {
    const life = this.#lives.get(this.#declared(name).name);
    if (life?.session) return life as AgentLife & { readonly session: AgentSession };
    throw new GalleyError("AgentFailed", `${name} does not run.`, { hint: "Start it first.", retryable: true });
  }

  #emit(event: string, agentName: string, data: Readonly<Record<string, unknown>> = {}): void {
    this.#options.eventBus.emit(event, { agentName, data, callerId: "agent-manager" });
  }
}

function endOf({ code, signal }: AgentExit): string {
  return signal === null ? `It ended by itself with code ${code}.` : `It was ended by ${signal}.`;
}

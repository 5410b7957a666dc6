import { GalleyError } from "@galley/engine";
import type { AgentDeclaration } from "../config/config-schema.ts";
import type { PromptOptions, PromptOutcome } from "./acp-connection.ts";
import type { AgentExit } from "./agent-process.ts";
import { type AgentRuntime, type AgentSession, openAgentSession } from "./agent-session.ts";

/** Where an agent stands in its life. */
export type AgentState = "stopped" | "starting" | "running" | "restarting" | "failed";

/** What is known of an agent at this moment. */
export interface AgentStatus {
  readonly name: string;
  readonly state: AgentState;
  readonly pid?: number;
  readonly sessionId?: string;
  /** How often it has been started again since it was last told to start. */
  readonly restarts: number;
}

/** When and how often an agent that has ended by itself is started again. */
export interface RestartPolicy {
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** In a row; the count starts again for an agent that has run for `stableMs`. */
  readonly attempts: number;
  readonly stableMs: number;
}

/** The agents, and what they need to run. */
export interface AgentManagerOptions extends AgentRuntime {
  readonly agents: readonly AgentDeclaration[];
  readonly restart?: Partial<RestartPolicy>;
}

const defaultRestart: RestartPolicy = { firstDelayMs: 500, maxDelayMs: 30_000, attempts: 5, stableMs: 60_000 };

interface Run {
  state: AgentState;
  session: AgentSession | undefined;
  restarts: number;
  /** By the clock that goes on when the time of day is set. */
  startedAt: number;
  /** What is under way: a start, a restart or a stop. */
  work: Promise<unknown>;
  timer: NodeJS.Timeout | undefined;
  /** Ends a start that is under way. */
  readonly stopping: AbortController;
}

/** Starts and stops the agents of a configuration, and starts those again that end by themselves [I9]. */
export class AgentManager {
  readonly #options: AgentManagerOptions;
  readonly #restart: RestartPolicy;
  readonly #runs = new Map<string, Run>();

  constructor(options: AgentManagerOptions) {
    this.#options = options;
    this.#restart = { ...defaultRestart, ...options.restart };
  }

  listAgents(): readonly AgentStatus[] {
    return this.#options.agents.map(({ name }) => this.statusOf(name));
  }

  statusOf(name: string): AgentStatus {
    const { state = "stopped", session, restarts = 0 } = this.#runs.get(name) ?? {};
    return {
      name,
      state,
      restarts,
      ...(session ? { pid: session.connection.pid, sessionId: session.sessionId } : {}),
    };
  }

  /** The session of an agent that runs. */
  sessionOf(name: string): AgentSession | undefined {
    return this.#runs.get(name)?.session;
  }

  /** Starts an agent and gives its session; one that runs is left as it is. */
  async startAgent(name: string): Promise<AgentSession> {
    const agent = this.#declared(name);
    const known = this.#runs.get(name);
    if (known?.state === "starting") await known.work;
    if (known?.session) return known.session;
    if (known) {
      // One that waits for its next attempt is not made to wait any longer.
      await this.stopAgent(name);
      // Another caller may have waited for the same end, and have started it by now.
      if (this.#runs.get(name) !== known) return this.startAgent(name);
    }
    const run: Run = {
      state: "starting",
      session: undefined,
      restarts: 0,
      startedAt: 0,
      work: Promise.resolve(),
      timer: undefined,
      stopping: new AbortController(),
    };
    this.#runs.set(name, run);
    run.work = this.#open(agent, run);
    await run.work;
    return this.#session(name);
  }

  /** Sends a prompt to a running agent. */
  async prompt(name: string, text: string, options: PromptOptions = {}): Promise<PromptOutcome> {
    return this.#session(name).connection.prompt(text, options);
  }

  /** Asks a running agent to end its prompt; false when it is at work on none. */
  cancelPrompt(name: string): boolean {
    return this.#session(name).connection.cancel();
  }

  /** Stops an agent with everything that it has started; its token is good for nothing from then on. */
  async stopAgent(name: string): Promise<void> {
    const agent = this.#declared(name);
    const run = this.#runs.get(name);
    if (!run) return;
    if (run.state !== "stopped") {
      run.state = "stopped";
      clearTimeout(run.timer);
      run.stopping.abort();
      run.work = this.#end(agent, run, run.work);
    }
    await run.work;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#runs.keys()].map((name) => this.stopAgent(name)));
  }

  async #end(agent: AgentDeclaration, run: Run, before: Promise<unknown>): Promise<void> {
    // A start that is under way comes to its end first, soon: its agent is being ended. What it has opened can then be closed.
    await before.catch(() => {});
    const { session } = run;
    run.session = undefined;
    await session?.end();
    this.#options.tokenStore.revokeAgent(agent.name);
    if (session) this.#emit("agent:stopped", agent.name, { sessionId: session.sessionId });
  }

  async #open(agent: AgentDeclaration, run: Run): Promise<void> {
    this.#emit("agent:starting", agent.name);
    let session: AgentSession;
    try {
      session = await openAgentSession(this.#options, agent, run.stopping.signal);
    } catch (error) {
      // A caller that has stopped it need not hear that it did not start.
      if (run.state === "stopped") throw error;
      run.state = "failed";
      const reason = this.#options.redactor.redact(error instanceof Error ? error.message : String(error));
      this.#emit("agent:failed", agent.name, { reason });
      throw error;
    }
    run.session = session;
    run.startedAt = performance.now();
    // Told to stop while it started: the one who stops it waits, and ends it.
    if (run.state !== "stopped") run.state = "running";
    const { pid, session: opened } = session.connection;
    this.#emit("agent:started", agent.name, {
      sessionId: session.sessionId,
      pid,
      systemText: opened.systemTextWay,
      toolsListed: session.hasListedTools,
      serversLeft: opened.leftServers,
    });
    void session.connection.exited.then((exit) => this.#exited(agent, run, session, exit));
  }

  async #exited(agent: AgentDeclaration, run: Run, session: AgentSession, exit: AgentExit): Promise<void> {
    if (run.session !== session || run.state === "stopped") return;
    run.session = undefined;
    run.state = "restarting";
    const hasRunWell = performance.now() - run.startedAt >= this.#restart.stableMs;
    if (hasRunWell) run.restarts = 0;
    this.#emit("agent:exited", agent.name, { sessionId: session.sessionId, ...exit });
    run.work = session.end();
    await run.work;
    this.#later(agent, run);
  }

  /** Starts it again after a while, or gives it up. */
  #later(agent: AgentDeclaration, run: Run): void {
    if (run.state !== "restarting") return;
    const { firstDelayMs, maxDelayMs, attempts } = this.#restart;
    if (agent.launchMode !== "managed" || run.restarts >= attempts) {
      run.state = "failed";
      this.#emit("agent:given-up", agent.name, { restarts: run.restarts });
      return;
    }
    const delayMs = Math.min(firstDelayMs * 2 ** run.restarts, maxDelayMs);
    run.restarts += 1;
    this.#emit("agent:restarting", agent.name, { attempt: run.restarts, attempts, delayMs });
    run.timer = setTimeout(() => {
      run.work = this.#open(agent, run).catch(() => {
        if (run.state !== "failed") return;
        run.state = "restarting";
        this.#later(agent, run);
      });
    }, delayMs);
  }

  #declared(name: string): AgentDeclaration {
    const agent = this.#options.agents.find((candidate) => candidate.name === name);
    if (agent) return agent;
    const names = this.#options.agents.map((candidate) => candidate.name).join(", ");
    throw new GalleyError("NotFound", `There is no agent ${JSON.stringify(name)}.`, {
      path: name,
      hint: names === "" ? "None is declared." : `Declared are ${names}.`,
    });
  }

  #session(name: string): AgentSession {
    const session = this.#runs.get(this.#declared(name).name)?.session;
    if (session) return session;
    throw new GalleyError("AgentFailed", `${name} does not run.`, { hint: "Start it first.", retryable: true });
  }

  #emit(event: string, agentName: string, data: Readonly<Record<string, unknown>> = {}): void {
    this.#options.eventBus.emit(event, { agentName, data, callerId: "agent-manager" });
  }
}

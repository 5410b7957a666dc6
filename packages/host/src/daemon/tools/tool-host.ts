import { GalleyError } from "@galley/engine";
import type { AgentInstanceMeta } from "../../config/providers/agent-meta.ts";
import type { HookEventBus } from "../../inject/session/hook-event-bus.ts";
import type { SessionToken, SessionTokenStore } from "../../inject/session/session-token-store.ts";
import { isInScope } from "../../config/providers/tool-definition.ts";
import { type HostTool, type ToolCallOptions, type ToolCaller, callTool } from "./host-tool.ts";

export interface ToolHostOptions {
  readonly tools: readonly HostTool[];
  readonly tokenStore: SessionTokenStore;
  readonly eventBus: HookEventBus;
  /** What is known of an agent; nothing when it is not declared any more. */
  readonly agentMeta: (agentName: string) => AgentInstanceMeta | undefined;
}

/** What a good token lets its bearer do. */
export interface ToolSession {
  readonly caller: ToolCaller;
  readonly token: SessionToken;
  /** The tools that this agent may use. */
  readonly tools: readonly HostTool[];
  /** Methods of JSON-RPC that are no tools, by name; the daemon's own token has some. */
  readonly methods?: ReadonlyMap<string, (params: unknown) => Promise<unknown>>;
  /** Checks the token again: it may have been revoked since. */
  call(tool: HostTool, input: unknown, options?: ToolCallOptions): Promise<unknown>;
}

interface TokenCall {
  readonly token: string;
  readonly through: string;
  readonly tool: HostTool;
  readonly options: ToolCallOptions | undefined;
}

/** The one place that turns a token into an identity and runs tools, for MCP, JSON-RPC and the command alike [I10]. */
export class ToolHost {
  readonly #options: ToolHostOptions;
  readonly #granted = new Map<string, ReadonlySet<string>>();
  readonly #listed = new Set<string>();
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(options: ToolHostOptions) {
    const names = options.tools.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new GalleyError("DuplicateId", `Two tools are called ${twice}.`, { path: twice });
    this.#options = options;
  }

  get tools(): readonly HostTool[] {
    return this.#options.tools;
  }

  /** Whom the token speaks for. A token that is not good is told as an event, and refused. */
  open(token: string, through: string): ToolSession {
    const { tokenStore, tools, agentMeta } = this.#options;
    const found = tokenStore.validate(token);
    const meta = found && agentMeta(found.agentName);
    if (!found || !meta) throw this.#refused(found?.agentName, through);
    const granted = this.#granted.get(found.sessionId);
    const own = tools.filter(
      ({ name, scope }) => isInScope(meta.archetype, scope) && (granted === undefined || granted.has(name)),
    );
    const caller = { agent: found.agentName, session: found.sessionId, id: `agent:${found.agentName}` };
    return {
      caller,
      token: found,
      tools: own,
      call: (tool, input, options) => this.#call({ token, through, tool, options }, input),
    };
  }

  /** From now on a session reaches these tools only: those that it was told of. */
  grant(sessionId: string, toolNames: Iterable<string>): void {
    this.#granted.set(sessionId, new Set(toolNames));
  }

  /** Takes note that a session has seen its tools. */
  noteListing(sessionId: string): void {
    this.#listed.add(sessionId);
    for (const go of this.#waiting.get(sessionId) ?? []) go();
    this.#waiting.delete(sessionId);
  }

  /** Resolves with true when the session has seen its tools, or with false when the time is over. */
  whenListed(sessionId: string, milliseconds: number): Promise<boolean> {
    if (this.#listed.has(sessionId)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(sessionId) ?? new Set();
      const go = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        waiting.delete(go);
        if (waiting.size === 0) this.#waiting.delete(sessionId);
        resolve(false);
      }, milliseconds);
      this.#waiting.set(sessionId, waiting.add(go));
    });
  }

  /** Forgets a session that is over. */
  forget(sessionId: string): void {
    this.#granted.delete(sessionId);
    this.#listed.delete(sessionId);
    for (const go of this.#waiting.get(sessionId) ?? []) go();
    this.#waiting.delete(sessionId);
  }

  async #call({ token, through, tool, options }: TokenCall, input: unknown): Promise<unknown> {
    const { caller } = this.open(token, through);
    const { eventBus } = this.#options;
    const event = { agentName: caller.agent, callerType: "agent", callerId: caller.session } as const;
    try {
      const result = await callTool(tool, input, caller, options);
      eventBus.emit("tool:called", { ...event, data: { tool: tool.name, through } });
      return result;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      eventBus.emit("tool:failed", { ...event, data: { tool: tool.name, through, reason } });
      throw error;
    }
  }

  #refused(agentName: string | undefined, through: string): GalleyError {
    this.#options.eventBus.emit("token:refused", {
      ...(agentName === undefined ? {} : { agentName }),
      data: { through },
      callerType: "api",
      callerId: "unknown",
    });
    return new GalleyError("TokenRefused", "The session token is not known here, was revoked, or is too old.", {
      hint: "A token is good for one session of one agent, as long as that session runs.",
    });
  }
}

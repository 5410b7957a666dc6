import { GalleyError } from "@galley/engine";
import { messageOf } from "../../disk/storage-error.ts";
import type { AgentInstanceMeta } from "../../config/providers/agent-meta.ts";
import type { HookEventBus } from "../../inject/session/hook-event-bus.ts";
import type { SessionToken, SessionTokenStore } from "../../inject/session/session-token-store.ts";
import { isInScope } from "../../config/providers/tool-definition.ts";
import type { Tool, ToolContent } from "../../tools/tool.ts";
import { type CallSource, type ToolSession, callTool, tokenRefused } from "./tool-session.ts";

/** What a tool host asks before it lets a session call a tool. */
export interface ToolHostOptions {
  readonly tokenStore: SessionTokenStore;
  readonly eventBus: HookEventBus;
  /** What is known of an agent; nothing when it is not declared any more. */
  readonly agentMeta: (agentName: string) => AgentInstanceMeta | undefined;
}

/** The one place that turns a token into an identity and runs tools, for MCP, JSON-RPC and the command alike [I10]. */
export class ToolHost {
  readonly #options: ToolHostOptions;
  readonly #granted = new Map<string, readonly Tool[]>();
  readonly #listings = new Map<string, PromiseWithResolvers<boolean>>();

  constructor(options: ToolHostOptions) {
    this.#options = options;
  }

  /** Opens what the token speaks for. A token that is not good is told as an event, and refused. */
  open(token: string, through: string, { chat }: { readonly chat?: string | undefined } = {}): ToolSession {
    const { tokenStore, agentMeta } = this.#options;
    if (chat !== undefined) {
      throw new GalleyError("BadRequest", "A session of an agent cannot name a chat.", { path: "chat" });
    }
    const found = tokenStore.validate(token);
    const meta = found && agentMeta(found.agentName);
    if (!found || !meta) throw this.#refused(found?.agentName, through);
    const granted = this.#granted.get(found.sessionId) ?? [];
    return {
      token: found,
      tools: granted.filter(({ scope = "all" }) => isInScope(meta.archetype, scope)),
      call: async (tool, input, source) =>
        this.#call(this.open(token, through).token, { tool, input, source, through }),
    };
  }

  /** Gives a session its tools: those that it was told of. */
  grant(sessionId: string, tools: readonly Tool[]): void {
    this.#granted.set(sessionId, tools);
  }

  /** Takes note that a session has seen its tools. */
  noteListing(sessionId: string): void {
    this.#listingOf(sessionId).resolve(true);
  }

  /** Resolves with true when the session has seen its tools, or with false when the time is over. */
  async whenListed(sessionId: string, milliseconds: number): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), milliseconds);
    const isListed = await Promise.race([this.#listingOf(sessionId).promise, late.promise]);
    clearTimeout(timer);
    return isListed;
  }

  /** Forgets a session that is over. */
  forget(sessionId: string): void {
    this.#granted.delete(sessionId);
    this.noteListing(sessionId);
    this.#listings.delete(sessionId);
  }

  #listingOf(sessionId: string): PromiseWithResolvers<boolean> {
    const listing = this.#listings.get(sessionId) ?? Promise.withResolvers();
    this.#listings.set(sessionId, listing);
    return listing;
  }

  async #call(
    { agentName, sessionId }: SessionToken,
    { tool, input, source, through }: { tool: Tool; input: unknown; source: CallSource | undefined; through: string },
  ): Promise<readonly ToolContent[]> {
    const { eventBus } = this.#options;
    const event = { agentName, callerType: "agent", callerId: sessionId } as const;
    try {
      const result = await callTool(tool, input, { ...source, caller: `agent:${agentName}`, agent: agentName });
      eventBus.emit("tool:called", { ...event, data: { tool: tool.name, through } });
      return result;
    } catch (error) {
      eventBus.emit("tool:failed", { ...event, data: { tool: tool.name, through, reason: messageOf(error) } });
      throw error;
    }
  }

  #refused(agentName: string | undefined, through: string): GalleyError {
    this.#options.eventBus.emit("token:refused", {
      agentName,
      data: { through },
      callerType: "api",
      callerId: "unknown",
    });
    return tokenRefused();
  }
}

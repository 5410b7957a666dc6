import { randomUUID } from "node:crypto";
import { GalleyError } from "@galley/engine";
import { type AgentInstanceMeta, archetypes, isArchetype } from "../config/providers/agent-meta.ts";
import { collectProvider } from "./call-provider.ts";
import type { ContextProvider } from "../config/providers/context-provider.ts";
import type { HookEventBus } from "./session/hook-event-bus.ts";
import { type ProviderOutcome, mergeContext } from "./merge-context.ts";
import { withTimeout } from "../limits/with-timeout.ts";
import type { SessionContext } from "./session/session-context.ts";
import type { SessionTokenStore } from "./session/session-token-store.ts";
import { type TokenDelivery, toolInstructions } from "./session/tool-instructions.ts";

export interface SessionContextInjectorOptions {
  /** How long a provider may take that sets no limit of its own, in milliseconds; 10 seconds if absent. */
  readonly timeLimitMs?: number;
  readonly tokenDelivery?: TokenDelivery;
  /** Takes secrets out of what providers said when they failed [P6]. */
  readonly redact?: (text: string) => string;
}

export interface PrepareOptions {
  /** Instead of the injector's own. */
  readonly tokenDelivery?: TokenDelivery;
  /** Leaves out the tools that nothing in the session can run, in the list and in the text [T2]; all are listed if absent. */
  readonly runnableOnly?: boolean;
}

/** Asks every provider what a new session gets: MCP servers, tools and system text; and gives the session its token. */
export class SessionContextInjector {
  // A Map keeps the place of a name whose value is replaced [I2].
  readonly #providers = new Map<string, ContextProvider>();
  readonly #timeLimitMs: number;
  readonly #tokenDelivery: TokenDelivery;
  readonly #redact: (text: string) => string;
  #eventBus: HookEventBus | undefined;
  #tokenStore: SessionTokenStore | undefined;

  constructor(options: SessionContextInjectorOptions = {}) {
    const { timeLimitMs = 10_000, tokenDelivery = "prompt", redact = (text) => text } = options;
    this.#timeLimitMs = timeLimitMs;
    this.#tokenDelivery = tokenDelivery;
    this.#redact = redact;
  }

  setEventBus(eventBus: HookEventBus): void {
    this.#eventBus = eventBus;
  }

  setTokenStore(tokenStore: SessionTokenStore): void {
    this.#tokenStore = tokenStore;
  }

  /** Adds a provider behind the others. One of the same name is replaced, and keeps its place. */
  register(provider: ContextProvider): void {
    this.#providers.set(provider.name, provider);
  }

  unregister(name: string): void {
    this.#providers.delete(name);
  }

  listProviders(): string[] {
    return [...this.#providers.keys()];
  }

  revokeTokens(agentName: string): void {
    this.#tokenStore?.revokeAgent(agentName);
  }

  /** Everything for one new session. Providers that fail are left out and reported, unless they are required [I4]. */
  async prepare(
    agentName: string,
    meta: AgentInstanceMeta,
    sessionId: string = randomUUID(),
    { tokenDelivery = this.#tokenDelivery, runnableOnly = false }: PrepareOptions = {},
  ): Promise<SessionContext> {
    if (!isArchetype(meta.archetype)) throw unknownArchetype(agentName, meta.archetype);
    // A copy: providers may come and go while others are still at work.
    const providers = [...this.#providers.values()];
    this.#emit("session:preparing", agentName, { providerCount: providers.length });
    const outcomes = await this.#askAll(providers, agentName, meta);
    const merged = mergeContext(outcomes, meta.archetype, { runnableOnly });
    const token = this.#tokenStore?.generate(agentName, sessionId) ?? "";
    const additions = [...merged.systemContextAdditions];
    if (merged.tools.length > 0 && token !== "") additions.push(toolInstructions(merged.tools, token, tokenDelivery));
    this.#emit("session:context-ready", agentName, {
      mcpServerCount: merged.mcpServers.length,
      toolCount: merged.tools.length,
      contextAdditions: additions.length,
    });
    return { ...merged, systemContextAdditions: additions, token, sessionId };
  }

  /** All providers begin in their order; those that are async then work at the same time. */
  async #askAll(
    providers: readonly ContextProvider[],
    agentName: string,
    meta: AgentInstanceMeta,
  ): Promise<ProviderOutcome[]> {
    const over = new AbortController();
    try {
      return await Promise.all(providers.map((provider) => this.#ask(provider, agentName, meta, over.signal)));
    } finally {
      over.abort();
    }
  }

  async #ask(
    provider: ContextProvider,
    agentName: string,
    meta: AgentInstanceMeta,
    over: AbortSignal,
  ): Promise<ProviderOutcome> {
    const { name, required = false, timeLimitMs = this.#timeLimitMs } = provider;
    try {
      const collected = await withTimeout(() => collectProvider(provider, agentName, meta), {
        milliseconds: timeLimitMs,
        error: () => new GalleyError("ProviderFailed", `it gave no answer within ${timeLimitMs} ms`),
        over,
      });
      return { name, collected };
    } catch (cause) {
      const reason = this.#redact(reasonOf(cause));
      this.#emit("provider:unavailable", agentName, { provider: name, required, reason });
      if (!required) return { name, reason };
      const message = `The provider ${name}, which ${agentName} cannot do without, gave nothing: ${reason}`;
      throw new GalleyError("ProviderFailed", message, {
        path: name,
        hint: "Fix the provider, or register it without `required`.",
        retryable: true,
        cause,
      });
    }
  }

  #emit(event: string, agentName: string, data: Readonly<Record<string, unknown>>): void {
    this.#eventBus?.emit(event, { agentName, data, callerId: "session-context-injector" });
  }
}

/** What is thrown may be anything, also what cannot be made a text of. */
function reasonOf(cause: unknown): string {
  try {
    return String(cause instanceof Error ? cause.message : cause);
  } catch {
    return "it threw something that cannot be put into words";
  }
}

function unknownArchetype(agentName: string, archetype: unknown): GalleyError {
  const message = `The agent ${agentName} has the unknown archetype ${JSON.stringify(archetype)}.`;
  const hint = `It must be one of ${archetypes.join(", ")}.`;
  return new GalleyError("AgentInvalid", message, { path: "archetype", hint });
}

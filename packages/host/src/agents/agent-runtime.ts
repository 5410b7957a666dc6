import type { AgentDeclaration } from "../config/config-schema.ts";
import type { TimeLimits } from "../config/time-limits.ts";
import type { ActantToolDefinition } from "../config/providers/tool-definition.ts";
import type { AgentChat } from "../inject/session/agent-chat.ts";
import type { HookEventBus } from "../inject/session/hook-event-bus.ts";
import type { SessionTokenStore } from "../inject/session/session-token-store.ts";
import type { SessionContextInjector } from "../inject/session-context-injector.ts";
import type { Environment } from "../secrets/expand-environment.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { AcpConnectionManager } from "./acp-connection-manager.ts";
import type { AskPermission } from "./permission-policy.ts";

/** Where agents reach our own tools. */
export interface ToolGateway {
  readonly url: string;
  /** What starts a bridge to it for agents that know no HTTP: a program and its arguments. */
  readonly bridge: readonly [command: string, ...args: string[]];
  /** Opens a session's tools, those and no others. */
  grant(sessionId: string, tools: readonly ActantToolDefinition[]): void;
  whenListed(sessionId: string, milliseconds: number): Promise<boolean>;
  forget(sessionId: string): void;
}

/** What every session of every agent shares. */
export interface AgentRuntime {
  /** Where agents work that name no folder; relative ones are seen from here. */
  readonly folder: string;
  readonly dataFolder: string;
  /** For the files of sessions, which go with them; the system's own if absent. */
  readonly tempFolder?: string;
  readonly environment: Environment;
  /** Says what an agent's sessions get. Of its tools, those reach the agent that something can run [T2]. */
  readonly injectorFor: (agent: AgentDeclaration) => SessionContextInjector;
  readonly tokenStore: SessionTokenStore;
  readonly eventBus: HookEventBus;
  readonly redactor: Redactor;
  readonly connections: AcpConnectionManager;
  /** Without one, agents are told of tools but reach them only by other means. */
  readonly gateway?: ToolGateway;
  readonly ask?: AskPermission | undefined;
  readonly limits: TimeLimits;
  /** Where the prompts and replies of an agent are kept; without it they are not. */
  readonly chatOf?: ((agentName: string) => Promise<AgentChat>) | undefined;
}

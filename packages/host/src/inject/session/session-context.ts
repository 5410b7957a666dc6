import type { AcpMcpServer } from "../../config/providers/acp-mcp-server.ts";
import type { ActantToolDefinition } from "../../config/providers/tool-definition.ts";

/** What a starting agent session is given, and what became of every provider. */
export interface SessionContext {
  readonly mcpServers: readonly AcpMcpServer[];
  readonly tools: readonly ActantToolDefinition[];
  /** In the order of registration; the tool instructions are last. */
  readonly systemContextAdditions: readonly string[];
  /** 64 hexadecimal characters; empty when the injector has no token store. */
  readonly token: string;
  readonly sessionId: string;
  readonly providers: readonly ProviderState[];
  /** What providers gave and the session does not get. */
  readonly hidden: readonly HiddenItem[];
}

/** What one provider gave, or why it gave nothing. */
export type ProviderState =
  | {
      readonly name: string;
      readonly status: "ready";
      /** Names of the servers and tools that the session got from it. */
      readonly mcpServers: readonly string[];
      readonly tools: readonly string[];
      /** Where its text stands in `systemContextAdditions`. */
      readonly systemContext?: number;
    }
  | { readonly name: string; readonly status: "unavailable"; readonly reason: string };

/** A server or tool that a session does not get, and why. */
export interface HiddenItem {
  readonly kind: "server" | "tool";
  readonly name: string;
  readonly provider: string;
  readonly rule: "scope" | "unknown-scope" | "name-taken" | "not-runnable";
  /** The rule as a sentence for a person. */
  readonly reason: string;
}

import type { AgentSession } from "./agent-session.ts";

/** Where an agent stands in its life. */
export type AgentState = "stopped" | "starting" | "running" | "restarting" | "failed";

/** When and how often an agent that has ended by itself is started again. */
export interface RestartPolicy {
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** In a row; the count starts again for an agent that has run for `stableMs`. */
  readonly maxRestarts: number;
  readonly stableMs: number;
}

export const defaultRestart: RestartPolicy = {
  firstDelayMs: 500,
  maxDelayMs: 30_000,
  maxRestarts: 5,
  stableMs: 60_000,
};

/** An agent that was told to start. */
export interface AgentLife {
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
  /** What of its chat the agent's session knows; nothing where that is not all that is active. */
  known: string | undefined;
  /** Of its model, as the agent reported it. */
  windowTokens: number | undefined;
  isPrompted: boolean;
  /** Why it did not start, or how it ended, since it last ran well. */
  problem: string | undefined;
}

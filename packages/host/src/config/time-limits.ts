import * as z from "zod";
import { maxDelayMs } from "../limits/with-timeout.ts";

const limit = (usual: number, description: string) =>
  z.int().min(1).max(maxDelayMs).default(usual).meta({ description });
const minute = 60_000;
const day = 24 * 60 * minute;

/** How long things may take, in milliseconds. Every default is here. */
export const limitsSchema = z.strictObject({
  runLeaseMs: limit(15_000, "A run without a sign of life for this long may be taken over."),
  runLookMs: limit(15_000, "How often the daemon looks for runs to take over."),
  toolGraceMs: limit(1000, "Grace period for a tool to stop."),
  hintsMs: limit(10_000, "How long a turn waits for runtimeHintProvider before it goes on without."),
  stopGraceMs: limit(10_000, "How long running turns may go on when the daemon stops."),
  openTurnMs: limit(30 * minute, "How long a turn waits for the reply of the client that had it built."),
  heartbeatMs: limit(15_000, "How often a stream of events without news gives a sign of life."),
  agentStartMs: limit(minute, "How long an agent may take until it has a session."),
  agentListingMs: limit(15_000, "How long an agent may take to list its tools before it is prompted all the same."),
  agentPromptMs: limit(day, "How long an answer to a prompt may take before the agent is ended."),
  agentCancelMs: limit(10_000, "How long an agent may take to stop a turn before it is ended."),
  agentGraceMs: limit(3000, "How long each step of stopping an agent may take before the next, harder one."),
  // Clients of MCP give up after a minute; one that then asks again would have the work done twice.
  agentWaitMs: limit(50_000, "How long a call of an agent waits for the work that it handed over."),
  mcpConnectMs: limit(
    20_000,
    "How long an MCP server may take to connect and list its tools in a turn that Galley runs.",
  ),
  mcpCallMs: limit(5 * minute, "How long a call of a tool of such a server may take."),
  agentTokenMs: limit(day, "How long a token outlives the last sign that its session runs."),
});

/** How long things may take, in milliseconds. */
export type TimeLimits = z.output<typeof limitsSchema>;

export const defaultLimits: TimeLimits = limitsSchema.parse({});

import * as z from "zod";
import { maxDelayMs } from "../limits/with-timeout.ts";

const milliseconds = z.int().min(1).max(maxDelayMs);
const minute = 60_000;
const day = 24 * 60 * minute;

/** How long things may take, in milliseconds. Every default is here. */
export const limitsSchema = z.strictObject({
  runLeaseMs: milliseconds
    .default(15_000)
    .meta({ description: "A run without a sign of life for this long may be taken over." }),
  runLookMs: milliseconds.default(15_000).meta({ description: "How often the daemon looks for runs to take over." }),
  toolGraceMs: milliseconds.default(1000).meta({ description: "Grace period for a tool to stop." }),
  hintsMs: milliseconds
    .default(10_000)
    .meta({ description: "How long a turn waits for runtimeHintProvider before it goes on without." }),
  stopGraceMs: milliseconds
    .default(10_000)
    .meta({ description: "How long running turns may go on when the daemon stops." }),
  openTurnMs: milliseconds
    .default(30 * minute)
    .meta({ description: "How long a turn waits for the reply of the client that had it built." }),
  heartbeatMs: milliseconds
    .default(15_000)
    .meta({ description: "How often a stream of events without news gives a sign of life." }),
  agentStartMs: milliseconds
    .default(minute)
    .meta({ description: "How long an agent may take until it has a session." }),
  agentListingMs: milliseconds
    .default(15_000)
    .meta({ description: "How long an agent may take to list its tools before it is prompted all the same." }),
  agentPromptMs: milliseconds
    .default(day)
    .meta({ description: "How long an answer to a prompt may take before the agent is ended." }),
  agentCancelMs: milliseconds
    .default(10_000)
    .meta({ description: "How long an agent may take to stop a turn before it is ended." }),
  agentGraceMs: milliseconds
    .default(3000)
    .meta({ description: "How long each step of stopping an agent may take before the next, harder one." }),
  // Clients of MCP give up after a minute; one that then asks again would have the work done twice.
  agentWaitMs: milliseconds
    .default(50_000)
    .meta({ description: "How long a call of an agent waits for the work that it handed over." }),
  mcpConnectMs: milliseconds
    .default(20_000)
    .meta({ description: "How long an MCP server may take to connect and list its tools in a turn that Galley runs." }),
  mcpCallMs: milliseconds
    .default(5 * minute)
    .meta({ description: "How long a call of a tool of such a server may take." }),
  agentTokenMs: milliseconds
    .default(day)
    .meta({ description: "How long a token outlives the last sign that its session runs." }),
});

/** How long things may take, in milliseconds. */
export type TimeLimits = z.output<typeof limitsSchema>;

export const defaultLimits: TimeLimits = limitsSchema.parse({});

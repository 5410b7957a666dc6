import { type JsonObject, redactSecrets } from "@galley/engine";
import type { Galley } from "../agent/galley.ts";
import { answerOf, awaitTurn } from "../handover/await-turn.ts";
import { type TaskResult, awaitFork } from "../handover/fork-join.ts";
import { openHandover } from "../handover/handover-options.ts";
import type { ContextProvider } from "../inject/context-provider.ts";
import type { HostTool } from "./host-tool.ts";
import { hostToolProvider } from "./host-tool-provider.ts";
import { isOwner } from "./owner-session.ts";

export interface HandoverHostToolOptions {
  /** How long a call waits for what it has started, in ms. */
  readonly patienceMs?: number;
}

/** Clients of MCP give up after a minute; one that then asks again would have the work done twice. */
const patience = 50_000;

/**
 * The tools of handover for agents and programs that come over MCP and JSON-RPC; the embedded worker does what they hand over.
 * They have no turn of ours that could be parked: a fork and a question wait within the call, for a while; what takes longer
 * goes on without them. An agent may use what it made itself and what came of it [H6], whoever has the daemon's own token may
 * use everything.
 */
export function handoverHostTools(
  { handover, redactor }: Galley,
  onStarted: (turnId: string) => void,
  { patienceMs = patience }: HandoverHostToolOptions = {},
): readonly HostTool[] {
  const { projectId } = handover.person;
  const opened = openHandover(handover.options);
  return handover.tools.map((tool) => ({
    ...tool,
    execute: async (input, caller, { signal: gone } = {}) => {
      await handover.start();
      const agentId = isOwner(caller) ? null : `agent:${caller.agent}`;
      const given = await tool.execute(redactSecrets(input, redactor.secrets()), { projectId, agentId });
      const { turn_id: turnId, batch_id: batchId } = given;
      for (const started of turnsOf(given)) onStarted(started);
      const signal = AbortSignal.any([AbortSignal.timeout(patienceMs), ...(gone ? [gone] : [])]);
      try {
        if (tool.name === "fork_join" && typeof batchId === "string") {
          return await awaitFork(batchId, { projectId, agentId, signal }, opened);
        }
        if (tool.name !== "ask_expert" || typeof turnId !== "string") return given;
        return { ...given, ...answerOf(await awaitTurn(projectId, turnId, opened, signal)) };
      } catch (error) {
        if (!signal.aborted) throw error;
        return { ...given, status: "running", note: noteOf(given) };
      }
    },
  }));
}

/** The turns that a call has started. */
function turnsOf({ turn_id: turnId, results }: JsonObject): readonly string[] {
  if (typeof turnId === "string") return [turnId];
  return Array.isArray(results) ? (results as readonly TaskResult[]).map((result) => result.turn_id) : [];
}

/** How to come to the end of what takes longer than a call may wait. */
function noteOf(given: JsonObject): string {
  const goesOn = "It goes on by itself: do not call again, which would start it a second time.";
  const command = `\`galley turns ${turnsOf(given)[0] ?? ""}\` shows how it stands`;
  return given["batch_id"] === undefined
    ? `${goesOn} ${command}, and the answer.`
    : `${goesOn} ${command}; the tool join, with this batch_id, packs what it has given.`;
}

/** Tells agents of them where there is a profile: without one there is nobody to hand anything to. */
export function handoverProvider({ store, handover }: Galley, tools: readonly HostTool[]): ContextProvider {
  const provider = hostToolProvider("handover", tools);
  return {
    name: provider.name,
    getTools: async () => {
      const profiles = await store.cards.listProfiles(handover.person.projectId);
      return profiles.length === 0 ? [] : provider.getTools();
    },
  };
}

import { setTimeout as sleep } from "node:timers/promises";
import { GalleyError } from "@galley/engine";
import type { AgentUpdate } from "../../agents/acp-prompt.ts";
import type { DaemonClient } from "../../daemon/client/daemon-client.ts";

export interface DaemonPrompt {
  readonly name: string;
  readonly text: string;
  /** Asks the agent to end its prompt. */
  readonly signal: AbortSignal;
  /** So long the agent may take to do so, before nobody waits for it any more. */
  readonly cancelLimitMs: number;
  readonly onUpdate: (update: AgentUpdate) => void;
}

/** How often, and after how many ms, an agent is asked again that has not got the prompt yet. */
const maxRequests = 50;
const requestPause = 100;

interface PromptEnd {
  readonly stopReason: string;
  readonly text: string;
}

/** Says something to an agent of the daemon; one that did not run is started for it and stopped again. */
export async function promptInDaemon(daemon: DaemonClient, prompt: DaemonPrompt): Promise<PromptEnd> {
  const { name, text, signal, cancelLimitMs, onUpdate } = prompt;
  const params = { name };
  const { agents } = await daemon.call("agents.list", {});
  const wasRunning = agents.some((agent) => agent.name === name && agent.state === "running");
  if (!wasRunning) await daemon.call("agents.start", { params });
  const leaving = new AbortController();
  const over = new AbortController();
  const cancel = async (): Promise<void> => {
    // The prompt may still be on its way: an agent that is not at work has nothing to end, and would begin afterwards.
    for (let request = 0; request < maxRequests && !over.signal.aborted; request += 1) {
      const { wasBusy } = await daemon.call("agents.cancel", { params }).catch(() => ({ wasBusy: false }));
      if (wasBusy) break;
      await sleep(requestPause, undefined, { ref: false });
    }
    await sleep(cancelLimitMs, undefined, { ref: false });
    leaving.abort(failure(name, { message: "it was asked to end its prompt, and did not" }));
  };
  try {
    // Somebody may have changed their mind while the agent started.
    signal.throwIfAborted();
    signal.addEventListener("abort", () => void cancel(), { once: true });
    for await (const event of daemon.stream("agents.prompt", { params, body: { text } }, { signal: leaving.signal })) {
      if (event.type === "done") return event as unknown as PromptEnd;
      if (event.type === "failed") throw failure(name, event["error"]);
      const { type, ...update } = event;
      onUpdate({ sessionUpdate: type, ...update } as AgentUpdate);
    }
    throw failure(name, undefined);
  } finally {
    over.abort();
    if (!wasRunning) await daemon.call("agents.stop", { params });
  }
}

function failure(name: string, error: unknown): GalleyError {
  const { message = "its answer broke off", hint } = (error ?? {}) as {
    readonly message?: string;
    readonly hint?: string;
  };
  return new GalleyError("AgentFailed", `${name}: ${message}`, hint === undefined ? {} : { hint });
}

import { GalleyError } from "@galley/engine";
import type { AgentUpdate } from "../agent/acp-turn.ts";
import type { DaemonClient } from "../daemon/daemon-client.ts";
import type { Terminal } from "./terminal.ts";

interface Flags {
  readonly json?: boolean;
}

/** Starts an agent in the daemon, where it stays. */
export async function startInDaemon(
  daemon: DaemonClient,
  name: string,
  flags: Flags,
  terminal: Terminal,
): Promise<void> {
  const agent = await daemon.call("agents.start", { params: { name } });
  terminal.out(
    flags.json ? `${JSON.stringify({ agent })}\n` : `${name} runs in the daemon. galley agent stop ends it.\n`,
  );
}

export async function stopInDaemon(daemon: DaemonClient, name: string): Promise<void> {
  await daemon.call("agents.stop", { params: { name } });
}

export interface DaemonPrompt {
  readonly name: string;
  readonly text: string;
  readonly signal: AbortSignal;
  readonly onUpdate: (update: AgentUpdate) => void;
}

interface PromptEnd {
  readonly stopReason: string;
  readonly text: string;
}

/** Says something to an agent of the daemon; one that did not run is started for it and stopped again. */
export async function promptInDaemon(daemon: DaemonClient, prompt: DaemonPrompt): Promise<PromptEnd> {
  const { name, text, signal, onUpdate } = prompt;
  const params = { name };
  const { agents } = await daemon.call("agents.list", {});
  const wasRunning = agents.some((agent) => agent.name === name && agent.state === "running");
  if (!wasRunning) await daemon.call("agents.start", { params });
  try {
    for await (const event of daemon.stream("agents.prompt", { params, body: { text } }, { signal })) {
      if (event.type === "done") return event as unknown as PromptEnd;
      if (event.type === "failed") throw failure(name, event["error"]);
      const { type, ...update } = event;
      onUpdate({ sessionUpdate: type, ...update } as AgentUpdate);
    }
    throw failure(name, undefined);
  } finally {
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

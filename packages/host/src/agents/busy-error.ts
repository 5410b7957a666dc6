import { GalleyError } from "@galley/engine";

/** An agent works on one prompt at a time. */
export function busyError(agentName: string): GalleyError {
  return new GalleyError("AgentBusy", `${agentName} is still answering the prompt before this one.`, {
    hint: "Wait for the answer, or end that prompt.",
    retryable: true,
  });
}

import { setTimeout as sleep } from "node:timers/promises";
import { type JsonObject, redactSecrets } from "@galley/engine";
import { specsOf } from "../../handover/handover-tools.ts";
import type { GalleyParts } from "./galley-parts.ts";
import type { LoopCall, LoopTool } from "./loop-tool.ts";

/**
 * The tools with which the model of a chat or session hands work to others. A fork waits for its results, and so does a
 * question to an expert; a delegation goes on by itself. All are served by the embedded worker.
 */
export async function handoverLoopTools(parts: GalleyParts, model: string): Promise<readonly LoopTool[]> {
  const { store, project, handover, events, redactor } = parts;
  // Without a profile there is nobody to hand anything to, and the tools would only cost tokens.
  if ((await store.cards.listProfiles(project)).length === 0) return [];
  const specs = specsOf(handover.tools);
  return handover.tools.flatMap((tool, index): LoopTool[] => {
    const spec = specs[index];
    if (!spec) return [];
    const execute = async (call: LoopCall): Promise<JsonObject> => {
      await handover.start();
      const { runId, callId, signal, input } = call;
      const caller = { ...handover.person, callId, runId, model, signal, waiting: "block" } as const;
      const given = await tool.execute(redactSecrets(input, redactor.secrets()), caller);
      if (typeof given["turn_id"] === "string") events.emit("delegation:changed", given["turn_id"]);
      return tool.name === "ask_expert" ? { ...given, ...(await answerOf(parts, given, signal)) } : given;
    };
    return [{ spec, isRepeatable: true, execute }];
  });
}

const pollMs = 50;

/** Waits for the expert: whoever asks wants the answer. */
async function answerOf(
  { store, project, now }: GalleyParts,
  given: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  for (;;) {
    const [turn] = await store.turns.read(project, [String(given["turn_id"])]);
    if (!turn || turn.finishedAt !== null) {
      const { status = "failed", result = null, error = null } = turn ?? {};
      return { status, ...(result === null ? {} : { answer: result }), ...(error ? { error: { ...error } } : {}) };
    }
    await sleep(pollMs, undefined, { signal });
    await store.turns.sweep(now());
  }
}

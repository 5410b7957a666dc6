import { GalleyError, type JsonObject, type ToolSpec, redactSecrets } from "@galley/engine";
import { answerOf, awaitTurn } from "../../handover/plan/await-turn.ts";
import { startedId } from "../../handover/options/caller.ts";
import { type HandoverTool, specsOf } from "../../handover/plan/handover-tools.ts";
import type { GalleyParts } from "../services/galley-parts.ts";
import type { LoopCall, LoopTool } from "./loop-tool.ts";

/**
 * The tools with which the model of a place hands work to others, on behalf of that place and never of the person [A4]. A
 * fork waits for its results, and so does a question to an expert; a delegation goes on by itself. All are served by the
 * embedded worker.
 */
export async function handoverLoopTools(
  parts: GalleyParts,
  callerId: string,
  model: string,
): Promise<readonly LoopTool[]> {
  const { store, project, handover, events, redactor } = parts;
  // Without a profile there is nobody to hand anything to, and the tools would only cost tokens.
  if ((await store.cards.listProfiles(project)).length === 0) return [];
  const specs = specsFor(handover.tools);
  return handover.tools.flatMap((tool, index): LoopTool[] => {
    const spec = specs[index];
    if (!spec) return [];
    const execute = async (call: LoopCall): Promise<JsonObject> => {
      await handover.start();
      const { runId, callId, signal, input } = call;
      const named = { callId, runId, model: redactor.redact(model) };
      const caller = { projectId: project, id: callerId, ...named, signal, waiting: "block" } as const;
      try {
        const given = await tool.execute(redactSecrets(input, redactor.secrets()), caller);
        const { turn_id: turnId } = given;
        if (typeof turnId !== "string") return given;
        events.emit("delegation:changed", turnId);
        if (tool.name !== "ask_expert") return given;
        return { ...given, ...answerOf(await awaitTurn(project, turnId, parts, signal)) };
      } catch (error) {
        if (signal.aborted && isOver(signal.reason)) await cancelStarted(parts, startedId(caller));
        throw error;
      }
    };
    return [{ spec, isRepeatable: true, execute }];
  });
}

const known = new WeakMap<readonly HandoverTool[], readonly ToolSpec[]>();

function specsFor(tools: readonly HandoverTool[]): readonly ToolSpec[] {
  const specs = known.get(tools) ?? specsOf(tools);
  known.set(tools, specs);
  return specs;
}

/** Whether a run ends for good; one that is handed back goes on later, and what it waits for must go on as well. */
function isOver(reason: unknown): boolean {
  return !(reason instanceof GalleyError) || (!reason.retryable && reason.code !== "TurnLost");
}

/** Nobody waits any more for what the call has started: a turn, or the turns of a fork. */
async function cancelStarted({ store, project, now }: GalleyParts, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const forked = await store.turns.list(project, { batchId: id });
  const single = (await store.turns.read(project, [id])).filter((turn) => turn !== undefined);
  for (const turn of [...forked, ...single]) {
    const reason = "The run that waited for it was stopped.";
    if (turn.finishedAt === null) await store.turns.cancel({ projectId: project, turnId: turn.id, reason, now: now() });
  }
}

import { type Build, tokenAccount } from "@galley/engine";
import type { HandoverOptions } from "../../handover/options/handover-options.ts";
import type { ResultField } from "../../handover/cards/result-fields.ts";
import type { CardRow } from "../../handover/work/card-rows.ts";
import type { Task } from "../../store/ports/task-store.ts";
import { buildCall } from "../call/build-call.ts";
import { foreignModel } from "../call/resolve-model.ts";
import { openTaskPlace } from "../places/task-place.ts";
import type { LoopServices } from "../services/services.ts";
import { taskTools } from "../tools/task-tools.ts";
import { taskSettings } from "./execute-task.ts";

/** What the model of a task reads, with a row for every card. */
export interface TaskPreview extends Pick<Build, "messages" | "tools" | "stats" | "ledger" | "stablePrefix"> {
  readonly cards: readonly CardRow[];
  readonly digest: string;
  /** What the result must hold, where the task says so. */
  readonly contract: readonly ResultField[] | undefined;
}

/** Builds what the model of a task would read now, without a limit. Keeps nothing. */
export async function previewTask(
  parts: Pick<LoopServices, "store" | "redactor" | "now">,
  task: Task,
  handover: HandoverOptions,
  modelId: string,
  maxInputTokens = Number.MAX_SAFE_INTEGER,
): Promise<TaskPreview> {
  const place = await openTaskPlace(parts, task, taskTools(handover, task));
  const model = await foreignModel(modelId);
  const plan = taskSettings(task, place, { model, config: { maxInputTokens }, now: parts.now() });
  const { messages, tools, stats, ledger, stablePrefix, digest } = await buildCall(
    { ...parts, summaries: "extractive" },
    place,
    plan,
  );
  const cards = place.cardRows(ledger, tokenAccount(model.tokenizer));
  return { messages, tools, stats, ledger, stablePrefix, digest, cards, contract: place.contract };
}

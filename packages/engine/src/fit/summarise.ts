import type { CompactionEntry } from "../model/entries.ts";
import type { Problem } from "../model/errors.ts";
import { applyDecision } from "./apply-decision.ts";
import { finish } from "./build.ts";
import type { Compactor } from "./compactor/compactor.ts";
import { compactionEntry } from "./decision-entries.ts";
import { type Plan, planPrepared } from "./plan.ts";
import { type Prepared, prepare } from "./prepare.ts";
import type { Build } from "./types.ts";

export interface Summarised {
  readonly build?: Build;
  readonly entry?: CompactionEntry;
  /** Why there is no summary; then the history is dropped instead, and nothing else has changed [F9]. */
  readonly problem?: Problem;
}

/** Asks for a summary, once, and builds with it if it may be used. */
export async function summarise(prepared: Prepared, plan: Plan, compactor: Compactor): Promise<Summarised> {
  const { account } = prepared.request;
  const { compact, toSummarise } = plan;
  if (!compact || toSummarise.length === 0) return {};
  const previous = prepared.view.compaction?.summary;
  let text: unknown;
  try {
    text = await compactor.compact({
      messages: toSummarise.map((entry) => entry.message),
      ...(previous === undefined ? {} : { previousSummary: previous }),
      maxTokens: plan.summaryTokens,
      countTokens: (value) => account.tokenizer.count(value),
    });
  } catch (cause) {
    return failed(compactor, `it failed: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  if (typeof text !== "string" || text.trim() === "") return failed(compactor, "it gave nothing");
  const size = account.countPlain(text);
  let replaced = prepared.summaryTokens;
  for (const { message } of toSummarise) {
    if (replaced > size) break;
    replaced += account.countMessage(message);
  }
  if (size >= replaced)
    return failed(compactor, `its ${size} tokens are not fewer than the ${replaced} that it would replace`);
  const entry = compactionEntry(prepared, applyDecision(prepared, compact), { text, by: compactor.id });
  const next = prepare({ ...prepared.request, added: [...(prepared.request.added ?? []), entry], overflowHint: false });
  const after = planPrepared(next);
  const build = after.fits ? finish(next, after) : undefined;
  if (!build || build.stats.inputTokens > plan.limit) {
    return failed(compactor, `with its ${size} tokens the input is still too large`);
  }
  return { build, entry };
}

function failed(compactor: Compactor, reason: string): Summarised {
  const message = `The summary of ${compactor.id} was not used: ${reason}.`;
  const hint = "Old messages are dropped instead; nothing is lost from the session.";
  return { problem: { severity: "warning", code: "CompactionFailed", message, path: "compactor", hint } };
}

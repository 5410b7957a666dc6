import { tokensBySource } from "@galley/engine/proof";
import type { BuildUsage, CallNumbers } from "../../store/ports/build-store.ts";
import { accountOf } from "./account-of.ts";
import type { BuiltCall } from "./build-call.ts";
import { commonPrefix } from "../../limits/common-prefix.ts";
import { isSameTools, lastBuild, rememberBuild, toolHashes } from "./last-build.ts";
import type { LoopServices } from "../services/services.ts";
import { calibrationOf } from "./resolve-model.ts";
import type { TurnSettings } from "./resolve-settings.ts";
import { recordedSettings } from "./preview-settings.ts";
import { offeredTools } from "../tools/own-tools.ts";

export interface RecordedCall {
  readonly session: string;
  /** The same for the same call: a run that is resumed records it once. */
  readonly key: string;
  /** Names the turn; the key begins with it. */
  readonly turnId: string;
  /** The turn's id was made just now, and this is its first call. */
  readonly isNewTurn?: boolean;
  readonly plan: Pick<TurnSettings, "model" | "presetId" | "settings" | "sources">;
  readonly runId?: string;
  /** The first message of its context. */
  readonly contextStart?: string | undefined;
}

/** Writes down what a call of a model reads [P2]; says which call of which turn it is [V1]. */
export async function recordCall(parts: LoopServices, built: BuiltCall, call: RecordedCall): Promise<CallNumbers> {
  const { store, project, redactor, events, now } = parts;
  const { session, plan } = call;
  const settings = recordedSettings(plan);
  const account = accountOf(plan.model.tokenizer);
  const { messages, tools, ledger, hashes } = built.recorded;
  const before = await lastBuild(parts, session);
  const sentTools = toolHashes(tools);
  const shared = commonPrefix(before.hashes, hashes);
  const known = before.tokenizer === account.tokenizer.id ? shared : 0;
  const counted = built.messages.slice(known).map((message) => account.countMessage(message));
  // Tools stand in front of everything: with others, nothing of what a provider has cached is of use.
  const unchanged = isSameTools(before.tools, sentTools) ? shared : 0;
  const fresh = counted.slice(0, Math.max(0, unchanged - known)).reduce((sum, tokens) => sum + tokens, 0);
  const cachedPrefix = (before.tokensTo[Math.min(unchanged, known)] ?? 0) + fresh;
  const { digest, stats, stablePrefix, recipe, problems, budget, compacted } = built;
  const numbers = await store.builds.record(
    { projectId: project, sessionId: session },
    {
      messages,
      tools,
      ledger,
      hashes,
      ...redactor.redact({
        problems,
        stats,
        model: plan.model.id,
        recipe,
        presetId: plan.presetId,
        ...(settings.length === 0 ? {} : { settings }),
      }),
      key: call.key,
      turnId: call.turnId,
      isNewTurn: call.isNewTurn ?? false,
      at: now(),
      digest,
      stablePrefix,
      budget,
      compacted,
      bySource: tokensBySource(built, account),
      cachedPrefix,
      contextStart: call.contextStart,
      runId: call.runId,
    },
  );
  rememberBuild(parts, session, before, {
    hashes,
    known,
    counted,
    tokenizer: account.tokenizer.id,
    tools: sentTools,
    contextStart: call.contextStart,
    offered: JSON.stringify(offeredTools(plan.settings)),
  });
  events.emit("call:recorded", session);
  return numbers;
}

/** What the provider has counted, for the record and for the estimates to come. */
export function learnUsage(
  parts: Pick<LoopServices, "store" | "project" | "redactor" | "calibration">,
  { session, n, built, model }: UsedCall,
  usage: BuildUsage,
): void {
  // Beside the rest: a figure that cannot be written down, or whose record was purged meanwhile [M7], must not lose the reply.
  const place = { projectId: parts.project, sessionId: session };
  parts.store.builds.noteUsage(place, n, usage, { isLate: true }).catch(() => undefined);
  if (usage.inputTokens === 0) return;
  const estimated = Math.round(built.stats.inputTokens / calibrationOf(built.stats.tokenizer));
  parts.calibration.observe({ model: parts.redactor.redact(model), estimated, reported: usage.inputTokens });
}

interface UsedCall {
  readonly session: string;
  readonly n: number;
  readonly built: Pick<BuiltCall, "stats">;
  readonly model: string;
}

import {
  type Compactor,
  type ContextConfig,
  ContextManager,
  type Problem,
  type SessionEntry,
  digestOf,
  extractiveCompactor,
} from "@galley/engine";
import { sha256 } from "../../disk/sha256.ts";
import { specOf } from "../../tools/tool-specs.ts";
import type { TurnBuilt } from "../services/turn-types.ts";
import { llmCompactor } from "../../models/compactor/llm-compactor.ts";
import type { LoopServices } from "../services/services.ts";
import type { ModelFacts } from "./resolve-model.ts";
import { type TurnSettings, budgetOf } from "./resolve-settings.ts";
import type { LoopPlace } from "../places/turn-place.ts";
import { sliceEnd } from "../../limits/in-slices.ts";

/** What one call of a model reads, with what has to be kept of it. */
export interface BuiltCall extends TurnBuilt {
  readonly entriesToAppend: readonly SessionEntry[];
  /** Whether this build decided again what is left out. */
  readonly compacted: boolean;
  readonly budget: number;
}

export interface BuildCallOptions {
  /** Fewer tokens than the plan allows: a provider has said that it was too much. */
  readonly atMost?: number | undefined;
  readonly problems?: readonly Problem[];
}

type BuildServices = Pick<LoopServices, "store" | "redactor" | "summaries">;

/** Builds what the model reads next. Keeps nothing. */
export async function buildCall(
  parts: BuildServices,
  place: Pick<LoopPlace, "systemPrompt" | "tools" | "entries" | "pending">,
  plan: TurnSettings,
  { atMost, problems = [] }: BuildCallOptions = {},
): Promise<BuiltCall> {
  const budget = Math.max(1, Math.min(budgetOf(plan.config), atMost ?? Infinity));
  const {
    build,
    compacted,
    problems: found,
  } = await managerFor(parts, plan.model, { maxInputTokens: budget }).buildContext({
    sessionEntries: place.entries(),
    inputMessages: place.pending(),
    preset: plan.preset,
    model: plan.model.id,
    toolSpecs: place.tools.map(specOf),
    now: plan.now,
    ...(place.systemPrompt === undefined ? {} : { systemPrompt: place.systemPrompt }),
    ...(plan.variables === undefined ? {} : { variables: plan.variables }),
    ...(plan.runtimeHints === undefined ? {} : { runtimeHints: plan.runtimeHints }),
  });
  const { messages, ledger, stats, stablePrefix, recipe, entriesToAppend } = build;
  const secrets = parts.redactor.secrets();
  const digest = digestOf(build, { sha256, ...(Object.keys(secrets).length > 0 ? { secrets } : {}) });
  const chosen = recipe && { id: recipe.recipe.id, pattern: recipe.pattern, rule: recipe.rule };
  return {
    messages,
    tools: build.tools,
    ledger,
    digest,
    stats,
    stablePrefix,
    ...(chosen ? { recipe: chosen } : {}),
    problems: [...problems, ...found],
    entriesToAppend,
    compacted,
    budget,
  };
}

const managers = new WeakMap<object, Map<string, ContextManager>>();
const maxManagers = 32;

/** One for each model and budget: what it has counted once it need not count again. */
function managerFor(parts: BuildServices, model: ModelFacts, config: ContextConfig): ContextManager {
  const known = managers.get(parts.store) ?? new Map<string, ContextManager>();
  managers.set(parts.store, known);
  const key = JSON.stringify([model.id, model.tokenizer.id, model.resolved !== undefined, config, parts.summaries]);
  const found = known.get(key);
  if (found) return found;
  const compactor = compactorFor(parts, model);
  const made = new ContextManager({ config, tokenizer: model.tokenizer, sha256, ...(compactor ? { compactor } : {}) });
  known.set(key, made);
  for (const oldest of known.keys()) {
    if (known.size <= maxManagers) break;
    known.delete(oldest);
  }
  return made;
}

function compactorFor({ summaries }: BuildServices, { resolved, info }: ModelFacts): Compactor | undefined {
  if (summaries === "none") return undefined;
  // The built-in model only echoes; a summary of its making would be one of our own prompt.
  if (summaries === "extractive" || !resolved || resolved.kind === "demo")
    return extractiveCompactor({ pause: sliceEnd() });
  return llmCompactor({ model: resolved.model, windowTokens: info.window });
}

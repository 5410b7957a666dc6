import {
  type Compactor,
  type ContextBuildInput,
  type ContextConfig,
  ContextManager,
  type LedgerRow,
  type Problem,
  type SessionEntry,
  type Tally,
  growList,
  recallToolName,
} from "@galley/engine";
import { sha256 } from "../../disk/sha256.ts";
import { specsOf } from "../../tools/tool-specs.ts";
import type { TurnBuilt } from "../services/turn-types.ts";
import type { LoopServices } from "../services/services.ts";
import { runtimeInput } from "./runtime-data.ts";
import { type ReadCall, readCall } from "./read-call.ts";
import { toolChange } from "./last-build.ts";
import { tokensOf } from "./account-of.ts";
import { type TurnSettings, budgetOf } from "./resolve-settings.ts";
import type { LoopPlace } from "../places/turn-place.ts";
import { madeBeside } from "../../limits/bounded-map.ts";

/** What one call of a model reads, with what has to be kept of it. */
export interface BuiltCall extends TurnBuilt {
  readonly entriesToAppend: readonly SessionEntry[];
  /** Whether this build decided again what is left out. */
  readonly compacted: boolean;
  readonly budget: number;
  /** As it is written down. */
  readonly recorded: ReadCall;
}

export interface BuildCallOptions {
  /** Fewer tokens than the plan allows: a provider has said that it was too much. */
  readonly maxInputTokens?: number | undefined;
  readonly problems?: readonly Problem[];
}

type BuildServices = Pick<LoopServices, "store" | "project" | "redactor">;

/** What the engine is given besides preset, model, history and tools: a preview in a page is given the same [T14]. */
export type CallInput = Pick<
  ContextBuildInput,
  "now" | "systemPrompt" | "userProfile" | "variables" | "runtimeHints" | "runtimeInitData"
>;

export function callInput(
  place: Pick<LoopPlace, "systemPrompt" | "entries">,
  { settings, runtime, now }: TurnSettings,
): CallInput {
  return {
    now,
    systemPrompt: systemText(settings.systemPrompt, place.systemPrompt),
    userProfile: settings.userProfile,
    variables: settings.variables,
    ...runtimeInput(runtime, place.entries()),
  };
}

/** Builds what the model reads next. Keeps nothing. */
export async function buildCall(
  parts: BuildServices,
  place: Pick<LoopPlace, "session" | "systemPrompt" | "tools" | "entries" | "pending" | "unkept">,
  plan: TurnSettings,
  { maxInputTokens, problems = [] }: BuildCallOptions = {},
): Promise<BuiltCall> {
  const budget = Math.max(1, Math.min(budgetOf(plan.config), maxInputTokens ?? Infinity));
  const {
    build,
    compacted,
    problems: found,
  } = await managerFor(parts, plan, { budget, recall: canRecall(place.tools) }).buildContext({
    sessionEntries: place.entries(),
    inputMessages: place.pending(),
    preset: plan.preset,
    model: plan.model.id,
    toolSpecs: specsOf(place.tools),
    seed: place.session,
    ...callInput(place, plan),
  });
  const { messages, stats, stablePrefix, recipe, entriesToAppend } = build;
  const changed = await toolChange(parts, place, build.tools, (count) =>
    tokensOf(messages.slice(0, Math.min(count, stablePrefix)), plan.model.tokenizer),
  );
  const counted = withUnkept(build.ledger, place.unkept?.());
  const ledger = changed.length === 0 ? counted : [...counted, ...changed];
  const recorded = readCall({ messages, tools: build.tools, ledger, stablePrefix }, parts.redactor);
  const chosen = recipe && { id: recipe.recipe.id, pattern: recipe.pattern, rule: recipe.rule };
  return {
    messages,
    tools: build.tools,
    ledger,
    digest: recorded.digest,
    stats,
    stablePrefix,
    recipe: chosen,
    problems: [...problems, ...plan.runtime.problems, ...found],
    entriesToAppend,
    compacted,
    budget,
    recorded,
  };
}

/** One counted row for the steps of earlier turns that the place has not kept [T8]. */
function withUnkept(ledger: readonly LedgerRow[], unkept: Tally | undefined): readonly LedgerRow[] {
  if (!unkept || unkept.count === 0) return ledger;
  const { count, tokens } = unkept;
  return growList(ledger, [
    { kind: "earlier", id: "tool-steps", role: "tool", fate: "dropped", rule: "tool-steps", count, tokens },
  ]);
}

/** What left is pointed at only where the model has the tool that reads it [R1]. */
export function canRecall(tools: LoopPlace["tools"]): boolean {
  return tools.some(({ name }) => name === recallToolName);
}

const managers = madeBeside<ContextManager>(32);

/** What is set, and behind it what an agent's providers say, which nothing replaces [T3]. */
function systemText(set: string | undefined, injected: string | undefined): string | undefined {
  const texts = [set, injected].filter((text) => text !== undefined && text.trim() !== "");
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

/** One for each model, budget and compactor: what it has counted once it need not count again. */
function managerFor(
  parts: BuildServices,
  plan: TurnSettings,
  { budget, recall }: { readonly budget: number; readonly recall: boolean },
): ContextManager {
  const { model, compactor } = plan;
  const { reserveOutputTokens: _, ...rest } = plan.config;
  const config: ContextConfig = { ...rest, maxInputTokens: budget, ...(recall ? { recall } : {}) };
  const key = JSON.stringify([model.id, model.tokenizer.id, config, compactor && numberOf(compactor)]);
  const make = () => new ContextManager({ config, tokenizer: model.tokenizer, sha256, compactor });
  return managers(parts.store, key, make);
}

const numbers = new WeakMap<Compactor, number>();
let lastNumber = 0;

function numberOf(compactor: Compactor): number {
  const number = numbers.get(compactor) ?? (lastNumber += 1);
  numbers.set(compactor, number);
  return number;
}

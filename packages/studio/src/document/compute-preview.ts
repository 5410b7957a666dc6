import {
  type Build,
  type BuildRequest,
  type LedgerRow,
  type ModelMessage,
  type Preset,
  type SessionEntry,
  type TokenAccount,
  type ToolSpec,
  build,
  digestItem,
  provenance,
} from "@galley/engine";
import { type TokenSource, tokensBySource } from "@galley/engine/proof";
import type { SentBuild } from "./history-source.ts";
import { stepIndexOf } from "./shown-steps.ts";

export interface PreviewRequest {
  readonly preset: Preset;
  readonly model: string;
  readonly budget: number;
  readonly entries: readonly SessionEntry[];
  readonly account: TokenAccount;
  readonly now: string;
  readonly userProfile?: string;
  readonly tools?: readonly ToolSpec[];
}

/** A build with what the page shows of it. */
export interface Preview {
  readonly build: Build;
  /** Behind each message, the rows that it comes from. */
  readonly rows: readonly (readonly LedgerRow[])[];
  readonly notSent: readonly LedgerRow[];
  /** The message in which each step of the recipe in force stands. */
  readonly messageOfStep: ReadonlyMap<number, number>;
  /** What each step costs by itself. */
  readonly tokensOfStep: ReadonlyMap<number, number>;
  readonly bySource: Readonly<Record<TokenSource, number>>;
  /** What stays in front of the next turn, so that a provider may have it cached. */
  readonly stableTokens: number;
}

function requestOf(request: PreviewRequest): BuildRequest {
  const { preset, model, budget, entries, account, now, userProfile, tools } = request;
  return {
    preset,
    model,
    entries,
    account,
    now,
    config: { maxInputTokens: budget },
    ...(userProfile ? { userProfile } : {}),
    ...(tools ? { tools } : {}),
  };
}

/** Builds what the model would read; throws what the engine throws. */
export function computePreview(request: PreviewRequest): Preview {
  return describeBuild(build(requestOf(request)), request.account);
}

function describeBuild(built: Build, account: TokenAccount): Preview {
  const { ledger, messages } = built;
  const messageOfStep = new Map<number, number>();
  const tokensOfStep = new Map<number, number>();
  const notSent: LedgerRow[] = [];
  for (const row of ledger) {
    const step = row.kind === "step" ? stepIndexOf(row.path) : undefined;
    if (step !== undefined && row.tokens !== undefined) tokensOfStep.set(step, row.tokens);
    if (row.position === undefined) {
      // An anchor without a text of its own has nothing to send.
      if (row.fate !== "anchor") notSent.push(row);
      continue;
    }
    if (step !== undefined) messageOfStep.set(step, row.position);
  }
  return {
    build: built,
    rows: provenance(ledger),
    notSent,
    messageOfStep,
    tokensOfStep,
    bySource: tokensBySource(built, account),
    stableTokens: countTokens(messages, built.stablePrefix, account),
  };
}

function countTokens(messages: readonly ModelMessage[], count: number, account: TokenAccount): number {
  let tokens = 0;
  for (let index = 0; index < count; index += 1) tokens += account.countMessage(messages[index] as ModelMessage);
  return tokens;
}

/** How much of what a provider has cached an edit throws away. */
export interface CacheCost {
  /** Tokens that were cached. */
  readonly cached: number;
  /** Tokens of them that are still in front of what would be sent now. */
  readonly kept: number;
}

export function cacheCost(sent: SentBuild, messages: readonly ModelMessage[], account: TokenAccount): CacheCost {
  const stable = Math.min(sent.stablePrefix, sent.messages.length);
  let same = 0;
  while (same < stable && same < messages.length && isSame(sent.messages[same], messages[same])) same += 1;
  return { cached: countTokens(sent.messages, stable, account), kept: countTokens(sent.messages, same, account) };
}

function isSame(a: ModelMessage | undefined, b: ModelMessage | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && digestItem(a) === digestItem(b));
}

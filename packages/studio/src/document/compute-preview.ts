import {
  type Build,
  type BuildRequest,
  type ContextBuildInput,
  ContextManager,
  type LedgerRow,
  type ModelMessage,
  type Preset,
  type SessionEntry,
  type TokenAccount,
  type Tokenizer,
  type ToolSpec,
  build,
  digestItem,
  extractiveCompactor,
  inputEntries,
  provenance,
  scanEntries,
} from "@galley/engine";
import { type TokenSource, tokensBySource } from "@galley/engine/proof";
import type { CallSettings, SentBuild } from "./history-source.ts";
import { stepIndexOf } from "./shown-steps.ts";

export interface PreviewRequest {
  readonly preset: Preset;
  readonly model: string;
  readonly budget: number;
  readonly entries: readonly SessionEntry[];
  readonly account: TokenAccount;
  readonly now: string;
  readonly tools: readonly ToolSpec[];
  readonly settings: CallSettings;
  /** A profile that is only tried out. */
  readonly userProfile: string;
  /** What the user would say next; nothing is added where it is empty. */
  readonly say: string;
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

/** What the engine is given, as the daemon gives it to the engine for a call of the place. */
function inputOf(request: PreviewRequest): ContextBuildInput {
  const { preset, model, entries, now, tools, settings, userProfile, say } = request;
  const { variables = {}, ...input } = settings.input;
  return {
    sessionEntries: entries,
    inputMessages: say.trim() === "" ? [] : [{ role: "user", content: say }],
    preset,
    model,
    now,
    toolSpecs: tools,
    ...input,
    variables,
    ...(userProfile === "" ? {} : { userProfile }),
  };
}

function requestOf(request: PreviewRequest): BuildRequest {
  const { budget, account, settings } = request;
  const {
    sessionEntries,
    inputMessages = [],
    toolSpecs,
    runtimeHints = {},
    runtimeInitData: _,
    ...input
  } = inputOf(request);
  const hints = Object.keys(runtimeHints).length > 0 && { hints: runtimeHints };
  return {
    ...input,
    ...hints,
    entries: sessionEntries,
    added: inputEntries(sessionEntries, inputMessages, request.now, "input"),
    tools: toolSpecs,
    account,
    config: { ...settings.limits, maxInputTokens: budget },
  };
}

/** Every entry of the lorebooks, with why it comes or stays away, for the same build [K3]. */
export function scanLorebooks(request: PreviewRequest): readonly LedgerRow[] {
  return scanEntries(requestOf(request));
}

/** Builds what the model would read; throws what the engine throws. */
export function computePreview(request: PreviewRequest): Preview {
  return describeBuild(build(requestOf(request)), request.account);
}

/** Whether a call would do more than this: summarise what goes now, or record what the session begins with. */
export function isUnfinished({ build: { entriesToAppend } }: Preview, { settings }: PreviewRequest): boolean {
  if (settings.input.runtimeInitData !== undefined) return true;
  return settings.compaction !== "off" && entriesToAppend.some(({ type }) => type === "compaction");
}

/** The same as a call has it. */
export async function computeFinished(request: PreviewRequest, tokenizer: Tokenizer): Promise<Preview> {
  const config = { ...request.settings.limits, maxInputTokens: request.budget };
  const compactor = request.settings.compaction === "off" ? {} : { compactor: extractiveCompactor() };
  const manager = new ContextManager({ config, tokenizer, ...compactor });
  return describeBuild((await manager.buildContext(inputOf(request))).build, request.account);
}

function describeBuild(built: Build, account: TokenAccount): Preview {
  const { ledger, messages } = built;
  const messageOfStep = new Map<number, number>();
  const tokensOfStep = new Map<number, number>();
  const notSent: LedgerRow[] = [];
  for (const row of ledger) {
    const step = row.kind === "step" ? stepIndexOf(row.path) : undefined;
    if (step !== undefined && row.tokens !== undefined) tokensOfStep.set(step, row.tokens);
    // An anchor without a text of its own has nothing to send.
    if (row.position === undefined && row.fate !== "anchor") notSent.push(row);
    if (row.position !== undefined && step !== undefined) messageOfStep.set(step, row.position);
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

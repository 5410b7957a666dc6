import type { PresetContext } from "../../compose/preset/preset.ts";
import { describeValue } from "../../model/check/input.ts";
import { GalleyError } from "../../model/check/errors.ts";

/** How much may be sent. The names are those of `AgentConfig.context`. */
export interface ContextConfig {
  /** Everything that is sent: system text, tools, history. */
  readonly maxInputTokens: number;
  /** How many user, assistant and tool messages of history are sent; as many as fit, unless said otherwise. */
  readonly maxHistoryMessages?: number;
  /** Whether a compactor may put a summary in the place of old messages; without one they are dropped. */
  readonly enableCompaction?: boolean;
  /** Taken off `maxInputTokens` for the reply, where the window holds both. */
  readonly reserveOutputTokens?: number;
  /**
   * Once a limit is passed, the fit goes down to this share of it, so that the cut stays where it is for many turns and
   * the prefix that a provider has cached survives. 0.5 unless said otherwise.
   */
  readonly targetRatio?: number;
  /**
   * Whether what left can be asked for with `context_recall`: then one line says so where something was left out [R1].
   * `false`: the model cannot ask, and neither notes nor names have handles.
   */
  readonly recall?: boolean;
}

/** The limits of one build, in whole numbers. */
export interface Limits {
  readonly tokens: number;
  readonly messages: number;
  readonly targetTokens: number;
  readonly targetMessages: number;
  readonly targetRatio: number;
}

const defaultTargetRatio = 0.5;

/** The limits of a configuration; what a preset says of its own wins [T3]. */
export function resolveLimits(config: ContextConfig, own: PresetContext = {}): Limits {
  const { maxInputTokens, reserveOutputTokens = 0 } = config;
  const maxHistoryMessages = setBy(own.maxHistoryMessages, config.maxHistoryMessages) ?? Infinity;
  const targetRatio = setBy(own.targetRatio, config.targetRatio) ?? defaultTargetRatio;
  requireCount("maxInputTokens", maxInputTokens, 1);
  if (maxHistoryMessages !== Infinity) requireCount("maxHistoryMessages", maxHistoryMessages, 1);
  requireCount("reserveOutputTokens", reserveOutputTokens, 0);
  if (typeof targetRatio !== "number" || !(targetRatio > 0 && targetRatio <= 1)) {
    throw invalid("targetRatio", targetRatio, "a number above 0 and up to 1", "0.5 is a good start.");
  }
  if (reserveOutputTokens >= maxInputTokens) {
    const hint = `Nothing is left of ${maxInputTokens} tokens for the input.`;
    throw invalid("reserveOutputTokens", reserveOutputTokens, "less than maxInputTokens", hint);
  }
  const tokens = maxInputTokens - reserveOutputTokens;
  return {
    tokens,
    messages: maxHistoryMessages,
    targetTokens: Math.floor(tokens * targetRatio),
    targetMessages: Math.max(1, Math.floor(maxHistoryMessages * targetRatio)),
    targetRatio,
  };
}

/** `null` stands for the default, whatever the configuration says. */
function setBy(own: number | null | undefined, configured: number | undefined): number | undefined {
  return own === undefined ? configured : (own ?? undefined);
}

function requireCount(field: string, value: unknown, least: number): void {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return;
  throw invalid(field, value, `a whole number from ${least} upwards`, "Check where the figure comes from.");
}

function invalid(field: string, value: unknown, expected: string, hint: string): GalleyError {
  return new GalleyError(
    "ContextInvalidInput",
    `config.${field} is ${describeValue(value)}, but must be ${expected}.`,
    {
      path: `config.${field}`,
      hint,
    },
  );
}

import * as z from "zod";
import {
  type InputCheck,
  fieldsCheck,
  inputCheck,
  issuesOf,
  numberCheck,
  objectCheck,
  textCheck,
} from "../../model/check/input.ts";
import type { JsonObject } from "../../model/messages.ts";

/** What providers reported, by model: plain data, to be kept wherever the caller keeps its settings. */
export interface Calibration {
  readonly models: Readonly<Record<string, ModelCalibration>>;
}

export interface ModelCalibration {
  /** The latest reported counts, each divided by its estimate; the newest last. */
  readonly ratios: readonly number[];
  /** The factor in force. It stays while the ratios agree with it, so that what was counted need not be counted again. */
  readonly factor?: number;
}

/** One answer of a provider, beside what was expected. */
export interface Observation {
  readonly model: string;
  /** As the model's own tokenizer family estimated it, before any calibration. */
  readonly estimated: number;
  /** Input tokens, or the usage object as the provider sent it. */
  readonly reported: number | JsonObject;
}

export const noCalibration: Calibration = { models: {} };

const kept = 24;
/** Fewer tokens say more about the frame around the messages than about their text. */
const minTokens = 200;
/** Answers it takes before they are believed. */
const minRatios = 3;
/** What differs more than this was another input than the one that was estimated. */
const plausible = { from: 0.4, to: 2.5 };

export const calibrationCheck: InputCheck = inputCheck(
  z.lazy(() => z.looseObject({ models: z.record(z.string(), z.looseObject({ ratios: z.array(z.number()) })) })),
);
const observationCheck = fieldsCheck(
  {
    model: textCheck,
    estimated: numberCheck,
    reported: (value, path) => (typeof value === "number" ? undefined : objectCheck(value, path)),
  },
  ["model", "estimated", "reported"],
);

/** Takes one report in. What cannot be right (another input, no figure, a handful of tokens) changes nothing. */
export function calibrate(calibration: Calibration, observation: Observation): Calibration {
  calibrationCheck(calibration, "calibration");
  observationCheck(observation, "observation");
  const { model, estimated, reported } = observation;
  const tokens = typeof reported === "number" ? reported : reportedInputTokens(reported);
  const ratio = (tokens ?? 0) / estimated;
  if (!(estimated >= minTokens) || !(ratio >= plausible.from && ratio <= plausible.to)) return calibration;
  const before = Object.hasOwn(calibration.models, model) ? calibration.models[model] : undefined;
  const ratios = [...(before?.ratios ?? []), Math.round(ratio * 1000) / 1000].slice(-kept);
  const measured = measuredFactor(ratios);
  const isHeld = before?.factor !== undefined && measured !== undefined && agrees(before.factor, measured);
  const factor = isHeld ? before.factor : measured;
  return { models: { ...calibration.models, [model]: { ratios, ...(factor === undefined ? {} : { factor }) } } };
}

/** How far a factor may be from what is measured and still hold: less below it than above, for estimates are rather too high. */
const tolerance = { below: 0.02, above: 0.05 };

function agrees(factor: number, measured: number): boolean {
  return factor >= measured * (1 - tolerance.below) && factor <= measured * (1 + tolerance.above);
}

/** Estimates are never under the real count, and a calibrated one is to stay within 10 % of it, whatever comes next. */
const lowest = 0.9;

/**
 * The factor for a model's estimates, or nothing before there are enough reports. It is the upper quartile of the latest
 * ratios, so that one wrong report has no weight and the costlier kinds of text have more.
 */
export function calibrationFactor(calibration: Calibration, model: string): number | undefined {
  const known = Object.hasOwn(calibration.models, model) ? calibration.models[model] : undefined;
  return known?.factor ?? measuredFactor(known?.ratios ?? []);
}

function measuredFactor(ratios: readonly number[]): number | undefined {
  if (ratios.length < minRatios) return undefined;
  const sorted = ratios.toSorted((a, b) => a - b);
  const quartile = sorted[Math.floor((sorted.length - 1) * 0.75)] as number;
  return Math.round(Math.max(lowest, quartile) * 100) / 100;
}

const usageSchema = z.lazy(() => {
  const count = z.number().int().nonnegative().nullish();
  return z.looseObject({
    prompt_tokens: count,
    promptTokenCount: count,
    toolUsePromptTokenCount: count,
    input_tokens: count,
    cache_creation_input_tokens: count,
    cache_read_input_tokens: count,
    inputTokens: z.union([count, z.looseObject({ total: count })]),
  });
});

/**
 * The input tokens out of a provider's usage object (OpenAI, Anthropic, Gemini, DeepSeek, AI SDK). Most count what came
 * from the cache within the input; Anthropic counts it beside, and there it is added. Output and reasoning never count.
 */
export function reportedInputTokens(usage: JsonObject): number | undefined {
  if (issuesOf(usageSchema, usage).length > 0) return undefined;
  const data = usage as z.output<typeof usageSchema>;
  const { prompt_tokens, promptTokenCount, toolUsePromptTokenCount, input_tokens, inputTokens } = data;
  if (typeof prompt_tokens === "number") return prompt_tokens;
  if (typeof promptTokenCount === "number") return promptTokenCount + (toolUsePromptTokenCount ?? 0);
  if (typeof input_tokens === "number") {
    const { cache_creation_input_tokens: written, cache_read_input_tokens: read } = data;
    return input_tokens + (written ?? 0) + (read ?? 0);
  }
  return (typeof inputTokens === "object" ? inputTokens?.total : inputTokens) ?? undefined;
}

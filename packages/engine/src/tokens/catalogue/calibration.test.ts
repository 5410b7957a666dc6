import fc from "fast-check";
import { expect, test } from "vitest";
import { type Calibration, calibrate, calibrationFactor, noCalibration, reportedInputTokens } from "./calibration.ts";
import { tokenizerForModel } from "./tokenizer-for-model.ts";

const model = "claude-sonnet-4-5";
const after = (reports: readonly number[], start: Calibration = noCalibration): Calibration =>
  reports.reduce((calibration, reported) => calibrate(calibration, { model, estimated: 1000, reported }), start);

test.each([
  ["OpenAI chat", { prompt_tokens: 120, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 100 } }, 120],
  ["OpenAI responses", { input_tokens: 120, input_tokens_details: { cached_tokens: 100 }, output_tokens: 9 }, 120],
  [
    "Anthropic",
    { input_tokens: 20, cache_creation_input_tokens: 30, cache_read_input_tokens: 70, output_tokens: 9 },
    120,
  ],
  ["Gemini", { promptTokenCount: 120, cachedContentTokenCount: 100, thoughtsTokenCount: 50 }, 120],
  ["DeepSeek", { prompt_tokens: 120, prompt_cache_hit_tokens: 100, prompt_cache_miss_tokens: 20 }, 120],
  ["AI SDK", { inputTokens: { total: 120, noCache: 20, cacheRead: 100 }, outputTokens: { total: 9 } }, 120],
  ["AI SDK, older", { inputTokens: 120, cachedInputTokens: 100, reasoningTokens: 5 }, 120],
  ["no figure", { total: 120 }, undefined],
  ["a figure that is none", { prompt_tokens: "many" }, undefined],
])("[F4] input tokens are found in what a provider reports: %s", (_, usage, tokens) => {
  expect(reportedInputTokens(usage)).toBe(tokens);
});

test("[F4] estimates follow what the provider reports, and are then called calibrated", async () => {
  const text = "Seven readers waited in front of the library. ".repeat(40);
  const plain = await tokenizerForModel(model);
  expect(plain.exactness).toBe("estimated");
  const calibration = after([1200, 1210, 1190, 1205]);
  const corrected = await tokenizerForModel(model, { calibration });
  expect(corrected).toMatchObject({ exactness: "calibrated", id: "claude@1.2" });
  expect(corrected.count(text) / plain.count(text)).toBeCloseTo(1.2, 1);
  expect(await tokenizerForModel("claude-haiku-4-5", { calibration })).toMatchObject({ exactness: "estimated" });
  expect(await tokenizerForModel("gpt-4o", { calibration })).toMatchObject({ exactness: "exact" });
});

test("[F4] one wrong report changes nothing, and two reports are not enough", () => {
  expect(calibrationFactor(after([1100, 1100]), model)).toBeUndefined();
  const steady = after([1100, 1105, 1095, 1100, 1102, 1098, 1101]);
  for (const wrong of [0, 5, 40_000, 2400, Number.NaN]) {
    expect(calibrationFactor(after([wrong], steady), model)).toBe(calibrationFactor(steady, model));
  }
});

test("[F4] whatever is reported, the factor stays within bounds, the data are bounded, and nothing given is changed", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 10_000 }), { maxLength: 60 }), (reports) => {
      const start = Object.freeze({ models: Object.freeze({}) });
      const calibration = after(reports, start);
      const factor = calibrationFactor(calibration, model) ?? 1;
      expect(factor >= 0.9 && factor <= 2.5).toBe(true);
      expect(calibration.models[model]?.ratios.length ?? 0).toBeLessThanOrEqual(24);
      expect(after(reports, start)).toEqual(calibration);
      expect(JSON.parse(JSON.stringify(calibration))).toEqual(calibration);
    }),
  );
});

test("[T11] a factor holds while reports agree with it, and moves when they do not: what was counted is not counted again for one percent", () => {
  const factors = (...reported: readonly number[]): readonly (number | undefined)[] => {
    let calibration = noCalibration;
    return reported.map((count) => {
      calibration = calibrate(calibration, { model: "m", estimated: 1000, reported: count });
      return calibrationFactor(calibration, "m");
    });
  };
  expect(factors(1100, 1100, 1100, 1110, 1120, 1090, 1120)).toEqual([undefined, undefined, 1.1, 1.1, 1.1, 1.1, 1.1]);
  const risen = factors(1100, 1100, 1100, ...Array.from({ length: 30 }, () => 1300));
  expect(risen.at(-1)).toBe(1.3);
  expect(factors(1100, 1100, 1100, ...Array.from({ length: 30 }, () => 1000)).at(-1)).toBe(1);
});

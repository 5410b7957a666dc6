import { expect, test } from "vitest";
import { overflowBudget } from "./overflow-budget.ts";

// Wordings of providers; the third column is the share of what was sent that fits by their own figures.
test.each([
  [
    "This model's maximum context length is 8192 tokens. However, you requested 9216 tokens (8192 in the messages, 1024 in the completion).",
    9000,
    8192 / 9216,
  ],
  [
    "The request is longer than the window of llama (HTTP 400): maximum context length is 1000 tokens, you requested 2500.",
    2400,
    1000 / 2500,
  ],
  ["prompt is too long: 250000 tokens > 200000 maximum", 240_000, 200_000 / 250_000],
  [
    "The input token count (1,200,000) exceeds the maximum number of tokens allowed (1,048,576).",
    1_190_000,
    1_048_576 / 1_200_000,
  ],
  ["the request exceeds the available context size of 4096 tokens: maximum context 4096", 6000, 4096 / 6000],
])("[F1] a provider's own figures say how much fits: %s", (said, sent, share) => {
  const budget = overflowBudget(said, sent);
  expect(budget).toBeLessThan(sent * share);
  expect(budget).toBeGreaterThan(sent * share * 0.9);
});

test.each(["Input is too long.", "context_length_exceeded", "maximum context length is 99999 tokens"])(
  "[F1] without figures that help, much less is sent: %s",
  (said) => {
    expect(overflowBudget(said, 1000)).toBe(700);
  },
);

import type { MediaRule } from "../media/count-media.ts";
import { plainModelName } from "../counters/tokenizer-family.ts";

const tiles = (base: number, tile: number): MediaRule => ({ kind: "openai-tiles", base, tile });
const patches = (factor: number, max = 1536): MediaRule => ({ kind: "openai-patches", factor, max });

// As the providers' documentation has it in November 2026; the first that matches counts. Where what OpenAI documents
// and what it charges differ (the small models of the fifth generation), the higher figure stands.
const rules: readonly (readonly [RegExp, MediaRule])[] = [
  [/^gpt-4o-mini/, tiles(2833, 5667)],
  [/^gpt-4\.1-mini/, patches(1.62)],
  [/^gpt-4\.1-nano/, patches(2.46)],
  [/^(o4-mini|codex-mini)/, patches(1.72)],
  [/^gpt-5-mini/, patches(1.62)],
  [/^gpt-5-nano/, patches(2.46)],
  [/^gpt-5(\.1)?(-|$)/, tiles(70, 140)],
  [/^gpt-5\.[23]/, patches(1.2)],
  [/^gpt-5\.\d+-(mini|nano)/, patches(1.62, 2500)],
  [/^gpt-([6-9]|5\.)/, patches(1.2, 2500)],
  [/^(gpt-4|chatgpt-)/, tiles(85, 170)],
  [/^o[13]/, tiles(75, 150)],
  [
    /claude.*-(haiku-4|(opus|sonnet)-4[.-][0-6](?!\d))|claude-([123]|instant)|claude-(opus|sonnet)-4(-2025|$)/,
    { kind: "anthropic", edge: 1568, max: 1568 },
  ],
  [/claude/, { kind: "anthropic", edge: 2576, max: 4784 }],
  [/gemini-([12][.-]|1|pro-vision)/, { kind: "gemini-tiles" }],
  [/gemini/, { kind: "gemini-budget" }],
];

/** The rule by which a model's provider counts pictures. */
export function mediaRuleFor(model: string | undefined): MediaRule {
  const name = plainModelName(model ?? "");
  return rules.find(([pattern]) => pattern.test(name))?.[1] ?? { kind: "unknown" };
}

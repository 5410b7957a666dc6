import {
  type ModelMessage,
  type Problem,
  type WireProvider,
  exportFor,
  parseTools,
  wireProviders,
} from "@galley/engine";
import { messageSchema } from "@galley/engine/schemas";
import {
  validateAiSdk,
  validateAnthropic,
  validateGemini,
  validateOpenAiChat,
  validateOpenAiResponses,
} from "@galley/engine/wire";
import { type FuzzRounds, fuzz, fuzzSeed, roundsOf, spoilJson } from "@galley/engine/testing";
import { expect, test } from "vitest";
import { claimFault } from "./claim-fault.ts";
import { missing, verdictOf } from "./fuzz-verdict.ts";

const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const messages: readonly ModelMessage[] = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "What is this?" },
      { type: "image", image: picture, mediaType: "image/png" },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } },
      { type: "text", text: "I look." },
      { type: "tool-call", toolCallId: "c1", toolName: "look", input: { deep: [1, { a: null }] } },
      { type: "tool-call", toolCallId: "c2", toolName: "look", input: {} },
    ],
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "json", value: { x: 1 } } },
      { type: "tool-result", toolCallId: "c2", toolName: "look", output: { type: "error-text", value: "no" } },
    ],
  },
  { role: "assistant", content: "A dot." },
  { role: "user", content: "Thanks, 谢谢." },
];
const tools = [{ name: "look", description: "Looks.", inputSchema: { type: "object", properties: { deep: {} } } }];

const validators: { readonly [Provider in WireProvider]: (request: never) => Problem[] } = {
  "openai-chat": validateOpenAiChat,
  "openai-responses": validateOpenAiResponses,
  anthropic: validateAnthropic,
  gemini: validateGemini,
  "ai-sdk": validateAiSdk,
};
const rounds: FuzzRounds = { few: 1000, many: 60_000 };

test(
  `[P5] messages and tools with something wrong in them: a request that its validator takes, or WireInvalid (seed ${fuzzSeed})`,
  { timeout: 1_800_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "malformed input",
      fault: "messages and tools with something wrong in them, for each of the five providers",
      holds: "a request that the provider's validator takes, or an error that says what it would refuse",
      rounds: roundsOf(rounds),
      seed: fuzzSeed,
    });
    const verdicts = new Set<string>();
    await fuzz("wire", rounds, (chance) => {
      const provider = chance.pick(wireProviders);
      const value = parsed(spoilJson({ messages, tools }, chance)) as
        | { messages?: unknown; tools?: unknown }
        | undefined;
      const list = Array.isArray(value?.messages) ? value.messages : [];
      const verdict = verdictOf(() => {
        const taken = list.flatMap((message) => messageSchema.safeParse(message).data ?? []);
        const { request } = exportFor(provider, { messages: taken, tools: parseTools(value?.tools ?? []) });
        expect(validators[provider](request as never).filter(({ severity }) => severity === "error")).toEqual([]);
      });
      verdicts.add(verdict);
    });
    expect(missing(verdicts, ["WireInvalid", "fine"])).toEqual([]);
  },
);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

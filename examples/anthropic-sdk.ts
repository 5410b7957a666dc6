// Galley with the Anthropic SDK: turn.messages become a request of the Messages API, with the stable part marked for
// Anthropic's cache. ANTHROPIC_API_KEY asks a real model; without it a stand-in answers.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { type ModelMessage, exportFor } from "@galley/engine";
import { type TurnCall, openGalley } from "galley";
import { standInServer } from "./stand-in-server.ts";

const { ANTHROPIC_API_KEY: apiKey, MODEL: model = "claude-haiku-5-5" } = process.env;
const standIn = apiKey === undefined ? await standInServer() : undefined;
const anthropic = standIn ? new Anthropic({ apiKey: "none", baseURL: standIn.url }) : new Anthropic();

// A data folder of its own, so that the example leaves nothing behind; yours would be `.ship`, the default.
const data = mkdtempSync(join(tmpdir(), "galley-example-"));
const galley = await openGalley({ data, config: false });

const ask = async ({ messages, tools, stablePrefix }: TurnCall) => {
  const cacheBreakpoints = stablePrefix > 0 ? [stablePrefix - 1] : [];
  const { request } = exportFor("anthropic", { messages, tools, cacheBreakpoints, model });
  return anthropic.messages.create({ model, max_tokens: 1000, ...request });
};

for (const input of ["My name is Mira.", "Please call chat_context_list.", "What is my name?"]) {
  const turn = await galley.turn({ chat: "example", model, input });
  const steps: ModelMessage[] = [];
  let call: TurnCall = turn;
  for (;;) {
    const { content, usage: counted } = await ask(call).catch(async (error: Error) => {
      if (!error.message.includes("prompt is too long")) throw error;
      return ask(await turn.overflow({ message: error.message }));
    });
    const cachedInputTokens = counted.cache_read_input_tokens ?? 0;
    const usage = { inputTokens: counted.input_tokens + cachedInputTokens, outputTokens: counted.output_tokens };
    const calls = content.flatMap((block) =>
      block.type === "tool_use" ? [{ toolCallId: block.id, toolName: block.name, input: block.input }] : [],
    );
    if (calls.length === 0) {
      const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
      await turn.commit({ assistant: text, usage: { ...usage, cachedInputTokens } });
      process.stdout.write(`${input} → ${text} (${turn.stats.inputTokens} tokens)\n`);
      break;
    }
    const results = await Promise.all(calls.map((one) => turn.call(one)));
    steps.push({ role: "assistant", content: calls.map((one) => ({ type: "tool-call", ...one })) });
    steps.push({ role: "tool", content: results });
    call = await turn.next(steps, { usage: { ...usage, cachedInputTokens } });
  }
}

await galley.close();
standIn?.close();
rmSync(data, { recursive: true });

// Galley with the OpenAI SDK: turn.messages become a request of chat completions.
// OPENAI_API_KEY (with OPENAI_BASE_URL for another server) asks a real model; without it a stand-in answers.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ModelMessage, exportFor } from "@galley/engine";
import { type TurnCall, openGalley } from "galley";
import OpenAI from "openai";
import { standInServer } from "./stand-in-server.ts";

const { OPENAI_API_KEY: apiKey, MODEL: model = "gpt-6-luna" } = process.env;
const standIn = apiKey === undefined ? await standInServer() : undefined;
const openai = standIn ? new OpenAI({ apiKey: "none", baseURL: `${standIn.url}/v1` }) : new OpenAI();

// A data folder of its own, so that the example leaves nothing behind; yours would be `.ship`, the default.
const data = mkdtempSync(join(tmpdir(), "galley-example-"));
const galley = await openGalley({ data, config: false });

// Everything that OpenAI would refuse is found by exportFor, before anything is sent.
const ask = async ({ messages, tools }: TurnCall) =>
  openai.chat.completions.create({ model, ...exportFor("openai-chat", { messages, tools }).request });

for (const input of ["My name is Mira.", "Please call chat_context_list.", "What is my name?"]) {
  const turn = await galley.turn({ chat: "example", model, input });
  const steps: ModelMessage[] = [];
  let call: TurnCall = turn;
  for (;;) {
    const { choices, usage: counted } = await ask(call).catch(async (error: InstanceType<typeof OpenAI.APIError>) => {
      if (error.code !== "context_length_exceeded") throw error;
      return ask(await turn.overflow({ message: error.message }));
    });
    const usage = counted && { inputTokens: counted.prompt_tokens, outputTokens: counted.completion_tokens };
    const message = choices[0]?.message;
    const calls = (message?.tool_calls ?? []).flatMap((one) =>
      one.type === "function"
        ? [{ toolCallId: one.id, toolName: one.function.name, input: JSON.parse(one.function.arguments || "{}") }]
        : [],
    );
    if (calls.length === 0) {
      await turn.commit({ assistant: message?.content ?? "", ...(usage ? { usage } : {}) });
      process.stdout.write(`${input} → ${message?.content} (${turn.stats.inputTokens} tokens)\n`);
      break;
    }
    const results = await Promise.all(calls.map((one) => turn.call(one)));
    steps.push({ role: "assistant", content: calls.map((one) => ({ type: "tool-call", ...one })) });
    steps.push({ role: "tool", content: results });
    call = await turn.next(steps, { usage });
  }
}

await galley.close();
standIn?.close();
rmSync(data, { recursive: true });

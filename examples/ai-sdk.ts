// Galley with the AI SDK: Galley remembers, fits and runs the tools, the AI SDK calls the model.
// OPENAI_API_KEY (with OPENAI_BASE_URL for another server) asks a real model; without it a stand-in answers.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type ModelMessage, exportFor } from "@galley/engine";
import { generateText } from "ai";
import { type TurnCall, openGalley } from "galley";
import { standInServer } from "./stand-in-server.ts";

const {
  OPENAI_API_KEY: apiKey,
  OPENAI_BASE_URL: url = "https://api.openai.com/v1",
  MODEL: id = "gpt-6-luna",
} = process.env;
const standIn = apiKey === undefined ? await standInServer() : undefined;
const provider = createOpenAICompatible({
  name: "example",
  baseURL: standIn ? `${standIn.url}/v1` : url,
  ...(apiKey === undefined ? {} : { apiKey }),
});
const model = provider.chatModel(id);

// A data folder of its own, so that the example leaves nothing behind; yours would be `.ship`, the default.
const data = mkdtempSync(join(tmpdir(), "galley-example-"));
const galley = await openGalley({ data, config: false });

const ask = async ({ messages, tools }: TurnCall) =>
  generateText({ model, ...exportFor("ai-sdk", { messages, tools, behind: "openai-chat" }).request });

for (const input of ["My name is Mira.", "Please call chat_context_list.", "What is my name?"]) {
  const turn = await galley.turn({ chat: "example", model, input });
  const askWithin = (call: TurnCall) =>
    ask(call).catch(async (error: Error) => {
      if (!error.message.includes("context length")) throw error;
      return ask(await turn.overflow({ message: error.message }));
    });
  const steps: ModelMessage[] = [];
  let reply = await askWithin(turn);
  while (reply.toolCalls.length > 0) {
    const results = await Promise.all(reply.toolCalls.map((call) => turn.call(call)));
    steps.push(...(reply.response.messages as ModelMessage[]), { role: "tool", content: results });
    reply = await askWithin(await turn.next(steps, { usage: reply.usage }));
  }
  await turn.commit({ assistant: reply.text, usage: reply.usage });
  process.stdout.write(`${input} → ${reply.text} (${turn.stats.inputTokens} tokens)\n`);
}

await galley.close();
standIn?.close();
rmSync(data, { recursive: true });

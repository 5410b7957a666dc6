// Galley with the AI SDK: Galley remembers and fits, the AI SDK calls the model.
// OPENAI_API_KEY (with OPENAI_BASE_URL for another server) asks a real model; without it a stand-in answers.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { exportFor } from "@galley/engine";
import { generateText } from "ai";
import { openGalley } from "galley";
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

// A data folder of its own, so that the example leaves nothing behind; yours would be `.ship`, the default.
const data = mkdtempSync(join(tmpdir(), "galley-example-"));
const galley = await openGalley({ data, config: false });

for (const input of ["My name is Mira.", "What is my name?"]) {
  const turn = await galley.turn({ chat: "example", model: id, input });
  const { messages } = turn;
  const { request } = exportFor("ai-sdk", { messages, behind: "openai-chat" });
  const { text } = await generateText({ model: provider.chatModel(id), ...request });
  await turn.commit({ assistant: text });
  process.stdout.write(`${input} → ${text} (${turn.stats.inputTokens} tokens)\n`);
}

await galley.close();
standIn?.close();
rmSync(data, { recursive: true });

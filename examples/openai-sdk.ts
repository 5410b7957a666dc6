// Galley with the OpenAI SDK: turn.messages become a request of chat completions.
// OPENAI_API_KEY (with OPENAI_BASE_URL for another server) asks a real model; without it a stand-in answers.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportFor } from "@galley/engine";
import { openGalley } from "galley";
import OpenAI from "openai";
import { standInServer } from "./stand-in-server.ts";

const { OPENAI_API_KEY: apiKey, MODEL: model = "gpt-6-luna" } = process.env;
const standIn = apiKey === undefined ? await standInServer() : undefined;
const openai = standIn ? new OpenAI({ apiKey: "none", baseURL: `${standIn.url}/v1` }) : new OpenAI();

// A data folder of its own, so that the example leaves nothing behind; yours would be `.ship`, the default.
const data = mkdtempSync(join(tmpdir(), "galley-example-"));
const galley = await openGalley({ data, config: false });

for (const input of ["My name is Mira.", "What is my name?"]) {
  const turn = await galley.turn({ chat: "example", model, input });
  const { messages } = turn;
  // Everything that OpenAI would refuse is found here, before anything is sent.
  const { request } = exportFor("openai-chat", { messages });
  const completion = await openai.chat.completions.create({ model, ...request });
  const text = completion.choices[0]?.message.content ?? "";
  await turn.commit({ assistant: text });
  process.stdout.write(`${input} → ${text} (${turn.stats.inputTokens} tokens)\n`);
}

await galley.close();
standIn?.close();
rmSync(data, { recursive: true });

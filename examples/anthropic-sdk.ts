// Galley with the Anthropic SDK: turn.messages become a request of the Messages API, with the stable part marked for
// Anthropic's cache. ANTHROPIC_API_KEY asks a real model; without it a stand-in answers.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { exportFor } from "@galley/engine";
import { openGalley } from "galley";
import { standInServer } from "./stand-in-server.ts";

const { ANTHROPIC_API_KEY: apiKey, MODEL: model = "claude-haiku-5-5" } = process.env;
const standIn = apiKey === undefined ? await standInServer() : undefined;
const anthropic = standIn ? new Anthropic({ apiKey: "none", baseURL: standIn.url }) : new Anthropic();

// A data folder of its own, so that the example leaves nothing behind; yours would be `.ship`, the default.
const data = mkdtempSync(join(tmpdir(), "galley-example-"));
const galley = await openGalley({ data, config: false });

for (const input of ["My name is Mira.", "What is my name?"]) {
  const turn = await galley.turn({ chat: "example", model, input });
  const { messages, stablePrefix } = turn;
  const cacheBreakpoints = stablePrefix > 0 ? [stablePrefix - 1] : [];
  const { request } = exportFor("anthropic", { messages, cacheBreakpoints, model });
  const reply = await anthropic.messages.create({ model, max_tokens: 1000, ...request });
  const text = reply.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  await turn.commit({ assistant: text });
  process.stdout.write(`${input} → ${text} (${turn.stats.inputTokens} tokens)\n`);
}

await galley.close();
standIn?.close();
rmSync(data, { recursive: true });

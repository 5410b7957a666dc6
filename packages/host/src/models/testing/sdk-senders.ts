import Anthropic from "@anthropic-ai/sdk";
import { type ModelMessage, type ToolSpec, exportFor } from "@galley/engine";
import { GoogleGenAI } from "@google/genai";
import { generateText } from "ai";
import OpenAI from "openai";
import { modelsSchema } from "../../config/models-schema.ts";
import { openModels } from "../open-models.ts";

/** What a turn gives to the caller of the model. */
export interface SentTurn {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
}

export interface Sender {
  readonly name: string;
  /** Rejects when the server refuses. */
  readonly send: (turn: SentTurn) => Promise<unknown>;
}

const apiKey = "not-a-real-key";
const plain = { maxRetries: 0, apiKey };

/** The official SDKs, each through the exporter that is made for it. */
export async function sdkSenders(url: string): Promise<readonly Sender[]> {
  const openai = new OpenAI({ ...plain, baseURL: `${url}/v1` });
  const anthropic = new Anthropic({ ...plain, baseURL: url });
  const google = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
  return [
    {
      name: "openai, chat completions",
      send: (turn) => openai.chat.completions.create({ model: "gpt-5", ...exportFor("openai-chat", turn).request }),
    },
    {
      name: "openai, responses",
      send: (turn) => openai.responses.create({ model: "gpt-5", ...exportFor("openai-responses", turn).request }),
    },
    {
      name: "@anthropic-ai/sdk",
      send: (turn) => {
        const { request } = exportFor("anthropic", { ...turn, model: "claude-opus-4-8" });
        return anthropic.messages.create({ model: "claude-opus-4-8", max_tokens: 99, ...request });
      },
    },
    {
      name: "@google/genai",
      send: (turn) => {
        const { contents, ...config } = exportFor("gemini", { ...turn, model: "gemini-2.5-pro" }).request;
        return google.models.generateContent({ model: "gemini-2.5-pro", contents, config });
      },
    },
    ...(await aiSdkSenders(url)),
  ];
}

const aiSdkModels = {
  openai: ["openai", "/v1", "gpt-5"],
  anthropic: ["anthropic", "/v1", "claude-opus-4-8"],
  google: ["google", "/v1beta", "gemini-2.5-pro"],
  compatible: ["openai-compatible", "/v1", "qwen3"],
} as const;

async function aiSdkSenders(url: string): Promise<readonly Sender[]> {
  const providers = Object.entries(aiSdkModels).map(([name, [type, path]]) => ({
    name,
    type,
    baseUrl: url + path,
    apiKey,
  }));
  const models = await openModels({ config: { models: modelsSchema.parse({ providers }) }, env: {} });
  return Object.entries(aiSdkModels).map(([name, [, , modelId]]) => {
    const { model, providerOptions, wire } = models.resolve(`${name}/${modelId}`);
    return {
      name: `ai, with ${name}`,
      send: (turn) =>
        generateText({
          model,
          ...exportFor("ai-sdk", { ...turn, behind: wire === "ai-sdk" ? undefined : wire }).request,
          maxRetries: 0,
          maxOutputTokens: 99,
          ...(providerOptions ? { providerOptions } : {}),
        }),
    };
  });
}

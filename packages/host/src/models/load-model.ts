import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelServer } from "./model-server.ts";

/** Loads the provider's package only now: a command that asks no model starts without it. */
export async function loadModel(
  server: ModelServer,
  modelId: string,
  fetch: typeof globalThis.fetch | undefined,
): Promise<LanguageModelV4> {
  const { name, kind, baseUrl: baseURL, apiKey = "", headers } = server;
  const settings = { baseURL, apiKey, headers: { ...headers }, ...(fetch === undefined ? {} : { fetch }) };
  switch (kind) {
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI(settings)(modelId);
    }
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic(settings)(modelId);
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle(settings)(modelId);
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const { apiKey: _, ...rest } = settings;
      const key = apiKey === "" ? {} : { apiKey };
      // Without includeUsage a stream does not say how many tokens it took.
      return createOpenAICompatible({ ...rest, ...key, name, includeUsage: true }).chatModel(modelId);
    }
  }
}

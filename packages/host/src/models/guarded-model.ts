import { APICallError, type LanguageModelV4, type LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ModelServer } from "./model-server.ts";

export interface GuardedModelOptions {
  readonly provider: string;
  readonly modelId: string;
  /** Called once, when the model is first asked. */
  readonly load: () => Promise<LanguageModelV4>;
  readonly redact: <Value>(value: Value) => Value;
}

/** A model that is loaded when it is first asked, and whose errors hold no keys, whatever the server repeats in them [P6]. */
export function guardedModel({ provider, modelId, load, redact }: GuardedModelOptions): LanguageModelV4 {
  let loading: Promise<LanguageModelV4> | undefined;
  const loaded = (): Promise<LanguageModelV4> => (loading ??= load());
  const guarded = async <Result>(ask: (model: LanguageModelV4) => PromiseLike<Result>): Promise<Result> => {
    try {
      return await ask(await loaded());
    } catch (error) {
      throw withoutSecrets(error, redact);
    }
  };
  return {
    specificationVersion: "v4",
    provider,
    modelId,
    get supportedUrls() {
      return loaded().then((model) => model.supportedUrls);
    },
    doGenerate: (options) => guarded((model) => model.doGenerate(options)),
    doStream: async (options) => {
      const result = await guarded((model) => model.doStream(options));
      return { ...result, stream: result.stream.pipeThrough(errorGuard(redact)) };
    },
  };
}

function errorGuard(
  redact: GuardedModelOptions["redact"],
): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  return new TransformStream({
    transform(part, controller) {
      controller.enqueue(part.type === "error" ? { ...part, error: withoutSecrets(part.error, redact) } : part);
    },
  });
}

/** The same error without keys, and without the request, which is the whole conversation. */
function withoutSecrets(error: unknown, redact: GuardedModelOptions["redact"], depth = 0): unknown {
  if (!(error instanceof Error)) return redact(error);
  // A stream that broke off says why only in its cause. Causes may be circular; three levels are enough.
  const cause = error.cause === undefined || depth === 3 ? undefined : withoutSecrets(error.cause, redact, depth + 1);
  const why = cause === undefined ? {} : { cause };
  if (APICallError.isInstance(error)) {
    const { message, url, statusCode, responseHeaders, responseBody, isRetryable, data } = error;
    const clean = redact({ message, url, statusCode, responseHeaders, responseBody, data });
    const { responseHeaders: headers = {}, ...rest } = clean;
    return new APICallError({ ...rest, responseHeaders: headers, isRetryable, requestBodyValues: {}, ...why });
  }
  // The caller that gave up knows the error by its identity; it was never near a server.
  if (error.name === "AbortError" || error.name === "TimeoutError") return error;
  const clean = new Error(redact(error.message), why);
  clean.name = error.name;
  return clean;
}

/** Loads the provider's package only now: a command that asks no model starts without it. */
export async function loadModel(
  server: ModelServer,
  modelId: string,
  fetch: typeof globalThis.fetch | undefined,
): Promise<LanguageModelV4> {
  const { name, kind, baseUrl: baseURL, apiKey = "", headers } = server;
  // A key is sent to the address that it was given for, and to no other that this one may name.
  const stay: typeof globalThis.fetch = (url, init) =>
    (fetch ?? globalThis.fetch)(url, { ...init, redirect: "manual" });
  const settings = { baseURL, apiKey, headers: { ...headers }, fetch: stay };
  switch (kind) {
    case "openai":
      return (await import("@ai-sdk/openai")).createOpenAI(settings)(modelId);
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic(settings)(modelId);
    case "google":
      return (await import("@ai-sdk/google")).createGoogle(settings)(modelId);
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const { apiKey: _, ...rest } = settings;
      const key = apiKey === "" ? {} : { apiKey };
      // Without includeUsage a stream does not say how many tokens it took.
      return createOpenAICompatible({ ...rest, ...key, name, includeUsage: true }).chatModel(modelId);
    }
  }
}

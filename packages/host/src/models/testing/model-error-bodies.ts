import type { ModelKind } from "../models.ts";

const anthropic = (type: string, message: string) => ({
  type: "error",
  error: { type, message },
  request_id: "req_011",
});
const openai = (code: string | null, message: string, type = "invalid_request_error") => ({
  error: { message, type, param: "messages", code },
});
const google = (code: number, status: string, message: string) => ({ error: { code, message, status } });
const vllm = (code: number, message: string) => ({ error: { message, type: "BadRequestError", param: null, code } });

export type ErrorRow = readonly [Exclude<ModelKind, "demo">, number, unknown, string, boolean];

/** Bodies in the published format of each provider: kind, status, body, our code, whether to try again. */
export const errorRows: readonly ErrorRow[] = [
  [
    "openai",
    400,
    openai(
      "context_length_exceeded",
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
    ),
    "ContextOverflow",
    false,
  ],
  [
    "openai",
    401,
    openai("invalid_api_key", "Incorrect API key provided: sk-…1234.", "invalid_request_error"),
    "ModelRefused",
    false,
  ],
  [
    "openai",
    429,
    openai(
      "rate_limit_exceeded",
      "Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.",
      "tokens",
    ),
    "ModelFailed",
    true,
  ],
  [
    "openai",
    429,
    openai(
      "insufficient_quota",
      "You exceeded your current quota, please check your plan and billing details.",
      "insufficient_quota",
    ),
    "ModelRefused",
    false,
  ],
  [
    "openai",
    404,
    openai("model_not_found", "The model `gpt-99` does not exist or you do not have access to it."),
    "ModelUnavailable",
    false,
  ],
  [
    "openai",
    400,
    openai(null, "Invalid value: 'robot'. Supported values are: 'system', 'assistant', 'user', and 'developer'."),
    "ModelRefused",
    false,
  ],
  [
    "openai",
    500,
    openai(null, "The server had an error while processing your request.", "server_error"),
    "ModelFailed",
    true,
  ],
  [
    "anthropic",
    400,
    anthropic("invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"),
    "ContextOverflow",
    false,
  ],
  [
    "anthropic",
    400,
    anthropic(
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
    ),
    "ContextOverflow",
    false,
  ],
  [
    "anthropic",
    413,
    anthropic("request_too_large", "Request exceeds the maximum allowed number of bytes."),
    "ContextOverflow",
    false,
  ],
  ["anthropic", 401, anthropic("authentication_error", "invalid x-api-key"), "ModelRefused", false],
  [
    "anthropic",
    403,
    anthropic("permission_error", "Your API key does not have permission to use the specified resource."),
    "ModelRefused",
    false,
  ],
  ["anthropic", 404, anthropic("not_found_error", "model: claude-nothing"), "ModelUnavailable", false],
  [
    "anthropic",
    429,
    anthropic(
      "rate_limit_error",
      "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
    ),
    "ModelFailed",
    true,
  ],
  ["anthropic", 529, anthropic("overloaded_error", "Overloaded"), "ModelFailed", true],
  [
    "anthropic",
    400,
    anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    "ModelRefused",
    false,
  ],
  [
    "anthropic",
    400,
    anthropic(
      "invalid_request_error",
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after",
    ),
    "ModelRefused",
    false,
  ],
  [
    "google",
    400,
    google(
      400,
      "INVALID_ARGUMENT",
      "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    ),
    "ContextOverflow",
    false,
  ],
  [
    "google",
    400,
    google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
    "ModelRefused",
    false,
  ],
  [
    "google",
    404,
    google(404, "NOT_FOUND", "models/gemini-0 is not found for API version v1beta."),
    "ModelUnavailable",
    false,
  ],
  [
    "google",
    429,
    google(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
    "ModelFailed",
    true,
  ],
  ["google", 503, google(503, "UNAVAILABLE", "The model is overloaded. Please try again later."), "ModelFailed", true],
  [
    "google",
    400,
    google(400, "INVALID_ARGUMENT", "Please ensure that function call turn comes immediately after a user turn."),
    "ModelRefused",
    false,
  ],
  // vLLM, llama.cpp, LM Studio, Ollama, OpenRouter, Groq
  [
    "openai-compatible",
    400,
    vllm(
      400,
      "This model's maximum context length is 4096 tokens. However, you requested 4104 tokens (2104 in the messages, 2000 in the completion).",
    ),
    "ContextOverflow",
    false,
  ],
  [
    "openai-compatible",
    400,
    vllm(
      400,
      "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 65536 tokens and your request has 57879 input tokens.",
    ),
    "ContextOverflow",
    false,
  ],
  [
    "openai-compatible",
    400,
    {
      object: "error",
      message: "This model's maximum context length is 8192 tokens.",
      type: "BadRequestError",
      code: 400,
    },
    "ContextOverflow",
    false,
  ],
  [
    "openai-compatible",
    400,
    {
      error: {
        code: 400,
        message: "the request exceeds the available context size, try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    },
    "ContextOverflow",
    false,
  ],
  [
    "openai-compatible",
    400,
    {
      error:
        "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length.",
    },
    "ContextOverflow",
    false,
  ],
  [
    "openai-compatible",
    400,
    {
      error: {
        message: "input length exceeds the context length",
        type: "invalid_request_error",
        param: null,
        code: null,
      },
    },
    "ContextOverflow",
    false,
  ],
  [
    "openai-compatible",
    400,
    {
      error: {
        message: "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens.",
        code: 400,
      },
    },
    "ContextOverflow",
    false,
  ],
  [
    "openai-compatible",
    413,
    openai(
      "rate_limit_exceeded",
      "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9000.",
      "tokens",
    ),
    "ModelFailed",
    true,
  ],
  [
    "openai-compatible",
    404,
    { error: { message: "model 'qwen9' not found", type: "not_found_error", param: null, code: null } },
    "ModelUnavailable",
    false,
  ],
  ["openai-compatible", 502, "<html>Bad Gateway</html>", "ModelFailed", true],
];

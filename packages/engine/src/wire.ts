// Requests of each provider: made, checked, and their types.
export { type WireProvider, type WireRequests, exportFor, wireProviders } from "./wire/export-for.ts";
export type { WireExport, WireInput, WireNote, WireNoteCode } from "./wire/shared/wire-input.ts";
export { toOpenAiChat } from "./wire/openai-chat/export.ts";
export { toOpenAiResponses } from "./wire/openai-responses/export.ts";
export { toAnthropic } from "./wire/anthropic/export.ts";
export { toGemini } from "./wire/gemini/export.ts";
export { toAiSdk } from "./wire/ai-sdk/export.ts";
export { validateOpenAiChat } from "./wire/openai-chat/validate.ts";
export { validateOpenAiResponses } from "./wire/openai-responses/validate.ts";
export { validateAnthropic } from "./wire/anthropic/validate.ts";
export { validateGemini } from "./wire/gemini/validate.ts";
export { validateAiSdk } from "./wire/ai-sdk/validate.ts";
export type { OpenAiChatRequest } from "./wire/openai-chat/types.ts";
export type { OpenAiResponsesRequest } from "./wire/openai-responses/types.ts";
export type { AnthropicRequest } from "./wire/anthropic/types.ts";
export type { GeminiRequest } from "./wire/gemini/types.ts";
export type { AiSdkRequest } from "./wire/ai-sdk/types.ts";

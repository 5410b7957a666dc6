import { wrongInput } from "../model/check/input.ts";
import { type Problem, throwOnErrors } from "../model/check/errors.ts";
import type { AiSdkRequest } from "./ai-sdk/types.ts";
import type { AnthropicRequest } from "./anthropic/types.ts";
import type { GeminiRequest } from "./gemini/types.ts";
import type { OpenAiChatRequest } from "./openai-chat/types.ts";
import type { OpenAiResponsesRequest } from "./openai-responses/types.ts";
import { toAiSdk } from "./ai-sdk/export.ts";
import { toAnthropic } from "./anthropic/export.ts";
import { toGemini } from "./gemini/export.ts";
import { toOpenAiChat } from "./openai-chat/export.ts";
import { toOpenAiResponses } from "./openai-responses/export.ts";
import { validateAiSdk } from "./ai-sdk/validate.ts";
import { validateAnthropic } from "./anthropic/validate.ts";
import { validateGemini } from "./gemini/validate.ts";
import { validateOpenAiChat } from "./openai-chat/validate.ts";
import { validateOpenAiResponses } from "./openai-responses/validate.ts";
import type { WireExport, WireInput } from "./shared/wire-input.ts";

/** What each provider is sent. */
export interface WireRequests {
  readonly "openai-chat": OpenAiChatRequest;
  readonly "openai-responses": OpenAiResponsesRequest;
  readonly anthropic: AnthropicRequest;
  readonly gemini: GeminiRequest;
  readonly "ai-sdk": AiSdkRequest;
}
/** The formats that requests can be made in. */
export type WireProvider = keyof WireRequests;

interface Wire<Request> {
  readonly make: (input: WireInput) => WireExport<Request>;
  readonly validate: (request: Request) => Problem[];
}

const wires: { readonly [Provider in WireProvider]: Wire<WireRequests[Provider]> } = {
  "openai-chat": { make: toOpenAiChat, validate: validateOpenAiChat },
  "openai-responses": { make: toOpenAiResponses, validate: validateOpenAiResponses },
  anthropic: { make: toAnthropic, validate: validateAnthropic },
  gemini: { make: toGemini, validate: validateGemini },
  "ai-sdk": { make: toAiSdk, validate: validateAiSdk },
};

/** All formats, for lists and help. */
export const wireProviders = Object.keys(wires) as readonly WireProvider[];

/**
 * Makes a provider's request, or throws `WireInvalid` with everything that the provider would refuse, before anything is
 * sent. Paths that begin with `request` lead into the request, the others into the input.
 *
 * @example
 * const messages = [{ role: "system", content: "Be brief." }, { role: "user", content: "Hello" }];
 * const { request } = exportFor("anthropic", { messages });
 * request.system; // → [{ type: "text", text: "Be brief." }]
 * request.messages; // → [{ role: "user", content: [{ type: "text", text: "Hello" }] }]
 */
export function exportFor<Provider extends WireProvider>(
  provider: Provider,
  input: WireInput,
): WireExport<WireRequests[Provider]> {
  if (typeof provider !== "string" || !Object.hasOwn(wires, provider))
    throw wrongInput("provider", `one of ${wireProviders.join(", ")}`, provider);
  const wire: Wire<WireRequests[Provider]> = wires[provider];
  const made = wire.make(input);
  const refused = wire.validate(made.request).map((problem) => ({
    ...problem,
    path: problem.path === "" ? "request" : `request.${problem.path}`,
  }));
  const problems = [...made.problems, ...refused];
  throwOnErrors(problems);
  return { ...made, problems };
}

import { wrongInput } from "../model/check-input.ts";
import { messageCheck } from "../model/message-schema.ts";
import type { ModelMessage } from "../model/messages.ts";
import { fromAnthropic, readAnthropic } from "./anthropic/import.ts";
import { type WireProvider, wireProviders } from "./export-for.ts";
import { fromGemini, readGemini } from "./gemini/import.ts";
import { explainShape } from "./shapes.ts";
import { fromOpenAiChat, readOpenAiChat } from "./openai-chat/import.ts";
import { fromOpenAiResponses, readOpenAiResponses } from "./openai-responses/import.ts";
import { type Fields, type ItemReader, type WireImport, fieldsAt, listAt, readTools } from "./shared/read-items.ts";

interface Reader {
  readonly request: (request: unknown) => WireImport;
  readonly items: ItemReader;
}

const readers: { readonly [Provider in WireProvider]: Reader } = {
  "openai-chat": { request: fromOpenAiChat, items: readOpenAiChat },
  "openai-responses": { request: fromOpenAiResponses, items: readOpenAiResponses },
  anthropic: { request: fromAnthropic, items: readAnthropic },
  gemini: { request: fromGemini, items: readGemini },
  "ai-sdk": { request: fromAiSdk, items: readAiSdk },
};

/**
 * Reads a provider's request as our messages and tools: the way back of `exportFor`. What a provider runs itself and what
 * we have no part for is kept whole, as parts of the kind `custom`.
 *
 * @example
 * const { messages } = importFrom("openai-chat", { messages: [{ role: "developer", content: "Be brief." }] });
 * messages; // → [{ role: "system", content: "Be brief." }]
 */
export function importFrom(provider: WireProvider, request: unknown): WireImport {
  return readerOf(provider).request(request);
}

/** Reads a provider's items, with the items that each of our messages stands for. */
export function readItems(provider: WireProvider, ...given: Parameters<ItemReader>): ReturnType<ItemReader> {
  const [items] = given;
  try {
    return readerOf(provider).items(...given);
  } catch (error) {
    throw explainShape(error, provider, items);
  }
}

function readerOf(provider: WireProvider): Reader {
  if (typeof provider !== "string" || !Object.hasOwn(readers, provider))
    throw wrongInput("provider", `one of ${wireProviders.join(", ")}`, provider);
  return readers[provider];
}

/** The AI SDK's messages are ours. */
function readAiSdk(items: readonly unknown[], path: string, start = 0): ReturnType<ItemReader> {
  // Not `map`, which passes over the holes of a list.
  return Array.from(items.slice(start), (item, index) => {
    const from = start + index;
    messageCheck(item, `${path}[${from}]`);
    return { from, to: from + 1, messages: [item as ModelMessage] };
  });
}

function fromAiSdk(request: unknown): WireImport {
  const fields = fieldsAt(request, "request");
  const units = readAiSdk(listAt(fields, "messages", "request"), "request.messages");
  const { instructions } = fields;
  const system = typeof instructions === "string" ? [{ role: "system", content: instructions }] : (instructions ?? []);
  const lead = readAiSdk(Array.isArray(system) ? system : [system], "request.instructions");
  const messages = [...lead, ...units].flatMap((unit) => unit.messages);
  const tools = Object.entries((fields["tools"] ?? {}) as Fields).map(([name, tool]) => {
    const { inputSchema, ...rest } = fieldsAt(tool, `request.tools.${name}`);
    return { name, ...rest, inputSchema: (inputSchema as { jsonSchema?: unknown } | undefined)?.jsonSchema };
  });
  return { messages, tools: readTools(tools, "request.tools") };
}

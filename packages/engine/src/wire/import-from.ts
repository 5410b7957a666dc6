import { wrongInput } from "../model/check/input.ts";
import { messageCheck } from "../model/message-schema.ts";
import type { ModelMessage } from "../model/messages.ts";
import { anthropicReader } from "./anthropic/import.ts";
import { type WireProvider, wireProviders } from "./export-for.ts";
import { geminiReader } from "./gemini/import.ts";
import { explainShape } from "./shapes.ts";
import { openAiChatReader } from "./openai-chat/import.ts";
import { openAiResponsesReader } from "./openai-responses/import.ts";
import {
  type Fields,
  type ItemReader,
  type ReadUnit,
  type RequestReader,
  type WireImport,
  fieldsAt,
  listAt,
  readEach,
  readTools,
} from "./shared/read-items.ts";

/** The AI SDK's messages are ours. */
const aiSdkReader: RequestReader = {
  list: "messages",
  items: readAiSdk,
  system({ instructions }) {
    const given = typeof instructions === "string" ? { role: "system", content: instructions } : (instructions ?? []);
    const units = readAiSdk(Array.isArray(given) ? given : [given], "request.instructions");
    return units.flatMap(({ messages }) => messages);
  },
  tools: (request) =>
    Object.entries((request["tools"] ?? {}) as Fields).map(([name, tool]) => {
      const { inputSchema, ...rest } = fieldsAt(tool, `request.tools.${name}`);
      return { name, ...rest, inputSchema: (inputSchema as { jsonSchema?: unknown } | undefined)?.jsonSchema };
    }),
};

const readers: { readonly [Provider in WireProvider]: RequestReader } = {
  "openai-chat": openAiChatReader,
  "openai-responses": openAiResponsesReader,
  anthropic: anthropicReader,
  gemini: geminiReader,
  "ai-sdk": aiSdkReader,
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
  const { list, takesText, items, system, tools } = readerOf(provider);
  const fields = fieldsAt(request, "request");
  const given = fields[list];
  const said = takesText && typeof given === "string" ? [{ role: "user", content: given }] : undefined;
  const units = items(said ?? listAt(fields, list, "request"), `request.${list}`);
  const messages = [...(system?.(fields) ?? []), ...units.flatMap((unit) => unit.messages)];
  return { messages, tools: readTools(tools ? tools(fields) : fields["tools"], "request.tools") };
}

/** Reads a provider's items, with the items that each of our messages stands for. */
export function readItems(provider: WireProvider, ...given: Parameters<ItemReader>): ReadUnit[] {
  const [items] = given;
  try {
    return readerOf(provider).items(...given);
  } catch (error) {
    throw explainShape(error, provider, items);
  }
}

function readerOf(provider: WireProvider): RequestReader {
  if (typeof provider !== "string" || !Object.hasOwn(readers, provider))
    throw wrongInput("provider", `one of ${wireProviders.join(", ")}`, provider);
  return readers[provider];
}

function readAiSdk(items: readonly unknown[], path: string, start = 0): ReadUnit[] {
  return readEach(items, path, start, (item, at) => {
    messageCheck(item, at);
    return [item as ModelMessage];
  });
}

import type { ModelMessage } from "@galley/engine";
import type { AssistantPart } from "@galley/engine/messages";

// The peers live in bench's own node_modules, which exists only where `npm run bench` has run: their types are written
// down here as far as they are used, so that the checkout compiles without them.

export interface LangChainMessage {
  readonly id?: string;
  readonly response_metadata?: Readonly<Record<string, unknown>>;
}
type MakeMessage = new (fields: Readonly<Record<string, unknown>>) => LangChainMessage;

interface LangChain {
  readonly SystemMessage: MakeMessage;
  readonly HumanMessage: MakeMessage;
  readonly AIMessage: MakeMessage;
  readonly ToolMessage: MakeMessage;
  readonly trimMessages: (
    messages: readonly LangChainMessage[],
    options: {
      readonly maxTokens: number;
      readonly tokenCounter: (messages: readonly LangChainMessage[]) => number;
      readonly strategy: "last";
      readonly includeSystem: boolean;
      readonly startOn?: "human";
    },
  ) => Promise<(LangChainMessage | undefined)[]>;
}

interface ContextEditing {
  readonly ClearToolUsesEdit: new (config: { readonly trigger: { readonly tokens: number } }) => {
    apply(request: {
      readonly messages: LangChainMessage[];
      readonly countTokens: (messages: readonly LangChainMessage[]) => number;
    }): Promise<void>;
  };
}

export interface ChefMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly unknown[];
}

interface ContextChef {
  readonly Janitor: new (config: {
    readonly contextWindow: number;
    readonly tokenizer: (history: readonly ChefMessage[]) => number;
  }) => { compress(history: readonly ChefMessage[]): Promise<readonly ChefMessage[]> };
}

export interface PromptTsxMessage {
  readonly name?: string;
  readonly toolCallId?: string;
  readonly content: readonly { readonly text?: string }[];
  readonly toolCalls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

interface PromptTsx {
  readonly SystemMessage: unknown;
  readonly UserMessage: unknown;
  readonly AssistantMessage: unknown;
  readonly ToolMessage: unknown;
  readonly Chunk: unknown;
  readonly PromptElement: new (props: unknown) => object;
  readonly PromptRenderer: new (
    endpoint: { readonly modelMaxPromptTokens: number },
    element: unknown,
    props: unknown,
    tokenizer: unknown,
  ) => { render(): Promise<{ readonly messages: readonly PromptTsxMessage[] }> };
  readonly OutputMode: { readonly Raw: number };
}

interface LlamaIndexMessage {
  readonly role: string;
  readonly content: string;
  readonly options: Readonly<Record<string, unknown>>;
}

interface LlamaIndexMemory {
  add(message: LlamaIndexMessage): Promise<void>;
  getLLM(): Promise<readonly LlamaIndexMessage[]>;
}

interface LlamaIndex {
  readonly createMemory: (
    messages: readonly LlamaIndexMessage[],
    options: { readonly tokenLimit: number; readonly shortTermTokenLimitRatio: number },
  ) => LlamaIndexMemory;
}

/** A message of the prompt that a provider of the AI SDK gets. */
export interface ProviderMessage {
  readonly role: string;
  readonly content: string | readonly object[];
}

interface Mastra {
  readonly TokenLimiterProcessor: new (options: { readonly limit: number }) => {
    /** Private in its types: the one place where it turns a text into a number. */
    countTokens: (text: string) => number;
    processLLMRequest(request: {
      readonly prompt: readonly ProviderMessage[];
    }): Promise<{ readonly prompt: readonly ProviderMessage[] } | undefined>;
  };
}

interface AiSdk {
  readonly pruneMessages: (options: {
    readonly messages: readonly ModelMessage[];
    readonly reasoning: "before-last-message";
    readonly toolCalls: `before-last-${number}-messages`;
    readonly emptyMessages: "remove";
  }) => ModelMessage[];
}

// By a variable, or the compiler would look for the package.
const load = async (name: string): Promise<unknown> => import(name);

export const loadLangChain = async (): Promise<LangChain> => (await load("@langchain/core/messages")) as LangChain;
export const loadContextEditing = async (): Promise<ContextEditing> => (await load("langchain")) as ContextEditing;
export const loadContextChef = async (): Promise<ContextChef> => (await load("context-chef")) as ContextChef;
export const loadMastra = async (): Promise<Mastra> => (await load("@mastra/core/processors")) as Mastra;
export const loadAiSdk = async (): Promise<AiSdk> => (await load("ai")) as AiSdk;
export const loadPromptTsx = async (): Promise<PromptTsx> => (await load("@vscode/prompt-tsx")) as PromptTsx;

/** With our counter in the place of its tokenizer. */
export async function loadLlamaIndex(count: (text: string) => number): Promise<LlamaIndex> {
  const { Settings } = (await load("@llamaindex/core/global")) as { Settings: { tokenizer: unknown } };
  Settings.tokenizer = { encode: (text: string) => ({ length: count(text) }), decode: () => "" };
  return (await load("@llamaindex/core/memory")) as LlamaIndex;
}

/** What a message says, and what it calls or answers, as peers want it. */
export interface PlainMessage {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly answers: string | undefined;
}

export function plainOf({ content }: ModelMessage): PlainMessage {
  if (typeof content === "string") return { text: content, calls: [], answers: undefined };
  const parts: readonly AssistantPart[] = content as AssistantPart[];
  const result = parts.find((part) => part.type === "tool-result");
  if (result && "value" in result.output) {
    const { value } = result.output;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return { text, calls: [], answers: result.toolCallId };
  }
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const calls = parts.flatMap((part) =>
    part.type === "tool-call" ? [{ id: part.toolCallId, name: part.toolName, input: part.input }] : [],
  );
  return { text, calls, answers: undefined };
}

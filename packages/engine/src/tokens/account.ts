import { GalleyError } from "../model/errors.ts";
import type { MessagePart, ModelMessage, ToolResultOutput, ToolSpec } from "../model/messages.ts";
import type { Exactness, Tokenizer } from "./tokenizer.ts";

/** A number of tokens that says how far it can be trusted. */
export interface TokenFigure {
  readonly tokens: number;
  readonly exactness: Exactness;
  /** The tokenizer's id. */
  readonly tokenizer: string;
}

/** The one account of what a model's input costs: trigger, target, display and stats all ask it [F4]. */
export interface TokenAccount {
  readonly tokenizer: Tokenizer;
  /** A message that holds nothing but this text. Known by its content: presets send the same texts in every build. */
  countPlain(text: string): number;
  countMessage(message: ModelMessage): number;
  countTool(tool: ToolSpec): number;
  /** What is there besides the messages: the tools, and the opening of the reply. */
  countOverhead(tools: readonly ToolSpec[]): number;
  /** The whole input: messages, tools, and what frames them. */
  countInput(messages: readonly ModelMessage[], tools?: readonly ToolSpec[]): TokenFigure;
}

/** Role and delimiters around each message, as chat formats spell them out. */
export const messageFrame = 4;
/** The opening of the reply that the model is to write. */
const replyFrame = 3;
/** Name, id and delimiters around a call, a result or a tool beyond their text. */
export const toolFrame = 8;
/** A picture or file whose size only its provider knows: a picture of about a megapixel. */
const binaryPart = 1600;

export function tokenAccount(tokenizer: Tokenizer): TokenAccount {
  // Messages never change, so that each is counted once, however often a build looks at it.
  const known = new WeakMap<object, number>();
  const remember = <Item extends object>(item: Item, count: (item: Item) => number): number => {
    let tokens = known.get(item);
    if (tokens === undefined) {
      tokens = count(item);
      known.set(item, tokens);
    }
    return tokens;
  };
  const text = (value: string): number => countText(tokenizer, value);
  const repeatedText = textMemory(text);
  const countMessage = (message: ModelMessage): number => messageFrame + countContent(message.content, text);
  const countTool = (tool: ToolSpec): number =>
    toolFrame + text(tool.name) + text(tool.description ?? "") + text(toText(tool.inputSchema));
  const countOverhead = (tools: readonly ToolSpec[]): number =>
    tools.reduce((sum, tool) => sum + remember(tool, countTool), replyFrame);

  return {
    tokenizer,
    countPlain: (value) => messageFrame + repeatedText(value),
    countMessage: (message) => remember(message, countMessage),
    countTool: (tool) => remember(tool, countTool),
    countOverhead,
    countInput(messages, tools = []) {
      let tokens = countOverhead(tools);
      for (const message of messages) tokens += remember(message, countMessage);
      return {
        tokens,
        exactness: messages.some(hasBinaryPart) ? "estimated" : tokenizer.exactness,
        tokenizer: tokenizer.id,
      };
    },
  };
}

const rememberedCharacters = 2_000_000;

function textMemory(count: (text: string) => number): (text: string) => number {
  const known = new Map<string, number>();
  let characters = 0;
  return (text) => {
    let tokens = known.get(text);
    if (tokens !== undefined) return tokens;
    tokens = count(text);
    characters += text.length;
    if (characters > rememberedCharacters) {
      known.clear();
      characters = text.length;
    }
    known.set(text, tokens);
    return tokens;
  };
}

function countText(tokenizer: Tokenizer, text: string): number {
  let tokens: number;
  try {
    tokens = tokenizer.count(text);
  } catch (cause) {
    throw new GalleyError(
      "TokenizerFailed",
      `The tokenizer ${tokenizer.id} threw on a text of ${text.length} characters.`,
      {
        cause,
        hint: "Use another tokenizer, or report the text that it cannot count.",
      },
    );
  }
  if (Number.isSafeInteger(tokens) && tokens >= 0) return tokens;
  throw new GalleyError("TokenizerFailed", `The tokenizer ${tokenizer.id} gave ${String(tokens)} instead of a count.`, {
    hint: "count(text) must give a whole number from 0 upwards.",
  });
}

function countContent(content: ModelMessage["content"], text: (value: string) => number): number {
  if (typeof content === "string") return text(content);
  let tokens = 0;
  for (const part of content) tokens += countPart(part, text);
  return tokens;
}

function countPart(part: MessagePart, text: (value: string) => number): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return text(part.text);
    case "tool-call":
      return toolFrame + text(part.toolName) + text(toText(part.input));
    case "tool-result":
      return toolFrame + text(part.toolName) + countOutput(part.output, text);
    case "tool-approval-request":
    case "tool-approval-response":
      return toolFrame + text(part.reason ?? "");
    case "image":
    case "file":
    case "reasoning-file":
      return isTextFile(part) ? text(part.data.text) : binaryPart;
    case "custom":
      return text(toText(part.providerOptions ?? {}));
  }
}

function countOutput(output: ToolResultOutput, text: (value: string) => number): number {
  switch (output.type) {
    case "text":
    case "error-text":
      return text(output.value);
    case "json":
    case "error-json":
      return text(toText(output.value));
    case "execution-denied":
      return text(output.reason ?? "");
    case "content": {
      let tokens = 0;
      for (const piece of output.value) tokens += piece.type === "text" ? text(piece.text) : binaryPart;
      return tokens;
    }
  }
}

function isTextFile(part: MessagePart): part is MessagePart & { data: { text: string } } {
  return part.type === "file" && typeof part.data === "object" && "type" in part.data && part.data.type === "text";
}

/** True for a message with a picture or a file whose size only its provider knows. */
export function hasBinaryPart({ content }: ModelMessage): boolean {
  if (typeof content === "string") return false;
  for (const part of content) {
    if (part.type === "image" || part.type === "reasoning-file") return true;
    if (part.type === "file" && !isTextFile(part)) return true;
    if (part.type === "tool-result" && part.output.type === "content") {
      if (part.output.value.some((piece) => piece.type !== "text")) return true;
    }
  }
  return false;
}

/** As a provider would be sent it. */
function toText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch (cause) {
    throw new GalleyError("ContextInvalidInput", "A tool's arguments or result cannot be written as JSON.", {
      cause,
      hint: "Check it for circles and for values that JSON does not have.",
    });
  }
}

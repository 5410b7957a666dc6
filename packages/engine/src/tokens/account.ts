import {
  type InputCheck,
  anyListCheck,
  describeValue,
  explain,
  fieldsCheck,
  functionCheck,
  inputCheck,
  jsonText,
  numberCheck,
  objectCheck,
  textCheck,
  wrongInput,
} from "../model/check/input.ts";
import { GalleyError } from "../model/check/errors.ts";
import { type Media, mediaOfPart, readPiece } from "../model/media.ts";
import type { MessagePart, ModelMessage, ToolResultOutput, ToolSpec } from "../model/messages.ts";
import { providerOption } from "../model/provider-options.ts";
import { messageCheck, toolCheck } from "../model/message-schema.ts";
import { type CountedMedia, type MediaCount, countMedia, mediaRuleSchema } from "./media/count-media.ts";
import { textMemory } from "./text-memory.ts";
import type { Exactness, Tokenizer } from "./counters/tokenizer.ts";

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
  /** The same for callers that keep the count themselves: it is not remembered, which would cost a turn time. */
  countNew(message: ModelMessage): number;
  /** Remembers a count that the caller has kept. */
  remember(message: ModelMessage, tokens: number): void;
  /** Whether a message costs more than that. Decided without counting where a result is clearly too long. */
  isAbove(message: ModelMessage, tokens: number): boolean;
  countTool(tool: ToolSpec): number;
  /** True when a part of the message is counted by a guess, such as a picture whose size is not known. */
  isEstimated(message: ModelMessage): boolean;
  /** What is there besides the messages: the tools, and the opening of the reply. */
  countOverhead(tools: readonly ToolSpec[]): number;
  /** The whole input: messages, tools, and what frames them. */
  countInput(messages: readonly ModelMessage[], tools?: readonly ToolSpec[]): TokenFigure;
}

/** Role and delimiters around each message, as chat formats spell them out. */
const messageFrame = 4;
/** The opening of the reply that the model is to write. */
const replyFrame = 3;
/** Name, id and delimiters around a call, a result or a tool beyond their text. */
const toolFrame = 8;

/**
 * Counts messages, tools and whole inputs with one tokenizer, and remembers what it counted.
 *
 * @example
 * const account = tokenAccount(await loadTokenizer("o200k_base"));
 * account.countMessage({ role: "user", content: "Hello world" }); // → 6
 */
export function tokenAccount(tokenizer: Tokenizer): TokenAccount {
  tokenizerCheck(tokenizer, "tokenizer");
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
  const text = textMemory(tokenizer, (value) => countText(tokenizer, value));
  const rule = tokenizer.media ?? { kind: "unknown" };
  const media = (found: CountedMedia): MediaCount => countMedia(found, rule);
  const counters: Counters = { text, media: (found) => media(found).tokens };
  const countMessage = explaining(
    (message) => messageFrame + countName(message, text) + countContent(message.content, counters),
  );
  const isEstimated = explaining(estimateFinder(media));
  const countTool = (tool: ToolSpec): number => toolTokens(tool, text);
  const countOverhead = (tools: readonly ToolSpec[]): number => {
    anyListCheck(tools, "tools");
    return tools.reduce((sum, tool) => sum + remember(tool, countTool), replyFrame);
  };

  const account: TokenAccount = {
    tokenizer,
    countPlain(value) {
      textCheck(value, "text");
      return messageFrame + text(value);
    },
    countMessage: (message) => remember(message, countMessage),
    countNew: countMessage,
    remember(message, tokens) {
      objectCheck(message, "message");
      known.set(message, tokens);
    },
    isAbove(message, tokens) {
      numberCheck(tokens, "tokens");
      const counted = known.get(message);
      if (counted !== undefined) return counted > tokens;
      const isFarAbove = explaining((own) => hasResultAbove(own, tokens, tokenizer));
      return isFarAbove(message) || remember(message, countMessage) > tokens;
    },
    countTool: (tool) => remember(tool, countTool),
    isEstimated,
    countOverhead,
    countInput(messages, tools = []) {
      anyListCheck(messages, "messages");
      let tokens = countOverhead(tools);
      for (const message of messages) tokens += remember(message, countMessage);
      return {
        tokens,
        exactness: messages.some(isEstimated) ? "estimated" : tokenizer.exactness,
        tokenizer: tokenizer.id,
      };
    },
  };
  knownAccounts.add(account);
  return account;
}

/** Looks at a message, and says what is wrong with one that cannot be looked at. */
function explaining<Result>(look: (message: ModelMessage) => Result): (message: ModelMessage) => Result {
  return (message) => {
    try {
      return look(message);
    } catch (error) {
      throw explain(error, () => messageCheck(message, "message"));
    }
  };
}

function estimateFinder(media: (found: CountedMedia) => MediaCount): (message: ModelMessage) => boolean {
  const known = new WeakMap<ModelMessage, boolean>();
  return (message) => {
    const all = mediaOf(message);
    if (all.length === 0) return false;
    let isEstimated = known.get(message);
    if (isEstimated === undefined) {
      isEstimated = all.some((each) => !media(each).isByRule);
      known.set(message, isEstimated);
    }
    return isEstimated;
  };
}

const tokenizerCheck = fieldsCheck(
  { id: textCheck, count: functionCheck, atLeast: functionCheck, media: inputCheck(mediaRuleSchema) },
  ["id", "count"],
);

const knownAccounts = new WeakSet<object>();

/** An account that `tokenAccount` made: a build relies on each of its methods. */
export const accountCheck: InputCheck = (value, path) => {
  const hint = "tokenAccount(tokenizer) makes one.";
  if (!knownAccounts.has(value as object)) throw wrongInput(path, "an account of tokens", value, { hint });
};

interface Counters {
  readonly text: (value: string) => number;
  readonly media: (found: CountedMedia) => number;
}

function countText(tokenizer: Tokenizer, text: string): number {
  let tokens: number;
  try {
    tokens = tokenizer.count(text);
  } catch (cause) {
    const message = `The tokenizer ${tokenizer.id} threw on a text of ${text.length} characters.`;
    const hint = "Use another tokenizer, or report the text that it cannot count.";
    throw new GalleyError("TokenizerFailed", message, { cause, hint });
  }
  if (Number.isSafeInteger(tokens) && tokens >= 0) return tokens;
  const message = `The tokenizer ${tokenizer.id} gave ${describeValue(tokens)} instead of a count.`;
  throw new GalleyError("TokenizerFailed", message, { hint: "count(text) must give a whole number from 0 upwards." });
}

function toolTokens(tool: ToolSpec, count: (text: string) => number): number {
  toolCheck(tool, "tool");
  const schema = jsonText(tool.inputSchema, "tool.inputSchema");
  return toolFrame + count(tool.name) + count(tool.description ?? "") + count(schema);
}

/** False says nothing. */
function hasResultAbove({ role, content }: ModelMessage, tokens: number, { atLeast }: Tokenizer): boolean {
  if (!atLeast || role !== "tool") return false;
  for (const part of content) {
    if (part.type !== "tool-result" || part.output.type !== "text") continue;
    const { value } = part.output;
    // Hardly a text has more tokens than half of its characters: the others need not be looked at twice.
    if (value.length / 2 > tokens && atLeast(value) > tokens) return true;
  }
  return false;
}

/** Who speaks, where that is sent with the message: the option `openai.name`. */
function countName(message: ModelMessage, text: Counters["text"]): number {
  const name = providerOption(message, "openai", "name");
  return name === undefined ? 0 : 1 + text(name);
}

function countContent(content: ModelMessage["content"], counters: Counters): number {
  if (typeof content === "string") return counters.text(content);
  let tokens = 0;
  for (const part of content) tokens += countPart(part, counters);
  return tokens;
}

function countPart(part: MessagePart, counters: Counters): number {
  const { text } = counters;
  switch (part.type) {
    case "text":
    case "reasoning":
      return text(part.text);
    case "tool-call":
      return toolFrame + text(part.toolName) + text(jsonText(part.input, "input"));
    case "tool-result":
      return toolFrame + text(part.toolName) + countOutput(part.output, counters);
    case "tool-approval-request":
    case "tool-approval-response":
      return toolFrame + text(part.reason ?? "");
    case "image":
    case "file":
    case "reasoning-file": {
      const found = textOrMedia(mediaOfPart(part));
      return typeof found === "string" ? text(found) : counters.media(found);
    }
    case "custom":
      return text(jsonText(part.providerOptions ?? {}, "providerOptions"));
  }
}

function countOutput(output: ToolResultOutput, counters: Counters): number {
  const { text } = counters;
  switch (output.type) {
    case "text":
    case "error-text":
      return text(output.value);
    case "json":
    case "error-json":
      return text(jsonText(output.value, "output.value"));
    case "execution-denied":
      return text(output.reason ?? "");
    case "content": {
      let tokens = 0;
      for (const piece of output.value) {
        const found = textOrMedia(readPiece(piece));
        tokens += typeof found === "string" ? text(found) : counters.media(found);
      }
      return tokens;
    }
  }
}

/** A text, or what is counted by a rule for pictures and files; a file of an unknown kind has no media type. */
function textOrMedia(read: Media | string | undefined): string | CountedMedia {
  if (typeof read === "string") return read;
  return read?.kind === "text" ? read.text : (read ?? { mediaType: "" });
}

/** The pictures and files of a message. */
function mediaOf({ content }: ModelMessage): readonly CountedMedia[] {
  if (typeof content === "string") return none;
  let found: (string | CountedMedia)[] | undefined;
  for (const part of content) {
    if (part.type === "image" || part.type === "file" || part.type === "reasoning-file") {
      (found ??= []).push(textOrMedia(mediaOfPart(part)));
    } else if (part.type === "tool-result" && part.output.type === "content") {
      for (const piece of part.output.value) (found ??= []).push(textOrMedia(readPiece(piece)));
    }
  }
  return found?.filter((each) => typeof each !== "string") ?? none;
}

const none: readonly CountedMedia[] = [];

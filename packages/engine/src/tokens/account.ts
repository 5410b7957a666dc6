import {
  type InputCheck,
  anyListCheck,
  describeValue,
  explain,
  fieldsCheck,
  flagCheck,
  functionCheck,
  inputCheck,
  jsonText,
  numberCheck,
  objectCheck,
  textCheck,
  wrongInput,
} from "../model/check/input.ts";
import { GalleyError } from "../model/check/errors.ts";
import type { ModelMessage, ToolSpec } from "../model/messages.ts";
import { providerOption } from "../model/provider-options.ts";
import { messageCheck, toolCheck } from "../model/message-schema.ts";
import { type Counters, countContent, mediaOf, toolFrame } from "./count-content.ts";
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

/** Words of a text that are counted already, each with the space before it and another space behind it. */
export interface CountedWords {
  /** What they cost. */
  readonly tokens: number;
  /** The text without them. */
  readonly rest: string;
}

/** The one account of what a model's input costs: trigger, target, display and stats all ask it [F4]. */
export interface TokenAccount {
  readonly tokenizer: Tokenizer;
  /** A message that holds nothing but this text. Known by its content: presets send the same texts in every build. */
  countPlain(text: string, words?: CountedWords): number;
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
    countPlain: plainCounter(tokenizer, text),
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

function plainCounter(tokenizer: Tokenizer, count: ReturnType<typeof textMemory>): TokenAccount["countPlain"] {
  return (text, words) => {
    textCheck(text, "text");
    if (words === undefined) return messageFrame + count(text);
    wordsCheck(words, "words");
    const countOthers = (): number => countText(tokenizer, words.rest) + words.tokens;
    return messageFrame + count(text, tokenizer.partsAtSpaces ? countOthers : undefined);
  };
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
  {
    id: textCheck,
    count: functionCheck,
    atLeast: functionCheck,
    partsAtSpaces: flagCheck,
    media: inputCheck(mediaRuleSchema),
  },
  ["id", "count"],
);

const wordsCheck = fieldsCheck({ tokens: numberCheck, rest: textCheck }, ["tokens", "rest"]);

const knownAccounts = new WeakSet<object>();

/** An account that `tokenAccount` made: a build relies on each of its methods. */
export const accountCheck: InputCheck = (value, path) => {
  const hint = "tokenAccount(tokenizer) makes one.";
  if (!knownAccounts.has(value as object)) throw wrongInput(path, "an account of tokens", value, { hint });
};

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

import type { JsonObject, ModelMessage } from "@galley/engine";
import type { MessagePart, ProviderOptions, ToolResultOutput } from "@galley/engine/messages";
import type { Card } from "../../store/ports/card-store.ts";
import { contractText, parseResultFields } from "./result-fields.ts";

/** A message with the cards that it is made of. */
export interface CardMessage {
  readonly message: ModelMessage;
  readonly cards: readonly Card[];
}

type Role = ModelMessage["role"];

/** The messages that cards stand for, in order. Neighbours that were parts of one message are one again. */
export function messagesOfCards(cards: readonly Card[]): CardMessage[] {
  const runs: Card[][] = [];
  for (const card of cards) {
    const key = card.metadata["message"];
    const last = runs.at(-1);
    if (key !== undefined && last?.[0]?.metadata["message"] === key) last.push(card);
    else runs.push([card]);
  }
  return runs.map((run) => ({ message: messageOf(run), cards: run }));
}

function messageOf(cards: readonly Card[]): ModelMessage {
  const [first] = cards as readonly [Card];
  const role = roleOf(first);
  const options = first.metadata["messageOptions"] as ProviderOptions | undefined;
  const withOptions = options ? { providerOptions: options } : {};
  const isPlain = first.metadata["message"] === undefined && isText(first);
  const content = isPlain ? textOf(first) : cards.map(partOf);
  return { role, content, ...withOptions } as ModelMessage;
}

/** The role that a card has in a conversation; what says nothing else is a user's word. */
export function roleOf({ content, metadata }: Card): Role {
  if (content.kind === "tool-call") return "assistant";
  const role = metadata["role"];
  if (content.kind === "tool-result") return role === "assistant" ? "assistant" : "tool";
  return role === "system" || role === "assistant" || (role === "tool" && metadata["message"] !== undefined)
    ? role
    : "user";
}

function isText({ content, metadata }: Card): boolean {
  if (content.kind === "text") return metadata["part"] !== "reasoning";
  return content.kind === "fields" || (content.kind === "json" && metadata["part"] !== "raw");
}

/** What a card says where only text can stand. */
export function textOf({ type, content }: Card): string {
  switch (content.kind) {
    case "text":
      return content.text;
    case "json":
      return `${type}:\n${JSON.stringify(content.value, null, 2)}`;
    case "fields":
      return contractText(parseResultFields(content.fields, type));
    case "tool-call":
      return `${content.toolName}(${JSON.stringify(content.input)})`;
    case "tool-result":
      return JSON.stringify(content.output);
    case "file":
      return `${content.name ?? "file"} (${content.mediaType}): ${content.uri}`;
  }
}

function partOf(card: Card): MessagePart {
  const { content, metadata } = card;
  const options = metadata["options"] as ProviderOptions | undefined;
  return { ...barePart(content, metadata, card), ...(options ? { providerOptions: options } : {}) };
}

function barePart(content: Card["content"], metadata: JsonObject, card: Card): MessagePart {
  switch (content.kind) {
    case "text":
      return { type: metadata["part"] === "reasoning" ? "reasoning" : "text", text: content.text };
    case "json":
      return metadata["part"] === "raw"
        ? (content.value as unknown as MessagePart)
        : { type: "text", text: textOf(card) };
    case "fields":
      return { type: "text", text: textOf(card) };
    case "tool-call": {
      const { toolCallId, toolName, input } = content;
      const executed = metadata["providerExecuted"];
      return {
        type: "tool-call",
        toolCallId,
        toolName,
        input,
        ...(typeof executed === "boolean" ? { providerExecuted: executed } : {}),
      };
    }
    case "tool-result": {
      const { toolCallId, toolName } = content;
      return { type: "tool-result", toolCallId, toolName, output: outputOf(content.output) };
    }
    case "file": {
      const { uri, mediaType, name } = content;
      if (metadata["part"] === "image") return { type: "image", image: uri, mediaType };
      return { type: "file", data: uri, mediaType, ...(name === undefined ? {} : { filename: name }) };
    }
  }
}

const outputTypes = new Set(["text", "json", "execution-denied", "error-text", "error-json", "content"]);

/** A card that somebody else wrote may hold any JSON as a result. */
function outputOf(output: unknown): ToolResultOutput {
  if (typeof output === "object" && output !== null && "type" in output && outputTypes.has(String(output.type))) {
    return output as ToolResultOutput;
  }
  return typeof output === "string"
    ? { type: "text", value: output }
    : ({ type: "json", value: output } as ToolResultOutput);
}

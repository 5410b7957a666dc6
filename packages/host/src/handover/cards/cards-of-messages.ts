import type { JsonObject, ModelMessage } from "@galley/engine";
import type { MessagePart, ProviderOptions } from "@galley/engine/messages";
import type { Card, CardContent } from "../../store/ports/card-store.ts";
import { toJson } from "../../store/database/message-body.ts";

/** What every card says about its making. */
export interface CardStamp {
  readonly authorId: string;
  readonly now: number;
  readonly newId: () => string;
}

/**
 * Messages as cards, one for each part. The parts of one message share `metadata.message`, so that they become one message
 * again; `messagesOfCards` is the way back.
 */
export function cardsOfMessages(messages: readonly ModelMessage[], stamp: CardStamp): Card[] {
  return messages.flatMap((message) => cardsOfMessage(message, stamp));
}

function cardsOfMessage({ role, content, providerOptions }: ModelMessage, stamp: CardStamp): Card[] {
  const ofMessage: JsonObject = { role, ...(providerOptions ? { messageOptions: toJson(providerOptions) } : {}) };
  if (typeof content === "string") {
    return [newCard(stamp, typeOfText(role), { kind: "text", text: content }, ofMessage)];
  }
  const message = stamp.newId();
  return content.map((part, index) => {
    const { type, content: held, metadata } = cardOfPart(part, role);
    const options = optionsOf(part);
    const whole = { ...ofMessage, message, ...metadata, ...(options && { options: toJson(options) }) };
    return newCard({ ...stamp, newId: index === 0 ? () => message : stamp.newId }, type, held, whole);
  });
}

export function newCard(
  { authorId, now, newId }: CardStamp,
  type: string,
  content: CardContent,
  metadata: JsonObject,
): Card {
  return { id: newId(), type, content, metadata, authorId, createdAt: now };
}

function typeOfText(role: ModelMessage["role"]): string {
  return role === "assistant" ? "agent.output" : `${role}.message`;
}

function optionsOf(part: MessagePart): ProviderOptions | undefined {
  return "providerOptions" in part ? part.providerOptions : undefined;
}

interface PartCard {
  readonly type: string;
  readonly content: CardContent;
  readonly metadata?: JsonObject;
}

function cardOfPart(part: MessagePart, role: ModelMessage["role"]): PartCard {
  switch (part.type) {
    case "text":
      return { type: typeOfText(role), content: { kind: "text", text: part.text } };
    case "reasoning":
      return { type: "agent.reasoning", content: { kind: "text", text: part.text }, metadata: { part: "reasoning" } };
    case "tool-call": {
      const { toolCallId, toolName, input, providerExecuted } = part;
      return {
        type: "tool.call",
        content: { kind: "tool-call", toolCallId, toolName, input: toJson(input) },
        ...(providerExecuted === undefined ? {} : { metadata: { providerExecuted } }),
      };
    }
    case "tool-result": {
      const { toolCallId, toolName, output } = part;
      const isError = output.type.startsWith("error") || output.type === "execution-denied";
      return {
        type: "tool.result",
        content: { kind: "tool-result", toolCallId, toolName, output: toJson(output), ...(isError ? { isError } : {}) },
      };
    }
    case "image":
      return fileCard(part.image, part.mediaType, undefined, "image") ?? rawCard(part);
    case "file":
      return fileCard(part.data, part.mediaType, part.filename, "file") ?? rawCard(part);
    case "reasoning-file":
    case "custom":
    case "tool-approval-request":
    case "tool-approval-response":
      return rawCard(part);
  }
}

/** A picture or file that lies somewhere else. What is held in the message itself stays as it is. */
function fileCard(
  data: unknown,
  mediaType: string | undefined,
  name: string | undefined,
  part: string,
): PartCard | undefined {
  const uri = data instanceof URL ? data.href : data;
  if (typeof uri !== "string" || mediaType === undefined || !/^[a-z][\w+.-]*:/i.test(uri)) return undefined;
  return {
    type: "agent.file",
    content: { kind: "file", uri, mediaType, ...(name === undefined ? {} : { name }) },
    metadata: { part },
  };
}

function rawCard(part: MessagePart): PartCard {
  const { providerOptions: _, ...rest } = part as MessagePart & { providerOptions?: unknown };
  return { type: "message.part", content: { kind: "json", value: toJson(rest) }, metadata: { part: "raw" } };
}

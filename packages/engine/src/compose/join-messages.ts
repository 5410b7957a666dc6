import type { MessagePart, ModelMessage } from "../model/messages.ts";

type Joinable = Exclude<ModelMessage, { role: "tool" }>;

/** One message that says what all of them say, in the role of the first. Texts are joined; parts follow each other. */
export function joinMessages(messages: readonly ModelMessage[], separator: string): ModelMessage {
  const first = messages[0] as Joinable;
  const texts = messages.map((message) => message.content).filter((content) => typeof content === "string");
  const content =
    texts.length === messages.length
      ? texts.join(separator)
      : messages.flatMap((message): MessagePart[] =>
          typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content,
        );
  // Options such as a cache mark speak of the end of a message, so that the last ones hold.
  const providerOptions = messages.findLast((message) => message.providerOptions)?.providerOptions;
  return { role: first.role, content, ...(providerOptions ? { providerOptions } : {}) } as Joinable;
}

import { listCheck } from "../../model/check-input.ts";
import { anchorSourceCheck } from "./preset-schema.ts";
import type { ChatMessageNode, ChatMessageType, MessageTemplate } from "./preset.ts";

export const builtInAnchors = ["chat_history", "user_profile"] as const;

interface AnchorSource {
  readonly id?: string;
  readonly role: ChatMessageNode["role"] | MessageTemplate["role"];
  readonly type?: ChatMessageType;
}

/** What kind of thing a node or template is; a template may say `placeholder` as its role. */
export function kindOf(source: AnchorSource): ChatMessageType {
  if (typeof source !== "object" || source === null) anchorSourceCheck(source, "source");
  if (source.type !== undefined && source.type !== "message") return source.type;
  return source.role === "placeholder" ? "placeholder" : "message";
}

/** The anchors that an injection may name: the built-in ones, then the placeholders of the list, each once [C8]. */
export function getAvailableAnchors(messages: readonly AnchorSource[]): string[] {
  listCheck(anchorSourceCheck)(messages, "messages");
  const anchors = new Set<string>(builtInAnchors);
  for (const message of messages) {
    if (kindOf(message) === "placeholder" && message.id !== undefined) anchors.add(message.id);
  }
  return [...anchors];
}

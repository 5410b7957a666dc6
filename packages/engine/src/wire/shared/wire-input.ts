import {
  type InputCheck,
  fieldsCheck,
  listCheck,
  numberCheck,
  oneOfCheck,
  textCheck,
} from "../../model/check/input.ts";
import { messageCheck, toolCheck } from "../../model/message-schema.ts";
import type { Problem } from "../../model/check/errors.ts";
import type { ModelMessage, ToolSpec } from "../../model/messages.ts";

/** What an exporter turns into a provider's request. */
export interface WireInput {
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ToolSpec[];
  /** Indexes of messages after which a stable prefix ends. Only Anthropic has such marks, and takes at most four. */
  readonly cacheBreakpoints?: readonly number[];
  /** The model that is asked, where its rules differ from its provider's: Gemini 3 and later want signed calls. */
  readonly model?: string;
  /** For the AI SDK: the format into which the AI SDK turns the messages. Its rules are kept where the SDK does not keep them. */
  readonly behind?: "openai-chat" | "openai-responses" | "anthropic" | "gemini";
}

/** What an exporter left out, added or changed. Codes are public and are never renamed. */
export type WireNoteCode =
  | "empty-left-out"
  | "reasoning-left-out"
  | "approval-left-out"
  | "provider-executed-left-out"
  | "custom-left-out"
  | "system-as-user"
  | "filler-added"
  | "merged"
  | "moved-behind-results"
  | "reordered"
  | "id-changed"
  | "input-wrapped"
  | "trailing-space-trimmed"
  | "file-as-text"
  | "media-moved"
  | "signature-placeholder";

export interface WireNote {
  /** Index in the messages that went in. */
  readonly message: number;
  readonly what: WireNoteCode;
  /** Index of the part within the message's content. */
  readonly part?: number;
  readonly detail?: string;
}

export interface WireExport<Request> {
  readonly request: Request;
  readonly notes: readonly WireNote[];
  /** What could not be exported; paths are those of the input. */
  readonly problems: readonly Problem[];
}

/** What every exporter asks of its input. The messages and tools that passed once are not looked at again. */
export const wireInputCheck: InputCheck = fieldsCheck(
  {
    messages: listCheck(messageCheck),
    tools: listCheck(toolCheck),
    cacheBreakpoints: listCheck(numberCheck),
    model: textCheck,
    behind: oneOfCheck(["openai-chat", "openai-responses", "anthropic", "gemini"]),
  },
  ["messages"],
);

import type { JsonObject } from "../../model/messages.ts";

// The parts of a Messages request that come from a build. Arrays are mutable in type only because the SDK's are; a test
// holds both shapes against each other.

export interface AnthropicCacheControl {
  readonly type: "ephemeral";
}
interface Cacheable {
  readonly cache_control?: AnthropicCacheControl;
}

export type AnthropicImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

export interface AnthropicText extends Cacheable {
  readonly type: "text";
  readonly text: string;
}
export interface AnthropicImage extends Cacheable {
  readonly type: "image";
  readonly source:
    | { readonly type: "base64"; readonly media_type: AnthropicImageType; readonly data: string }
    | { readonly type: "url"; readonly url: string }
    | { readonly type: "file"; readonly file_id: string };
}
export interface AnthropicDocument extends Cacheable {
  readonly type: "document";
  readonly source:
    | { readonly type: "base64"; readonly media_type: "application/pdf"; readonly data: string }
    | { readonly type: "text"; readonly media_type: "text/plain"; readonly data: string }
    | { readonly type: "url"; readonly url: string }
    | { readonly type: "file"; readonly file_id: string };
  readonly title?: string;
}
interface AnthropicToolUse extends Cacheable {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}
export interface AnthropicToolResult extends Cacheable {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?: string | (AnthropicText | AnthropicImage | AnthropicDocument)[];
  readonly is_error?: boolean;
}
interface AnthropicThinking {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature: string;
}
interface AnthropicRedactedThinking {
  readonly type: "redacted_thinking";
  readonly data: string;
}

export type AnthropicBlock =
  | AnthropicText
  | AnthropicImage
  | AnthropicDocument
  | AnthropicToolUse
  | AnthropicToolResult
  | AnthropicThinking
  | AnthropicRedactedThinking;

export interface AnthropicMessage {
  readonly role: "user" | "assistant";
  readonly content: AnthropicBlock[];
}

export interface AnthropicTool extends Cacheable {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: JsonObject & { type: "object" };
}

export interface AnthropicRequest {
  readonly system?: AnthropicText[];
  readonly messages: AnthropicMessage[];
  readonly tools?: AnthropicTool[];
}

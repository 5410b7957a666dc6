import type { JsonObject } from "../../model/messages.ts";

// The parts of a Chat Completions request that come from a build. Arrays are mutable in type only because the SDK's are.

interface OpenAiChatText {
  readonly type: "text";
  readonly text: string;
}
interface OpenAiChatImage {
  readonly type: "image_url";
  readonly image_url: { readonly url: string };
}
interface OpenAiChatAudio {
  readonly type: "input_audio";
  readonly input_audio: { readonly data: string; readonly format: "wav" | "mp3" };
}
interface OpenAiChatFile {
  readonly type: "file";
  readonly file: { readonly file_id: string } | { readonly filename: string; readonly file_data: string };
}
export type OpenAiChatPart = OpenAiChatText | OpenAiChatImage | OpenAiChatAudio | OpenAiChatFile;

export interface OpenAiChatToolCall {
  readonly type: "function";
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface OpenAiChatSystemMessage {
  readonly role: "system";
  readonly content: string;
  readonly name?: string;
}
interface OpenAiChatUserMessage {
  readonly role: "user";
  readonly content: string | OpenAiChatPart[];
  readonly name?: string;
}
export interface OpenAiChatAssistantMessage {
  readonly role: "assistant";
  readonly content?: string | null;
  readonly name?: string;
  readonly tool_calls?: OpenAiChatToolCall[];
}
interface OpenAiChatToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly content: string;
}
export type OpenAiChatMessage =
  | OpenAiChatSystemMessage
  | OpenAiChatUserMessage
  | OpenAiChatAssistantMessage
  | OpenAiChatToolMessage;

export interface OpenAiChatTool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description?: string; readonly parameters: JsonObject };
}

export interface OpenAiChatRequest {
  readonly messages: OpenAiChatMessage[];
  readonly tools?: OpenAiChatTool[];
}

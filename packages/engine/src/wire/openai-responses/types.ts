import type { JsonObject } from "../../model/messages.ts";

// The parts of a Responses request that come from a build. Arrays are mutable in type only because the SDK's are.

interface OpenAiInputText {
  readonly type: "input_text";
  readonly text: string;
}
interface OpenAiInputImage {
  readonly type: "input_image";
  readonly detail: "auto";
  readonly image_url?: string;
  readonly file_id?: string;
}
interface OpenAiInputFile {
  readonly type: "input_file";
  readonly file_id?: string;
  readonly file_url?: string;
  readonly file_data?: string;
  readonly filename?: string;
}
export type OpenAiInputPart = OpenAiInputText | OpenAiInputImage | OpenAiInputFile;

export type OpenAiPhase = "commentary" | "final_answer";

export interface OpenAiInputMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string | OpenAiInputPart[];
  readonly phase?: OpenAiPhase;
}
/** A message of the assistant that keeps its own id, because the reasoning before it refers to it. */
export interface OpenAiOutputMessage {
  readonly type: "message";
  readonly id: string;
  readonly role: "assistant";
  readonly status: "completed";
  readonly content: { readonly type: "output_text"; readonly text: string; readonly annotations: never[] }[];
  readonly phase?: OpenAiPhase;
}
export interface OpenAiReasoningItem {
  readonly type: "reasoning";
  readonly id: string;
  readonly summary: { readonly type: "summary_text"; readonly text: string }[];
  readonly encrypted_content?: string;
}
interface OpenAiFunctionCall {
  readonly type: "function_call";
  readonly id?: string;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}
export interface OpenAiFunctionCallOutput {
  readonly type: "function_call_output";
  readonly call_id: string;
  readonly output: string | OpenAiInputPart[];
}
export type OpenAiInputItem =
  | OpenAiInputMessage
  | OpenAiOutputMessage
  | OpenAiReasoningItem
  | OpenAiFunctionCall
  | OpenAiFunctionCallOutput;

export interface OpenAiResponsesTool {
  readonly type: "function";
  readonly name: string;
  readonly description?: string;
  readonly parameters: JsonObject;
  readonly strict: boolean;
}

export interface OpenAiResponsesRequest {
  readonly instructions?: string;
  readonly input: OpenAiInputItem[];
  readonly tools?: OpenAiResponsesTool[];
}

// Structurally the AI SDK's `ModelMessage`, so that its users need no adapter [M1]. Content arrays are mutable in type
// only because the AI SDK's are; nothing here ever changes one. A test holds both shapes against each other.

/** Anything that JSON can say. */
export type JsonValue = null | string | number | boolean | Readonly<JsonObject> | readonly JsonValue[];
// A type, not an interface: only so do the AI SDK's objects, which are types, fit it.
/** An object of JSON. */
// oxlint-disable-next-line typescript/consistent-type-definitions, typescript/consistent-indexed-object-style
export type JsonObject = { [key: string]: JsonValue | undefined };

export type ProviderOptions = Record<string, JsonObject>;

/** What is said to single providers, by the names of the AI SDK. */
interface Optioned {
  readonly providerOptions?: ProviderOptions;
}

/** The platform's `URL` where there is one; the engine itself needs only its text. */
type UrlObject = typeof globalThis extends { URL: { prototype: infer Url } } ? Url : { readonly href: string };

/** Bytes, as base64 text or as they are. In text, a URL is meant where it parses as one. */
export type DataContent = string | Uint8Array | ArrayBuffer;
export type ProviderReference = Record<string, string> & { type?: never };

export type FileData =
  | { type: "data"; data: DataContent }
  | { type: "url"; url: UrlObject }
  | { type: "reference"; reference: ProviderReference }
  | { type: "text"; text: string };

export interface TextPart extends Optioned {
  readonly type: "text";
  readonly text: string;
}

export interface ImagePart extends Optioned {
  readonly type: "image";
  readonly image: DataContent | UrlObject | ProviderReference;
  readonly mediaType?: string;
}

export interface FilePart extends Optioned {
  readonly type: "file";
  readonly data: FileData | DataContent | UrlObject | ProviderReference;
  readonly filename?: string;
  readonly mediaType: string;
}

export interface ReasoningPart extends Optioned {
  readonly type: "reasoning";
  readonly text: string;
}

export interface ReasoningFilePart extends Optioned {
  readonly type: "reasoning-file";
  readonly data: Extract<FileData, { type: "data" | "url" }> | DataContent | UrlObject;
  readonly mediaType: string;
}

export interface CustomPart extends Optioned {
  readonly type: "custom";
  readonly kind: `${string}.${string}`;
}

export interface ToolCallPart extends Optioned {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly providerExecuted?: boolean;
}

/** The pieces of a tool result that holds more than text. The long list is the AI SDK's. */
export type ToolResultContent =
  | { type: "text"; text: string; providerOptions?: ProviderOptions }
  | { type: "file"; data: FileData; mediaType: string; filename?: string; providerOptions?: ProviderOptions }
  | { type: "file-data"; data: string; mediaType: string; filename?: string; providerOptions?: ProviderOptions }
  | { type: "file-url"; url: string; mediaType?: string; providerOptions?: ProviderOptions }
  | { type: "file-id"; fileId: string | Record<string, string>; providerOptions?: ProviderOptions }
  | { type: "file-reference"; providerReference: ProviderReference; providerOptions?: ProviderOptions }
  | { type: "image-data"; data: string; mediaType: string; providerOptions?: ProviderOptions }
  | { type: "image-url"; url: string; providerOptions?: ProviderOptions }
  | { type: "image-file-id"; fileId: string | Record<string, string>; providerOptions?: ProviderOptions }
  | { type: "image-file-reference"; providerReference: ProviderReference; providerOptions?: ProviderOptions }
  | { type: "custom"; providerOptions?: ProviderOptions };

export type ToolResultOutput =
  | { type: "text"; value: string; providerOptions?: ProviderOptions }
  | { type: "json"; value: JsonValue; providerOptions?: ProviderOptions }
  | { type: "execution-denied"; reason?: string; providerOptions?: ProviderOptions }
  | { type: "error-text"; value: string; providerOptions?: ProviderOptions }
  | { type: "error-json"; value: JsonValue; providerOptions?: ProviderOptions }
  | { type: "content"; value: ToolResultContent[]; providerOptions?: ProviderOptions };

export interface ToolResultPart extends Optioned {
  readonly type: "tool-result";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: ToolResultOutput;
}

export interface ToolApprovalRequest {
  readonly type: "tool-approval-request";
  readonly approvalId: string;
  readonly toolCallId: string;
  readonly reason?: string;
  readonly isAutomatic?: boolean;
  readonly signature?: string;
  readonly inputSchemaInput?: unknown;
}

export interface ToolApprovalResponse {
  readonly type: "tool-approval-response";
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason?: string;
  readonly providerExecuted?: boolean;
}

export type UserPart = TextPart | ImagePart | FilePart;
export type AssistantPart =
  | TextPart
  | CustomPart
  | FilePart
  | ReasoningPart
  | ReasoningFilePart
  | ToolCallPart
  | ToolResultPart
  | ToolApprovalRequest;
export type ToolPart = ToolResultPart | ToolApprovalResponse;
export type MessagePart = UserPart | AssistantPart | ToolPart;

/** What the model is told about its task. */
export interface SystemMessage extends Optioned {
  readonly role: "system";
  readonly content: string;
}

/** What the user says. */
export interface UserMessage extends Optioned {
  readonly role: "user";
  readonly content: string | UserPart[];
}

/** What the model says, thinks and calls. */
export interface AssistantMessage extends Optioned {
  readonly role: "assistant";
  readonly content: string | AssistantPart[];
}

/** The results of tool calls. */
export interface ToolMessage extends Optioned {
  readonly role: "tool";
  readonly content: ToolPart[];
}

/** One message of a model's input. */
export type ModelMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;
export type MessageRole = ModelMessage["role"];

/** A tool as described to a model. */
export interface ToolSpec {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonObject;
}

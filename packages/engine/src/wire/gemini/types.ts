import type { JsonObject, JsonValue } from "../../model/messages.ts";

// The parts of a Gemini request that come from a build, by the names of the REST API and of the JavaScript SDK. Arrays
// are mutable in type only because the SDK's are.

interface Signed {
  readonly thoughtSignature?: string;
}
interface GeminiText extends Signed {
  readonly text: string;
  readonly thought?: true;
}
interface GeminiInlineData extends Signed {
  readonly inlineData: { readonly mimeType: string; readonly data: string };
}
interface GeminiFileData extends Signed {
  readonly fileData: { readonly fileUri: string; readonly mimeType?: string };
}
interface GeminiFunctionCall extends Signed {
  readonly functionCall: { readonly name: string; readonly args: JsonObject };
}
interface GeminiFunctionResponse {
  readonly functionResponse: { readonly name: string; readonly response: Record<string, JsonValue> };
}
export type GeminiPart = GeminiText | GeminiInlineData | GeminiFileData | GeminiFunctionCall | GeminiFunctionResponse;

export interface GeminiContent {
  readonly role: "user" | "model";
  readonly parts: GeminiPart[];
}

export interface GeminiFunctionDeclaration {
  readonly name: string;
  readonly description?: string;
  readonly parametersJsonSchema: JsonObject;
}

/** `contents` is a parameter of its own; the SDK takes the other two in `config`. */
export interface GeminiRequest {
  readonly systemInstruction?: { readonly parts: { readonly text: string }[] };
  readonly contents: GeminiContent[];
  readonly tools?: { readonly functionDeclarations: GeminiFunctionDeclaration[] }[];
}

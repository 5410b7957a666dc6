import type { GeminiContent, GeminiPart } from "./types.ts";

/** Google's own placeholder for calls that the model did not make itself. */
const placeholder = "skip_thought_signature_validator";

export interface SignedContents {
  readonly contents: GeminiContent[];
  readonly added: number;
}

/**
 * Gemini 3 and later refuse a step of the running turn whose first call has no signature. History that came from another
 * model has none: there Google's placeholder stands in.
 */
export function signRunningTurn(contents: GeminiContent[], model: string | undefined): SignedContents {
  const generation = Number(/gemini-(\d+)/.exec(model ?? "")?.[1] ?? 0);
  if (generation < 3) return { contents, added: 0 };
  const start = contents.findLastIndex(({ role, parts }) => role === "user" && !parts.some(isResponse));
  let added = 0;
  const signed = contents.map((content, index) => {
    const first = content.parts.findIndex((part) => "functionCall" in part);
    const call = content.parts[first];
    if (index < start || content.role !== "model" || !call || isResponse(call)) return content;
    if (call.thoughtSignature !== undefined) return content;
    added += 1;
    return { ...content, parts: content.parts.with(first, { ...call, thoughtSignature: placeholder }) };
  });
  return { contents: signed, added };
}

function isResponse(part: GeminiPart): part is Extract<GeminiPart, { functionResponse: unknown }> {
  return "functionResponse" in part;
}

import type { Content, FunctionDeclaration } from "@google/genai";
import * as z from "zod";
import { type Judge, type Ruling, doubled } from "./ruling.ts";

// Written from the declarations of `@google/genai` and the API's reference: a part holds exactly one kind of data.

const filled = z.string().min(1);
const functionName = z.string().regex(/^[a-zA-Z_][\w.:-]{0,127}$/);
const signed = { thoughtSignature: filled.exactOptional() };
const part = z.union([
  z.strictObject({ text: filled, thought: z.boolean().exactOptional(), ...signed }),
  z.strictObject({ inlineData: z.strictObject({ mimeType: filled, data: filled }), ...signed }),
  z.strictObject({ fileData: z.strictObject({ mimeType: filled.exactOptional(), fileUri: filled }), ...signed }),
  z.strictObject({
    functionCall: z.strictObject({
      id: filled.exactOptional(),
      name: functionName,
      args: z.record(z.string(), z.unknown()).exactOptional(),
    }),
    ...signed,
  }),
  z.strictObject({
    functionResponse: z.strictObject({
      id: filled.exactOptional(),
      name: functionName,
      response: z.record(z.string(), z.unknown()),
      parts: z.array(z.looseObject({})).exactOptional(),
    }),
    ...signed,
  }),
]);
const content = z.strictObject({ role: z.enum(["user", "model"]), parts: z.array(part).min(1) });
const declaration = z.strictObject({
  name: functionName,
  description: z.string().exactOptional(),
  parameters: z.looseObject({}).exactOptional(),
  parametersJsonSchema: z.looseObject({}).exactOptional(),
});

// These compile only while whatever passes here is of the SDK's own types.
type GeminiContent = z.output<typeof content>;
export const isOfTheSdk = {
  content: (value: GeminiContent): Content => value,
  declaration: (value: Omit<z.output<typeof declaration>, "parameters">): FunctionDeclaration => value,
};

const body = z.looseObject({
  contents: z.array(content).min(1),
  systemInstruction: z
    .strictObject({ role: z.string().exactOptional(), parts: z.array(z.strictObject({ text: filled })).min(1) })
    .exactOptional(),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(declaration).min(1) })).exactOptional(),
});

export const judgeGemini: Judge<typeof body> = {
  schema: body,
  rules: ({ contents, tools = [] }) => [
    ...doubled(
      tools.flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name)),
      "tools",
    ),
    ...rulings(contents),
  ],
};

function rulings(contents: readonly GeminiContent[]): Ruling[] {
  const found: Ruling[] = [];
  const last = contents.at(-1);
  if (last?.role !== "user")
    found.push({ path: "contents", why: "Please ensure that the last content is of the user" });
  for (const [index, { role, parts }] of contents.entries()) {
    const path = `contents[${index}]`;
    const before = contents[index - 1];
    const callsBefore = namesOf(before?.parts ?? [], "functionCall");
    const calls = namesOf(parts, "functionCall");
    const results = namesOf(parts, "functionResponse");
    if (calls.length > 0 && role !== "model") found.push({ path, why: "only the model calls functions" });
    if (calls.length > 0 && before?.role !== "user") {
      found.push({
        path,
        why: "function call turn must come immediately after a user turn or a function response turn",
      });
    }
    if (results.length > 0 && role !== "user") found.push({ path, why: "function responses are of the user" });
    const isAnswered = [...callsBefore].sort().join() === [...results].sort().join();
    if (!isAnswered) {
      const why = "the number of function response parts must equal the number of function call parts before it";
      found.push({ path, why: `${why}: ${results.join() || "none"} for ${callsBefore.join() || "none"}` });
    }
  }
  return found;
}

function namesOf(parts: GeminiContent["parts"], kind: "functionCall" | "functionResponse"): string[] {
  return parts.flatMap((one) => {
    if (kind === "functionCall") return "functionCall" in one ? [one.functionCall.name] : [];
    return "functionResponse" in one ? [one.functionResponse.name] : [];
  });
}

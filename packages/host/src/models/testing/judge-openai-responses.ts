import type { ResponseInputItem, Tool } from "openai/resources/responses/responses";
import * as z from "zod";
import { type Judge, type Ruling, doubled, isJsonObject } from "./ruling.ts";

// Written from the declarations of the `openai` package, as its neighbour for chat completions is.

const functionName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const callId = z.string().min(1).max(64);
const filled = z.string().min(1);
const inputText = z.strictObject({ type: z.literal("input_text"), text: filled });
const inputImage = z.strictObject({
  type: z.literal("input_image"),
  detail: z.enum(["auto", "low", "high", "original"]).default("auto"),
  image_url: z
    .string()
    .regex(/^(https?:|data:)/)
    .exactOptional(),
  file_id: filled.exactOptional(),
});
const inputFile = z.strictObject({
  type: z.literal("input_file"),
  file_data: filled.exactOptional(),
  file_url: filled.exactOptional(),
  file_id: filled.exactOptional(),
  filename: filled.exactOptional(),
});
const input = z.discriminatedUnion("type", [inputText, inputImage, inputFile]);
const inputContent = z.union([filled, z.array(input).min(1)]);
const message = z.literal("message").exactOptional();
const status = z.enum(["in_progress", "completed", "incomplete"]);

const spoken = z.strictObject({
  type: message,
  role: z.enum(["user", "system", "developer"]),
  content: inputContent,
});
const outputText = z.strictObject({
  type: z.literal("output_text"),
  text: filled,
  annotations: z.array(z.never()).default([]),
});
const answered = z.union([
  z.strictObject({ type: message, role: z.literal("assistant"), content: filled }),
  z.strictObject({
    type: z.literal("message").default("message"),
    id: filled.default("msg_1"),
    role: z.literal("assistant"),
    status: status.default("completed"),
    content: z.array(outputText).min(1),
  }),
]);
const called = z.strictObject({
  type: z.literal("function_call"),
  call_id: callId,
  name: functionName,
  arguments: z.string().refine(isJsonObject, "is not a JSON object"),
  id: z.string().startsWith("fc").exactOptional(),
  status: status.exactOptional(),
});
const returned = z.strictObject({
  type: z.literal("function_call_output"),
  call_id: callId,
  output: z.union([z.string(), z.array(input).min(1)]),
  status: status.exactOptional(),
});
const reasoned = z.strictObject({
  type: z.literal("reasoning"),
  id: z.string().default("rs_1"),
  summary: z.array(z.strictObject({ type: z.literal("summary_text"), text: z.string() })),
  encrypted_content: filled.nullable().exactOptional(),
});
const item = z.union([spoken, answered, called, returned, reasoned]);

const tool = z.strictObject({
  type: z.literal("function"),
  name: functionName,
  description: z.string().exactOptional(),
  parameters: z.record(z.string(), z.unknown()).refine(({ type }) => type === "object", "is not an object"),
  strict: z.boolean().nullable().default(null),
});

// These compile only while whatever passes here is of the SDK's own types.
type Item = z.output<typeof item>;
export const isOfTheSdk = {
  item: (value: Item): ResponseInputItem => value,
  tool: (value: z.output<typeof tool>): Tool => value,
};

const body = z.looseObject({
  model: filled,
  instructions: filled.exactOptional(),
  input: z.union([filled, z.array(item).min(1)]),
  tools: z.array(tool).min(1).exactOptional(),
});

export const judgeOpenAiResponses: Judge<typeof body> = {
  schema: body,
  rules: ({ input: items, tools = [] }) => {
    const names = doubled(
      tools.map(({ name }) => name),
      "tools",
    );
    return typeof items === "string" ? names : [...names, ...rulings(items)];
  },
};

function rulings(items: readonly Item[]): Ruling[] {
  const found: Ruling[] = [];
  const open = new Set<string>();
  const known = new Set<string>();
  for (const [index, one] of items.entries()) {
    const path = `input[${index}]`;
    if (one.type === "function_call") {
      if (known.has(one.call_id)) found.push({ path, why: `${one.call_id} was called before` });
      known.add(one.call_id);
      open.add(one.call_id);
    } else if (one.type === "function_call_output") {
      if (!open.delete(one.call_id)) found.push({ path, why: "No tool call found for function call output" });
    } else if (one.type === "reasoning") {
      const next = items[index + 1];
      if (next === undefined) found.push({ path, why: "reasoning without the item that it led to" });
    }
  }
  for (const id of open) found.push({ path: "input", why: `No tool output found for function call ${id}` });
  return found;
}

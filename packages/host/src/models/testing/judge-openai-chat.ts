import type { ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources/chat/completions";
import * as z from "zod";
import { type Judge, type Ruling, doubled, isJsonObject } from "./ruling.ts";

// Written from the declarations of the `openai` package and from what its API is known to refuse; our own validators of
// this format are not looked at, so that the two can contradict each other.

const functionName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const callId = z.string().min(1).max(40);
const filled = z.string().min(1);
const textPart = z.strictObject({ type: z.literal("text"), text: filled });
const address = z.string().regex(/^(https?:|data:)/);
const userPart = z.discriminatedUnion("type", [
  textPart,
  z.strictObject({
    type: z.literal("image_url"),
    image_url: z.strictObject({ url: address, detail: z.enum(["auto", "low", "high"]).exactOptional() }),
  }),
  z.strictObject({
    type: z.literal("input_audio"),
    input_audio: z.strictObject({ data: filled, format: z.enum(["wav", "mp3"]) }),
  }),
  z.strictObject({
    type: z.literal("file"),
    file: z.strictObject({
      file_data: filled.exactOptional(),
      file_id: filled.exactOptional(),
      filename: filled.exactOptional(),
    }),
  }),
]);
const texts = z.union([filled, z.array(textPart).min(1)]);
const speaker = {
  name: z
    .string()
    .regex(/^[^\s<|\\/>]{1,64}$/)
    .exactOptional(),
};

const message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content: texts, ...speaker }),
  z.strictObject({ role: z.literal("developer"), content: texts, ...speaker }),
  z.strictObject({ role: z.literal("user"), content: z.union([filled, z.array(userPart).min(1)]), ...speaker }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.union([z.string(), z.null(), z.array(textPart).min(1)]).exactOptional(),
    tool_calls: z
      .array(
        z.strictObject({
          id: callId,
          type: z.literal("function"),
          function: z.strictObject({
            name: functionName,
            arguments: z.string().refine(isJsonObject, "is not a JSON object"),
          }),
        }),
      )
      .min(1)
      .exactOptional(),
    // Not OpenAI's own: DeepSeek, vLLM and others give reasoning under this name, and some want it back.
    reasoning_content: z.string().exactOptional(),
    ...speaker,
  }),
  z.strictObject({
    role: z.literal("tool"),
    tool_call_id: callId,
    content: z.union([z.string(), z.array(textPart).min(1)]),
  }),
]);

const tool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({
    name: functionName,
    description: z.string().exactOptional(),
    parameters: z
      .record(z.string(), z.unknown())
      .refine(({ type }) => type === "object", "is not an object")
      .exactOptional(),
    strict: z.boolean().exactOptional(),
  }),
});

// These compile only while whatever passes here is of the SDK's own types.
type Message = z.output<typeof message>;
export const isOfTheSdk = {
  message: (value: Message): ChatCompletionMessageParam => value,
  tool: (value: z.output<typeof tool>): ChatCompletionTool => value,
};

const body = z.looseObject({
  model: filled,
  messages: z.array(message).min(1),
  tools: z.array(tool).min(1).exactOptional(),
});

export const judgeOpenAiChat: Judge<typeof body> = {
  schema: body,
  rules: ({ messages, tools = [] }) => rulings(messages, tools),
};

function rulings(messages: readonly Message[], tools: readonly z.output<typeof tool>[]): Ruling[] {
  const found: Ruling[] = doubled(
    tools.map((one) => one.function.name),
    "tools",
  );
  let open = new Set<string>();
  for (const [index, one] of messages.entries()) {
    const path = `messages[${index}]`;
    if (one.role === "tool") {
      if (!open.delete(one.tool_call_id)) found.push({ path, why: "answers no call of the message before" });
      continue;
    }
    if (open.size > 0) found.push({ path, why: `calls without results: ${[...open].join(", ")}` });
    open = new Set();
    if (one.role !== "assistant") continue;
    const ids = (one.tool_calls ?? []).map(({ id }) => id);
    found.push(...doubled(ids, `${path}.tool_calls`));
    const isEmpty = one.content === undefined || one.content === null || one.content === "";
    if (isEmpty && ids.length === 0) found.push({ path, why: "says nothing and calls nothing" });
    open = new Set(ids);
  }
  if (open.size > 0) found.push({ path: "messages", why: `calls without results: ${[...open].join(", ")}` });
  return found;
}

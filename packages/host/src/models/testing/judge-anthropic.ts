import type { MessageParam, TextBlockParam, Tool } from "@anthropic-ai/sdk/resources/messages";
import * as z from "zod";
import { type Judge, type Ruling, doubled } from "./ruling.ts";

// Written from the declarations of `@anthropic-ai/sdk` and from the refusals that its documentation names.

const filled = z.string().min(1);
const visible = z.string().regex(/\S/, "text content blocks must contain non-whitespace text");
const cached = {
  cache_control: z
    .strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).exactOptional() })
    .exactOptional(),
};
const text = z.strictObject({ type: z.literal("text"), text: visible, ...cached });
const image = z.strictObject({
  type: z.literal("image"),
  source: z.union([
    z.strictObject({
      type: z.literal("base64"),
      media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]),
      data: filled,
    }),
    z.strictObject({ type: z.literal("url"), url: z.url() }),
  ]),
  ...cached,
});
const document = z.strictObject({
  type: z.literal("document"),
  source: z.union([
    z.strictObject({ type: z.literal("base64"), media_type: z.literal("application/pdf"), data: filled }),
    z.strictObject({ type: z.literal("text"), media_type: z.literal("text/plain"), data: z.string() }),
    z.strictObject({ type: z.literal("url"), url: z.url() }),
  ]),
  title: filled.max(500).exactOptional(),
  ...cached,
});
const toolId = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/);
const result = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: toolId,
  content: z.union([z.string(), z.array(z.discriminatedUnion("type", [text, image, document]))]).exactOptional(),
  is_error: z.boolean().exactOptional(),
  ...cached,
});
const use = z.strictObject({
  type: z.literal("tool_use"),
  id: toolId,
  name: toolName,
  input: z.record(z.string(), z.unknown()),
  ...cached,
});
const thinking = z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: filled });
const redacted = z.strictObject({ type: z.literal("redacted_thinking"), data: filled });

const message = z.discriminatedUnion("role", [
  z.strictObject({
    role: z.literal("user"),
    content: z.union([visible, z.array(z.discriminatedUnion("type", [text, image, document, result])).min(1)]),
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.union([visible, z.array(z.discriminatedUnion("type", [text, use, thinking, redacted])).min(1)]),
  }),
]);
const tool = z.strictObject({
  name: toolName,
  description: z.string().exactOptional(),
  input_schema: z.looseObject({ type: z.literal("object") }),
  ...cached,
});

// These compile only while whatever passes here is of the SDK's own types.
type Message = z.output<typeof message>;
export const isOfTheSdk = {
  message: (value: Message): MessageParam => value,
  system: (value: z.output<typeof text>): TextBlockParam => value,
  tool: (value: z.output<typeof tool>): Tool => value,
};

const body = z.looseObject({
  model: filled,
  max_tokens: z.int().positive(),
  system: z.union([visible, z.array(text).min(1)]).exactOptional(),
  messages: z.array(message).min(1),
  tools: z.array(tool).exactOptional(),
});

export const judgeAnthropic: Judge<typeof body> = {
  schema: body,
  rules: (request) => [
    ...doubled(
      (request.tools ?? []).map(({ name }) => name),
      "tools",
    ),
    ...marks(request),
    ...order(request.messages),
    ...pairs(request.messages),
  ],
};

function marks(request: z.output<typeof body>): Ruling[] {
  const count = JSON.stringify([request.system, request.messages, request.tools]).split('"cache_control"').length - 1;
  return count > 4
    ? [{ path: "", why: `A maximum of 4 blocks with cache_control may be provided. Found ${count}.` }]
    : [];
}

function order(messages: readonly Message[]): Ruling[] {
  const found: Ruling[] = [];
  if (messages[0]?.role !== "user") found.push({ path: "messages[0]", why: "first message must use the user role" });
  for (const [index, { role }] of messages.entries()) {
    if (messages[index - 1]?.role === role) found.push({ path: `messages[${index}]`, why: "roles must alternate" });
  }
  const last = messages.at(-1);
  if (last?.role !== "assistant") return found;
  const end = typeof last.content === "string" ? last.content : last.content.at(-1);
  const said = typeof end === "string" ? end : end?.type === "text" ? end.text : "";
  if (/\s$/.test(said))
    found.push({ path: "messages", why: "final assistant content cannot end with trailing whitespace" });
  return found;
}

function pairs(messages: readonly Message[]): Ruling[] {
  const found: Ruling[] = [];
  let open = new Set<string>();
  for (const [index, { role, content }] of messages.entries()) {
    const path = `messages[${index}]`;
    const blocks = typeof content === "string" ? [] : content;
    const results = blocks.filter((block) => block.type === "tool_result");
    if (role === "user") {
      const behind = blocks.findIndex((block) => block.type !== "tool_result");
      if (behind >= 0 && behind < results.length) found.push({ path, why: "tool_result blocks must come first" });
    }
    for (const { tool_use_id: id } of results) {
      if (!open.delete(id)) found.push({ path, why: `unexpected tool_use_id found in tool_result blocks: ${id}` });
    }
    for (const id of open) found.push({ path, why: `tool_use ids were found without tool_result blocks: ${id}` });
    const ids = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    found.push(...doubled(ids, path));
    open = new Set(ids);
  }
  if (open.size > 0) found.push({ path: "messages", why: "the last message calls tools that nothing answers" });
  return found;
}

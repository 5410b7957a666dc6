import * as z from "zod";
import { type InputCheck, inputCheck, issuesOf, throwProblems } from "./check-input.ts";
import type { ModelMessage, ToolSpec } from "./messages.ts";
import { isPlainContent } from "./plain-message.ts";
import { problemsOf } from "./zod-problems.ts";

// Objects are loose: an unknown field belongs to another program and is kept.
const providerOptions = z.record(z.string(), z.record(z.string(), z.unknown())).optional();
const bytes = z.union([z.string(), z.instanceof(Uint8Array), z.instanceof(ArrayBuffer)]);
const href = z.custom<{ href: string }>((value) => typeof value === "object" && value !== null && "href" in value);
// Saved as JSON, a URL object becomes its text.
const url = z.union([href, z.string()]);
// What has a type is one of the forms of a file.
const reference = z.record(z.string(), z.string()).refine((value) => !("type" in value), "Unknown type of data");

const fileData = z.union([
  z.looseObject({ type: z.literal("data"), data: bytes }),
  z.looseObject({ type: z.literal("url"), url }),
  z.looseObject({ type: z.literal("reference"), reference }),
  z.looseObject({ type: z.literal("text"), text: z.string() }),
]);
const anyData = z.union([bytes, fileData, href, reference]);

function partSchema<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.looseObject({ type: z.literal(type), ...shape, providerOptions });
}

const text = partSchema("text", { text: z.string() });
const image = partSchema("image", { image: z.union([bytes, href, reference]), mediaType: z.string().optional() });
const file = partSchema("file", { data: anyData, filename: z.string().optional(), mediaType: z.string() });
const reasoning = partSchema("reasoning", { text: z.string() });
const reasoningFile = partSchema("reasoning-file", { data: anyData, mediaType: z.string() });
const custom = partSchema("custom", { kind: z.string() });
const toolCall = partSchema("tool-call", {
  toolCallId: z.string(),
  toolName: z.string(),
  input: z.unknown(),
  providerExecuted: z.boolean().optional(),
});
const fileId = z.union([z.string(), reference]);
const knownPieces = z.discriminatedUnion("type", [
  text,
  partSchema("file", { data: fileData, mediaType: z.string(), filename: z.string().optional() }),
  partSchema("file-data", { data: z.string(), mediaType: z.string(), filename: z.string().optional() }),
  partSchema("file-url", { url: z.string(), mediaType: z.string().optional() }),
  partSchema("file-id", { fileId }),
  partSchema("file-reference", { providerReference: reference }),
  partSchema("image-data", { data: z.string(), mediaType: z.string() }),
  partSchema("image-url", { url: z.string() }),
  partSchema("image-file-id", { fileId }),
  partSchema("image-file-reference", { providerReference: reference }),
]);
/** Pieces of types that this version does not know are kept, and sent to no provider. */
const piece = z.looseObject({ type: z.string() }).superRefine((value, context) => {
  const issues = knownPieces.safeParse(value).error?.issues ?? [];
  for (const { path, message } of issues) {
    if (path[0] !== "type") context.addIssue({ code: "custom", path, message });
  }
});
const output = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), value: z.string() }),
  z.looseObject({ type: z.literal("json"), value: z.unknown() }),
  z.looseObject({ type: z.literal("execution-denied"), reason: z.string().optional() }),
  z.looseObject({ type: z.literal("error-text"), value: z.string() }),
  z.looseObject({ type: z.literal("error-json"), value: z.unknown() }),
  z.looseObject({
    type: z.literal("content"),
    value: z.array(piece),
  }),
]);
const toolResult = partSchema("tool-result", { toolCallId: z.string(), toolName: z.string(), output });
const approvalRequest = z.looseObject({
  type: z.literal("tool-approval-request"),
  approvalId: z.string(),
  toolCallId: z.string(),
});
const approvalResponse = z.looseObject({
  type: z.literal("tool-approval-response"),
  approvalId: z.string(),
  approved: z.boolean(),
});

const userParts = z.discriminatedUnion("type", [text, image, file]);
const assistantParts = z.discriminatedUnion("type", [
  text,
  custom,
  file,
  reasoning,
  reasoningFile,
  toolCall,
  toolResult,
  approvalRequest,
]);
const toolParts = z.discriminatedUnion("type", [toolResult, approvalResponse]);

const message = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal("system"), content: z.string(), providerOptions }),
  z.looseObject({ role: z.literal("user"), content: z.union([z.string(), z.array(userParts)]), providerOptions }),
  z.looseObject({
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(assistantParts)]),
    providerOptions,
  }),
  z.looseObject({ role: z.literal("tool"), content: z.array(toolParts), providerOptions }),
]);

/** Checks a message from outside. The type says less than the schema about bytes and URLs, hence the cast. */
export const messageSchema = message as unknown as z.ZodType<ModelMessage>;

export const toolSpecSchema: z.ZodType<ToolSpec> = z.looseObject({
  name: z.string().min(1),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
}) as unknown as z.ZodType<ToolSpec>;

const anyMessageCheck = inputCheck(messageSchema);

/** Checks a message; one that is not plain only once, however often it is given. */
export const messageCheck: InputCheck = (value, path) => {
  const isPlain = isPlainContent(value) && !("providerOptions" in (value as object));
  if (!isPlain) anyMessageCheck(value, path);
};
/** The same for a tool. */
export const toolCheck: InputCheck = inputCheck(toolSpecSchema);

/** Takes a list of tool specs from outside; throws with every problem when it cannot be used. */
export function parseTools(value: unknown): readonly ToolSpec[] {
  throwProblems(problemsOf(issuesOf(z.array(toolSpecSchema), value), "ContextInvalidInput", "tools"));
  return value as readonly ToolSpec[];
}

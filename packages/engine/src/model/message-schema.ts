import * as z from "zod";
import { type InputCheck, inputCheck, issuesOf, throwProblems } from "./check/input.ts";
import type { ModelMessage, ToolSpec } from "./messages.ts";
import { isPlainContent } from "./check/plain-message.ts";
import { problemsOf } from "./check/zod-problems.ts";

// Objects are loose: an unknown field belongs to another program and is kept. Every schema is made with its first check:
// making them all takes longer than loading the rest of the engine [J4].

function dataSchemas() {
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
  return { bytes, href, reference, fileData, anyData: z.union([bytes, fileData, href, reference]) };
}

function partSchema<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.looseObject({ type: z.literal(type), ...shape, providerOptions: providerOptions() });
}

function providerOptions() {
  return z.record(z.string(), z.record(z.string(), z.unknown())).optional();
}

/** Pieces of types that this version does not know are kept, and sent to no provider. */
function pieceSchema({ reference, fileData }: ReturnType<typeof dataSchemas>) {
  const fileId = z.union([z.string(), reference]);
  const known = z.discriminatedUnion("type", [
    partSchema("text", { text: z.string() }),
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
  return z.looseObject({ type: z.string() }).superRefine((value, context) => {
    const issues = known.safeParse(value).error?.issues ?? [];
    for (const { path, message } of issues) {
      if (path[0] !== "type") context.addIssue({ code: "custom", path, message });
    }
  });
}

function outputSchema(data: ReturnType<typeof dataSchemas>) {
  return z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("text"), value: z.string() }),
    z.looseObject({ type: z.literal("json"), value: z.unknown() }),
    z.looseObject({ type: z.literal("execution-denied"), reason: z.string().optional() }),
    z.looseObject({ type: z.literal("error-text"), value: z.string() }),
    z.looseObject({ type: z.literal("error-json"), value: z.unknown() }),
    z.looseObject({ type: z.literal("content"), value: z.array(pieceSchema(data)) }),
  ]);
}

function partSchemas() {
  const data = dataSchemas();
  const { bytes, href, reference, anyData } = data;
  const text = partSchema("text", { text: z.string() });
  const image = partSchema("image", { image: z.union([bytes, href, reference]), mediaType: z.string().optional() });
  const file = partSchema("file", { data: anyData, filename: z.string().optional(), mediaType: z.string() });
  const call = { toolCallId: z.string(), toolName: z.string() };
  const toolResult = partSchema("tool-result", { ...call, output: outputSchema(data) });
  const toolCall = partSchema("tool-call", { ...call, input: z.unknown(), providerExecuted: z.boolean().optional() });
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
  return {
    user: z.discriminatedUnion("type", [text, image, file]),
    assistant: z.discriminatedUnion("type", [
      text,
      partSchema("custom", { kind: z.string() }),
      file,
      partSchema("reasoning", { text: z.string() }),
      partSchema("reasoning-file", { data: anyData, mediaType: z.string() }),
      toolCall,
      toolResult,
      approvalRequest,
    ]),
    tool: z.discriminatedUnion("type", [toolResult, approvalResponse]),
  };
}

function anyMessageSchema() {
  const { user, assistant, tool } = partSchemas();
  const options = providerOptions();
  const message = <Role extends string, Content extends z.ZodType>(role: Role, content: Content) =>
    z.looseObject({ role: z.literal(role), content, providerOptions: options });
  return z.discriminatedUnion("role", [
    message("system", z.string()),
    message("user", z.union([z.string(), z.array(user)])),
    message("assistant", z.union([z.string(), z.array(assistant)])),
    message("tool", z.array(tool)),
  ]);
}

/** Checks a message from outside. The type says less than the schema about bytes and URLs, hence the cast. */
export const messageSchema = z.lazy(anyMessageSchema) as unknown as z.ZodType<ModelMessage>;

export const toolSpecSchema: z.ZodType<ToolSpec> = z.lazy(() =>
  z.looseObject({
    name: z.string().min(1),
    description: z.string().optional(),
    inputSchema: z.record(z.string(), z.unknown()),
  }),
) as unknown as z.ZodType<ToolSpec>;

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

import { type CanonicalOptions, canonicalJson } from "./canonical-json.ts";
import type { MessagePart, ModelMessage } from "./messages.ts";

/**
 * The canonical JSON of a message. Nearly all messages have one of a few shapes: written with their keys in order, these
 * become the same text in a single step.
 */
export function canonicalMessage(message: ModelMessage, options: CanonicalOptions): string {
  const ordered = options.writeText ? undefined : inOrder(message);
  return ordered ? JSON.stringify(ordered) : canonicalJson(message, options);
}

/** Nothing for a message that has anything but what is expected. */
function inOrder(message: ModelMessage): object | undefined {
  const { content, role } = message;
  if (typeof role !== "string" || Object.keys(message).length !== 2) return undefined;
  if (typeof content === "string") return { content, role };
  if (!Array.isArray(content)) return undefined;
  const parts: object[] = [];
  for (const part of content) {
    const ordered = partInOrder(part);
    if (!ordered) return undefined;
    parts.push(ordered);
  }
  return { content: parts, role };
}

function partInOrder(part: MessagePart): object | undefined {
  if (part.type === "text" || part.type === "reasoning") {
    const { text, type } = part;
    return typeof text === "string" && Object.keys(part).length === 2 ? { text, type } : undefined;
  }
  if (part.type !== "tool-call" && part.type !== "tool-result") return undefined;
  const { toolCallId, toolName } = part;
  if (typeof toolCallId !== "string" || typeof toolName !== "string" || Object.keys(part).length !== 4)
    return undefined;
  if (part.type === "tool-call") {
    const input = valueInOrder(part.input, 0);
    return input === undefined ? undefined : { input, toolCallId, toolName, type: part.type };
  }
  const { type, value } = part.output as { type: unknown; value?: unknown };
  if (type !== "text" || typeof value !== "string" || Object.keys(part.output).length !== 2) return undefined;
  return { output: { type, value }, toolCallId, toolName, type: part.type };
}

const maxDepth = 50;

/** The value itself where its keys are in order, or a copy where they can be put so; nothing for all that is unusual. */
function valueInOrder(value: unknown, depth: number): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "object" || depth > maxDepth) return undefined;
  if (Array.isArray(value)) return listInOrder(value, depth);
  if (Object.getPrototypeOf(value) !== Object.prototype) return undefined;
  const fields = value as Record<string, unknown>;
  const keys = Object.keys(fields);
  let isSame = true;
  for (let index = 1; index < keys.length; index += 1) isSame &&= (keys[index - 1] as string) < (keys[index] as string);
  const copy: Record<string, unknown> = {};
  for (const key of isSame ? keys : keys.sort()) {
    const field = valueInOrder(fields[key], depth + 1);
    // Keys that are numbers never stand in the order of their letters.
    if (field === undefined || key === "__proto__" || key === "toJSON" || isIndex(key)) return undefined;
    isSame &&= field === fields[key];
    copy[key] = field;
  }
  return isSame ? value : copy;
}

function listInOrder(list: readonly unknown[], depth: number): readonly unknown[] | undefined {
  const copy: unknown[] = [];
  for (const item of list) {
    const ordered = valueInOrder(item, depth + 1);
    if (ordered === undefined) return undefined;
    copy.push(ordered);
  }
  return copy;
}

function isIndex(key: string): boolean {
  const code = key.charCodeAt(0);
  return code >= 0x30 && code <= 0x39;
}

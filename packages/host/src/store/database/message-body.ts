import type { JsonValue } from "@galley/engine";

/** What a message holds as JSON, with its keys in the order that was sent; bytes as base64 text. */
export function messageBody(content: unknown): string {
  return isText(content) ? JSON.stringify(content) : bodyWithBytes(content);
}

/** Whether it is a message of nothing but words, as most are: it holds no bytes. */
function isText(content: unknown): boolean {
  if (typeof content !== "object" || content === null || Object.keys(content).length !== 2) return false;
  if (!("role" in content) || typeof content.role !== "string") return false;
  return "content" in content && typeof content.content === "string";
}

function bodyWithBytes(content: unknown): string {
  return JSON.stringify(content, function (this: Record<string, unknown>, key: string, value: unknown) {
    // Buffers have become something else by now; their owner still has them.
    const own = this[key];
    if (ArrayBuffer.isView(own)) return Buffer.from(own.buffer, own.byteOffset, own.byteLength).toString("base64");
    if (typeof own === "bigint") return String(own);
    return own instanceof ArrayBuffer ? Buffer.from(own).toString("base64") : value;
  });
}

/** The same as a value: URLs become their text, and what JSON has no word for is left out. */
export function toJson(value: unknown): JsonValue {
  const body: string | undefined = messageBody(value);
  return body === undefined ? null : (JSON.parse(body) as JsonValue);
}

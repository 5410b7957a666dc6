import type { ModelMessage, ToolSpec } from "@galley/engine";

/** A message as JSON with its keys in the order that was sent; bytes as base64 text. */
export function messageBody(content: ModelMessage | ToolSpec): string {
  return JSON.stringify(content, function (this: Record<string, unknown>, key: string, value: unknown) {
    // Buffers have become something else by now; their owner still has them.
    const own = this[key];
    if (own instanceof Uint8Array) return Buffer.from(own.buffer, own.byteOffset, own.byteLength).toString("base64");
    return own instanceof ArrayBuffer ? Buffer.from(own).toString("base64") : value;
  });
}

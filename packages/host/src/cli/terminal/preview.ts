import type { ModelMessage } from "@galley/engine";

/** What a message says, in one string for a table. */
export function previewOf({ content }: ModelMessage): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => {
      if (part.type === "text" || part.type === "reasoning") return part.text;
      if (part.type === "tool-call") return `${part.toolName}(${JSON.stringify(part.input)})`;
      if (part.type !== "tool-result") return `[${part.type}]`;
      const { output } = part;
      if (output.type === "text" || output.type === "error-text") return `→ ${output.value}`;
      return `→ ${"value" in output ? JSON.stringify(output.value) : output.type}`;
    })
    .join(" ");
}

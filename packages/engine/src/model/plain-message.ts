/** True for a message that is surely valid. False says nothing: then the schema decides. Cheap, for long histories. */
export function isPlainContent(message: unknown): boolean {
  if (typeof message !== "object" || message === null) return false;
  const { role, content } = message as Unchecked;
  if (typeof content === "string") return role === "user" || role === "assistant" || role === "system";
  if (!Array.isArray(content) || (role !== "assistant" && role !== "tool" && role !== "user")) return false;
  for (const part of content) if (!isPlainPart(part, role)) return false;
  return true;
}

type Unchecked = Readonly<Record<string, unknown>>;

function isPlainPart(given: unknown, role: string): boolean {
  if (typeof given !== "object" || given === null) return false;
  const part = given as Unchecked;
  if (part["providerOptions"] !== undefined) return false;
  switch (part["type"]) {
    case "text":
      return role !== "tool" && typeof part["text"] === "string";
    case "reasoning":
      return role === "assistant" && typeof part["text"] === "string";
    case "tool-call":
      return role === "assistant" && hasCallIds(part) && part["input"] !== undefined;
    case "tool-result":
      return role !== "user" && hasCallIds(part) && isPlainOutput(part["output"]);
    default:
      return false;
  }
}

function hasCallIds({ toolCallId, toolName }: Unchecked): boolean {
  return typeof toolCallId === "string" && typeof toolName === "string";
}

function isPlainOutput(output: unknown): boolean {
  if (typeof output !== "object" || output === null) return false;
  const { type, value } = output as Unchecked;
  return (type === "text" && typeof value === "string") || (type === "json" && value !== undefined);
}

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
  if (part["providerOptions"] !== undefined && !areFlat(part["providerOptions"])) return false;
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

/** Options by provider, as logs have them: a signature or an id, nothing that has to be walked. */
function areFlat(options: unknown): boolean {
  if (!isPlainObject(options)) return false;
  return Object.values(options).every(
    (own) =>
      isPlainObject(own) && Object.values(own).every((value) => typeof value === "string" || typeof value === "number"),
  );
}

function isPlainObject(value: unknown): value is Unchecked {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function hasCallIds({ toolCallId, toolName }: Unchecked): boolean {
  return typeof toolCallId === "string" && typeof toolName === "string";
}

function isPlainOutput(output: unknown): boolean {
  if (typeof output !== "object" || output === null) return false;
  const { type, value } = output as Unchecked;
  if (type === "text" || type === "error-text") return typeof value === "string";
  if (type === "content") return Array.isArray(value) && value.every(isPlainPiece);
  return type === "json" && value !== undefined;
}

function isPlainPiece(piece: unknown): boolean {
  if (!isPlainObject(piece) || piece["providerOptions"] !== undefined) return false;
  const { type, text, data, mediaType } = piece;
  if (type === "text") return typeof text === "string";
  return type === "image-data" && typeof data === "string" && typeof mediaType === "string";
}

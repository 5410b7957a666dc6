import { GalleyError, type ModelMessage, type Secrets, redactSecrets, throwOnErrors } from "@galley/engine";
import type { FilePart, TextPart } from "@galley/engine/messages";
import { messageSchema } from "@galley/engine/schemas";
import type { ChatMessage, ChatPart } from "./chat-line.ts";

/**
 * What a chat keeps of a message [W2]: what user and assistant said and showed each other. Tool calls and reasoning belong
 * to the run and to its session; secrets are never kept [P6].
 */
export function toChatMessage(message: ModelMessage, ts: number, secrets: Secrets, path = "message"): ChatMessage {
  // Plain text is what nearly all messages hold; only parts are worth a schema.
  const isPlain = typeof message === "object" && message !== null && typeof message.content === "string";
  const result =
    isPlain && (message.role === "user" || message.role === "assistant") ? valid : messageSchema.safeParse(message);
  if (!result.success) {
    throwOnErrors(
      result.error.issues.map((issue) => ({
        severity: "error",
        code: "ContextInvalidInput",
        message: `${path} is not a message {role, content}: ${[...issue.path.map(String), issue.message].join(": ")}.`,
        path,
        hint: 'Write {"role": "user", "content": "…"}.',
      })),
    );
  }
  const { role, content } = message;
  if (role !== "user" && role !== "assistant") {
    throw new GalleyError("ContextInvalidInput", `${path}: a chat keeps no messages of the role ${role}.`, {
      path,
      hint: "Give messages of user and assistant; system text and tool results belong to the build.",
    });
  }
  const kept = typeof content === "string" ? content : content.filter(isKept);
  if (kept.length === 0) {
    throw new GalleyError("ContextInvalidInput", `${path} holds nothing that a chat keeps.`, {
      path,
      hint: "A chat keeps texts, pictures and files.",
    });
  }
  return { ts, role, content: redactSecrets(kept, secrets) };
}

const valid = { success: true } as const;

function isKept(part: Exclude<ModelMessage["content"], string>[number]): part is ChatPart {
  return part.type === "text" || part.type === "image" || part.type === "file";
}

/** A stored message as a model is sent it. */
export function toModelMessage({ role, content }: Omit<ChatMessage, "ts">): ModelMessage {
  if (role === "user") return { role, content };
  // What an assistant says holds no pictures: the schema has refused them.
  return { role, content: content as string | (TextPart | FilePart)[] };
}

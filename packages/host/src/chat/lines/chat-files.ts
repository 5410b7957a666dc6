import { hash } from "node:crypto";
import { join } from "node:path";
import type { FilePart, ImagePart } from "@galley/engine/messages";
import type { ChatMessage, ChatPart } from "./chat-line.ts";
import { exists, readBytes } from "../../disk/data-files.ts";
import { isUnsafe } from "../../disk/data-paths.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { makeFolder } from "../../disk/private-folder.ts";

const extensions: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "application/pdf": "pdf",
  "application/json": "json",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "video/mp4": "mp4",
  "text/plain": "txt",
};

/** Only names that we give ourselves are followed: a message must not be able to name a file of its choice. */
const storedName = /^[0-9a-f]{64}\.[a-z0-9]{1,4}$/;

/** A file of a chat, by the name that its bytes give it. */
export interface ChatFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The message with references in the place of the bytes of its pictures and files [W4b], and those bytes. */
export function detachFiles(message: ChatMessage): {
  readonly message: ChatMessage;
  readonly files: readonly ChatFile[];
} {
  if (typeof message.content === "string") return { message, files: [] };
  const files: ChatFile[] = [];
  return { message: { ...message, content: message.content.map((part) => detachPart(part, files)) }, files };
}

function detachPart(part: ChatPart, files: ChatFile[]): ChatPart {
  const found = part.type === "text" ? undefined : bytesOf(part);
  if (part.type === "text" || !found) return part;
  const mediaType = part.mediaType ?? found.mediaType;
  const name = `${hash("sha256", found.bytes, "hex")}.${extensions[mediaType ?? ""] ?? "bin"}`;
  files.push({ name, bytes: found.bytes });
  const reference = { chatFile: name };
  if (part.type === "image") return { ...part, image: reference, mediaType };
  return { ...part, data: { type: "reference", reference } };
}

/** Makes files durable, before a message refers to them. */
export async function storeFiles(files: readonly ChatFile[], folder: string): Promise<void> {
  for (const { name, bytes } of files) {
    const file = join(folder, name);
    if (exists(file)) continue;
    makeFolder(folder);
    await replaceFile(file, [bytes]);
  }
}

interface Bytes {
  readonly bytes: Uint8Array;
  readonly mediaType?: string | undefined;
}

/** The bytes of a part that carries them; nothing for addresses, references and plain text. */
function bytesOf(part: ImagePart | FilePart): Bytes | undefined {
  const data: unknown = part.type === "image" ? part.image : part.data;
  const given: unknown = isTagged(data) ? (data.type === "data" ? data.data : undefined) : data;
  if (given instanceof Uint8Array) return { bytes: given };
  if (given instanceof ArrayBuffer) return { bytes: new Uint8Array(given) };
  if (typeof given !== "string") return undefined;
  const inline = /^data:([^;,]*)(?:;[^;,]*)*;base64,/.exec(given);
  if (inline) return { bytes: Buffer.from(given.slice(inline[0].length), "base64"), mediaType: inline[1] };
  return URL.canParse(given) ? undefined : { bytes: Buffer.from(given, "base64") };
}

function isTagged(value: unknown): value is { readonly type: string; readonly data?: unknown } {
  return typeof value === "object" && value !== null && "type" in value;
}

/** The names of the stored files that a message refers to. */
export function storedFilesOf({ content }: ChatMessage): readonly string[] {
  return typeof content === "string" ? [] : content.flatMap((part) => storedFileOf(part) ?? []);
}

function storedFileOf(part: ChatPart): string | undefined {
  if (part.type === "text") return undefined;
  const data: unknown = part.type === "image" ? part.image : part.data;
  const reference: unknown = typeof data === "object" && data !== null && "reference" in data ? data.reference : data;
  if (typeof reference !== "object" || reference === null || !("chatFile" in reference)) return undefined;
  const { chatFile } = reference;
  return typeof chatFile === "string" && storedName.test(chatFile) ? chatFile : undefined;
}

/** The message with the bytes back in it, as a model is sent it. A file that is gone leaves a note. */
export function restoreFiles(message: ChatMessage, folder: string): ChatMessage {
  if (typeof message.content === "string") return message;
  return { ...message, content: message.content.map((part) => restorePart(part, folder)) };
}

function restorePart(part: ChatPart, folder: string): ChatPart {
  const name = storedFileOf(part);
  if (name === undefined || part.type === "text") return part;
  const found = bytesIn(join(folder, name));
  if (!found) return { type: "text", text: `[The file ${name} is not there any more.]` };
  const bytes = new Uint8Array(found);
  return part.type === "image" ? { ...part, image: bytes } : { ...part, data: { type: "data", data: bytes } };
}

/** The bytes of a file of a chat by its name; nothing for other names, and for a file that is gone. */
export function readStoredFile(folder: string, name: string): Buffer | undefined {
  return storedName.test(name) ? bytesIn(join(folder, name)) : undefined;
}

/** Nothing for a link: following it would send a file of its author's choice to a model. `galley doctor` names it. */
function bytesIn(file: string): Buffer | undefined {
  try {
    return readBytes(file);
  } catch (error) {
    if (isUnsafe(error)) return undefined;
    throw error;
  }
}

import type {
  DataContent,
  FilePart,
  ImagePart,
  ModelMessage,
  ReasoningFilePart,
  ToolResultContent,
} from "../../model/messages.ts";
import type { Media } from "./count-media.ts";

/** The pictures and files of a message. */
export function mediaOf({ content }: ModelMessage): readonly Media[] {
  if (typeof content === "string") return none;
  const found: (Media | string)[] = [];
  for (const part of content) {
    if (part.type === "image" || part.type === "file" || part.type === "reasoning-file") found.push(mediaOfPart(part));
    else if (part.type === "tool-result" && part.output.type === "content") {
      for (const piece of part.output.value) found.push(mediaOfPiece(piece));
    }
  }
  return found.length === 0 ? none : found.filter((each) => typeof each !== "string");
}

const none: readonly Media[] = [];

/** A picture or file, or its text where it is nothing but text. */
export function mediaOfPart(part: ImagePart | FilePart | ReasoningFilePart): Media | string {
  const { providerOptions } = part;
  if (part.type === "image") return media(part.mediaType ?? "image/*", part.image, providerOptions);
  const text = textIn(part.data);
  return text ?? media(part.mediaType, part.data, providerOptions);
}

/** The same for a piece of a tool's result. */
export function mediaOfPiece(piece: ToolResultContent): Media | string {
  const { providerOptions } = piece;
  switch (piece.type) {
    case "text":
      return piece.text;
    case "file":
      return textIn(piece.data) ?? media(piece.mediaType, piece.data, providerOptions);
    case "file-data":
    case "image-data":
      return media(piece.mediaType, piece.data, providerOptions);
    case "image-url":
    case "image-file-id":
    case "image-file-reference":
      return media("image/*", undefined, providerOptions);
    case "file-url":
      return media(piece.mediaType ?? "", undefined, providerOptions);
    case "file-id":
    case "file-reference":
    case "custom":
      return media("", undefined, providerOptions);
  }
}

function media(mediaType: string, data: unknown, providerOptions: Media["providerOptions"]): Media {
  const bytes = bytesIn(data);
  return { mediaType, ...(bytes === undefined ? {} : { data: bytes }), providerOptions };
}

function textIn(data: unknown): string | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { type, text } = data as { readonly type?: unknown; readonly text?: unknown };
  return type === "text" && typeof text === "string" ? text : undefined;
}

/** The bytes of what the AI SDK takes for data, unless they lie elsewhere. */
function bytesIn(data: unknown): DataContent | undefined {
  if (typeof data === "string") return /^(?!data:)[a-z][a-z\d+.-]*:/i.test(data) ? undefined : data;
  if (data instanceof Uint8Array || data instanceof ArrayBuffer) return data;
  if (typeof data !== "object" || data === null) return undefined;
  const { type, data: inner } = data as { readonly type?: unknown; readonly data?: unknown };
  return type === "data" ? bytesIn(inner) : undefined;
}

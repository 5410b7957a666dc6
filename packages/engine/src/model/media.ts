import { encodeBase64 } from "./base64.ts";
import type {
  DataContent,
  FileData,
  FilePart,
  ImagePart,
  ProviderOptions,
  ProviderReference,
  ReasoningFilePart,
  ToolResultContent,
} from "./messages.ts";

/** An image or file, read from any of its forms. `mediaType` is a full one (`image/png`) where it can be known. */
export type Media = About &
  (
    | { readonly kind: "data"; readonly data: DataContent }
    | { readonly kind: "url"; readonly url: string }
    | { readonly kind: "reference"; readonly reference: ProviderReference }
    | { readonly kind: "text"; readonly text: string }
  );
interface About {
  readonly mediaType: string;
  readonly filename?: string | undefined;
  readonly providerOptions?: ProviderOptions | undefined;
}

type MediaSource = ImagePart["image"] | FilePart["data"] | FileData;

/** The image or file of a part. */
export function mediaOfPart(part: ImagePart | FilePart | ReasoningFilePart): Media {
  const { providerOptions } = part;
  if (part.type === "image") return readMedia(part.image, { mediaType: part.mediaType ?? "image", providerOptions });
  const filename = part.type === "file" ? part.filename : undefined;
  return readMedia(part.data, { mediaType: part.mediaType, filename, providerOptions });
}

/** What a piece of a tool's result holds: a text, an image or file, or nothing that is known. */
export function readPiece(piece: ToolResultContent): string | Media | undefined {
  const { providerOptions } = piece;
  switch (piece.type) {
    case "text":
      return piece.text;
    case "file":
    case "file-data":
      return readMedia(piece.data, { mediaType: piece.mediaType, filename: piece.filename, providerOptions });
    case "image-data":
      return readMedia(piece.data, { mediaType: piece.mediaType, providerOptions });
    case "file-url":
    case "image-url":
      return readMedia(piece.url, { mediaType: typeOfPiece(piece), providerOptions });
    case "file-id":
    case "image-file-id":
    case "file-reference":
    case "image-file-reference": {
      const reference = "fileId" in piece ? referenceOf(piece.fileId) : piece.providerReference;
      return { kind: "reference", reference, mediaType: typeOfPiece(piece), providerOptions };
    }
    case "custom":
      return undefined;
  }
}

function typeOfPiece(piece: { readonly type: string; readonly mediaType?: string }): string {
  return piece.mediaType ?? (piece.type.startsWith("image") ? "image" : "");
}

/** An id that does not say whose it is belongs to the provider that is asked: that is how the AI SDK reads it. */
function referenceOf(fileId: string | Record<string, string>): Record<string, string> {
  return typeof fileId === "string" ? { anthropic: fileId, openai: fileId, google: fileId } : fileId;
}

const dataUrl = /^data:([^,]*),/i;
const scheme = /^[a-z][a-z0-9+.-]*:/i;

/** What the first bytes of a file say about its kind, as they look in base64. */
const signatures: readonly (readonly [prefix: string, mediaType: string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
  ["JVBERi", "application/pdf"],
];

/** Reads what a part holds. The media type may be a mere family (`image`); then the data decide, where they can. */
function readMedia(source: MediaSource, about: About): Media {
  if (typeof source === "string") return readText(source, about);
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) return readData(source, about);
  if (isFileData(source)) {
    switch (source.type) {
      case "data":
        return readMedia(source.data, about);
      case "url":
        return readMedia(source.url, about);
      case "reference":
        return { kind: "reference", reference: source.reference, ...about };
      case "text":
        return { kind: "text", text: source.text, ...about, mediaType: about.mediaType || "text/plain" };
    }
  }
  if (isUrlObject(source)) return readText(source.href, about);
  return { kind: "reference", reference: source, ...about };
}

function isUrlObject(source: object): source is { readonly href: string } {
  return "href" in source && typeof source.href === "string";
}

function isFileData(source: object): source is FileData {
  return "type" in source && typeof source.type === "string";
}

// Base64 never holds a colon: text with a scheme is a URL.
function readText(text: string, about: About): Media {
  const match = dataUrl.exec(text);
  if (match) return readDataUrl(match[1] ?? "", text.slice(match[0].length), about);
  return scheme.test(text) ? { kind: "url", url: text, ...about } : readData(text, about);
}

function readDataUrl(header: string, body: string, about: About): Media {
  const [own = "", ...parameters] = header.split(";");
  const mediaType = isFull(about.mediaType) ? about.mediaType : own || about.mediaType || "text/plain";
  const isBase64 = parameters.some((parameter) => parameter.trim().toLowerCase() === "base64");
  const data = isBase64 ? body : new TextEncoder().encode(decodeEscapes(body) ?? body);
  return readData(data, { ...about, mediaType });
}

function readData(data: DataContent, about: About): Media {
  const told = isFull(about.mediaType) ? undefined : typeOfData(data);
  return { kind: "data", data, ...about, mediaType: (told ?? about.mediaType).toLowerCase() };
}

function typeOfData(data: DataContent): string | undefined {
  const start = typeof data === "string" ? data : encodeBase64(new Uint8Array(data.slice(0, 12)));
  return signatures.find(([prefix]) => start.startsWith(prefix))?.[1];
}

function isFull(mediaType: string): boolean {
  return /^[^/*]+\/[^/*]+$/.test(mediaType);
}

/** Undoes percent-encoding; nothing when the bytes are not UTF-8. */
function decodeEscapes(escaped: string): string | undefined {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return undefined;
  }
}

import type { FileData, FilePart, ImagePart, ProviderReference } from "../../model/messages.ts";
import { decodeBase64, encodeBase64 } from "../../model/base64.ts";
import type { PartPlace, WireReport } from "./wire-report.ts";

/** An image or file, read from any of its forms. `mediaType` is a full one (`image/png`) where it can be known. */
export type Media = About &
  (
    | { readonly kind: "base64"; readonly data: string }
    | { readonly kind: "url"; readonly url: string }
    | { readonly kind: "reference"; readonly reference: ProviderReference }
    | { readonly kind: "text"; readonly text: string }
  );
interface About {
  readonly mediaType: string;
  readonly filename?: string | undefined;
}

type MediaSource = ImagePart["image"] | FilePart["data"] | FileData;

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

/** Reads the data of a part. The media type may be a mere family (`image`); then the data decide, where they can. */
export function readMedia(source: MediaSource, mediaType: string, filename?: string): Media {
  const about = { mediaType, filename };
  if (typeof source === "string") return readText(source, about);
  if (source instanceof Uint8Array) return readBase64(encodeBase64(source), about);
  if (source instanceof ArrayBuffer) return readBase64(encodeBase64(new Uint8Array(source)), about);
  if (isFileData(source)) {
    switch (source.type) {
      case "data":
        return readMedia(source.data, mediaType, filename);
      case "url":
        return readMedia(source.url, mediaType, filename);
      case "reference":
        return { kind: "reference", reference: source.reference, ...about };
      case "text":
        return { kind: "text", text: source.text, mediaType: mediaType || "text/plain", filename };
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
  return scheme.test(text) ? { kind: "url", url: text, ...about } : readBase64(text, about);
}

function readDataUrl(header: string, body: string, { mediaType, filename }: About): Media {
  const [own = "", ...parameters] = header.split(";");
  const about = { mediaType: isFull(mediaType) ? mediaType : own || mediaType || "text/plain", filename };
  if (parameters.some((parameter) => parameter.trim().toLowerCase() === "base64")) return readBase64(body, about);
  return readBase64(encodeBase64(new TextEncoder().encode(decodeEscapes(body) ?? body)), about);
}

function readBase64(data: string, { mediaType, filename }: About): Media {
  const told = isFull(mediaType) ? undefined : signatures.find(([prefix]) => data.startsWith(prefix))?.[1];
  return { kind: "base64", data, mediaType: (told ?? mediaType).toLowerCase(), filename };
}

function isFull(mediaType: string): boolean {
  return /^[^/*]+\/[^/*]+$/.test(mediaType);
}

/** The text of a text file, wherever it is at hand. */
export function textOf(media: Media): string | undefined {
  if (media.kind === "text") return media.text;
  if (media.kind !== "base64" || !media.mediaType.startsWith("text/")) return undefined;
  return decodeText(media.data);
}

/** The text that base64 of UTF-8 stands for, or nothing when it is not that. */
function decodeText(base64: string): string | undefined {
  const bytes = decodeBase64(base64);
  try {
    return bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Undoes percent-encoding; nothing when the bytes are not UTF-8. */
function decodeEscapes(escaped: string): string | undefined {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return undefined;
  }
}

export function isImage(media: Media): boolean {
  return /^image(\/|$)/.test(media.mediaType);
}

/** A problem for media that a provider does not take. */
export function refuseMedia(
  media: Media,
  place: PartPlace,
  refusal: string,
  takes: string,
  report: WireReport,
): undefined {
  const how = media.kind === "reference" ? `uploaded to ${Object.keys(media.reference).join(", ")}` : media.kind;
  report.refuse(place, `${refusal} ${media.mediaType || "file"} (${how}).`, takes);
}

/** A problem for a file that the assistant would send, where the provider has no such thing. */
export function refuseAssistantFile(place: PartPlace, provider: string, report: WireReport): undefined {
  const hint = "Drop the part, or say it in a user message.";
  report.refuse(place, `${provider} takes no files in assistant messages.`, hint);
}

/** The URL of media on the web. */
export function webUrl(media: Media): string | undefined {
  return media.kind === "url" && /^https?:\/\//i.test(media.url) ? media.url : undefined;
}

/** The id under which a provider itself keeps the media. */
export function ownId(media: Media, provider: string): string | undefined {
  return media.kind === "reference" ? media.reference[provider] : undefined;
}

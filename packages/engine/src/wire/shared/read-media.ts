import type { FileData, FilePart, ImagePart, ProviderReference } from "../../model/messages.ts";
import { decodeBase64, encodeBase64 } from "../../model/base64.ts";
import type { PartPlace, WireReport } from "./wire-report.ts";

/** An image or file, whatever way it was given. `mediaType` is a full one (`image/png`) wherever it can be known. */
export type Media =
  | { readonly kind: "base64"; readonly data: string; readonly mediaType: string; readonly filename?: string }
  | { readonly kind: "url"; readonly url: string; readonly mediaType: string; readonly filename?: string }
  | {
      readonly kind: "reference";
      readonly reference: ProviderReference;
      readonly mediaType: string;
      readonly filename?: string;
    }
  | { readonly kind: "text"; readonly text: string; readonly mediaType: string; readonly filename?: string };

export type MediaSource = ImagePart["image"] | FilePart["data"] | FileData;

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
  const more = filename === undefined ? {} : { filename };
  if (typeof source === "string") return readText(source, mediaType, more);
  if (source instanceof Uint8Array) return readBase64(encodeBase64(source), mediaType, more);
  if (source instanceof ArrayBuffer) return readBase64(encodeBase64(new Uint8Array(source)), mediaType, more);
  if (isFileData(source)) {
    switch (source.type) {
      case "data":
        return readMedia(source.data, mediaType, filename);
      case "url":
        return readMedia(source.url, mediaType, filename);
      case "reference":
        return { kind: "reference", reference: source.reference, mediaType, ...more };
      case "text":
        return { kind: "text", text: source.text, mediaType: mediaType || "text/plain", ...more };
    }
  }
  if (isUrlObject(source)) return readText(source.href, mediaType, more);
  return { kind: "reference", reference: source, mediaType, ...more };
}

function isUrlObject(source: object): source is { readonly href: string } {
  return "href" in source && typeof source.href === "string";
}

function isFileData(source: object): source is FileData {
  return "type" in source && typeof source.type === "string";
}

// Base64 never holds a colon: text with a scheme is a URL.
function readText(text: string, mediaType: string, more: { filename?: string }): Media {
  const match = dataUrl.exec(text);
  if (match) return readDataUrl(match[1] ?? "", text.slice(match[0].length), mediaType, more);
  if (scheme.test(text)) return { kind: "url", url: text, mediaType, ...more };
  return readBase64(text, mediaType, more);
}

function readDataUrl(header: string, body: string, mediaType: string, more: { filename?: string }): Media {
  const [own = "", ...parameters] = header.split(";");
  const type = isFull(mediaType) ? mediaType : own || mediaType || "text/plain";
  if (parameters.some((parameter) => parameter.trim().toLowerCase() === "base64")) return readBase64(body, type, more);
  return readBase64(encodeBase64(new TextEncoder().encode(decodeEscapes(body) ?? body)), type, more);
}

function readBase64(data: string, mediaType: string, more: { filename?: string }): Media {
  const known = isFull(mediaType)
    ? mediaType
    : (signatures.find(([prefix]) => data.startsWith(prefix))?.[1] ?? mediaType);
  return { kind: "base64", data, mediaType: known.toLowerCase(), ...more };
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

/** A file's text as it is told to a provider that has no text files. */
export function fileAsText(text: string, filename: string | undefined): string {
  return `<file${filename === undefined ? "" : ` name=${JSON.stringify(filename)}`}>\n${text}\n</file>`;
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

export function isWebUrl(url: string): boolean {
  return /^https?:\/\//i.test(url);
}

import { decodeBase64, encodeBase64 } from "../../model/base64.ts";
import type { Media as AnyMedia } from "../../model/media.ts";
import type { PartPlace, WireReport } from "./wire-report.ts";

type Data = Extract<AnyMedia, { kind: "data" }>;

/** An image or file as providers are sent it: its data as base64. */
export type Media = Exclude<AnyMedia, Data> | (Omit<Data, "kind" | "data"> & { kind: "base64"; data: string });

export function asBase64(media: AnyMedia): Media {
  if (media.kind !== "data") return media;
  const { data } = media;
  return { ...media, kind: "base64", data: typeof data === "string" ? data : encodeBase64(new Uint8Array(data)) };
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

export function isImage(media: Media): boolean {
  return /^image(\/|$)/.test(media.mediaType);
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

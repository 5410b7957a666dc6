import type { AnthropicDocument, AnthropicImage, AnthropicImageType } from "./types.ts";
import { type Media, isImage, isWebUrl, refuseMedia, textOf } from "../shared/read-media.ts";
import type { PartPlace, WireReport } from "../shared/wire-report.ts";

const imageTypes: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

const taken =
  "It takes JPEG, PNG, GIF and WebP images, PDF and text files, as data, by https URL (not text) or as its own file id.";

/** An image or document block; nothing, and a problem, for what Claude does not take. */
export function anthropicMedia(
  media: Media,
  place: PartPlace,
  report: WireReport,
): AnthropicImage | AnthropicDocument | undefined {
  const block = isImage(media) ? image(media) : document(media);
  return block ?? refuseMedia(media, place, "Anthropic does not take", taken, report);
}

function image(media: Media): AnthropicImage | undefined {
  switch (media.kind) {
    case "base64":
      if (!imageTypes.has(media.mediaType)) return undefined;
      return {
        type: "image",
        source: { type: "base64", media_type: media.mediaType as AnthropicImageType, data: media.data },
      };
    case "url":
      return isWebUrl(media.url) ? { type: "image", source: { type: "url", url: media.url } } : undefined;
    case "reference": {
      const id = media.reference["anthropic"];
      return id === undefined ? undefined : { type: "image", source: { type: "file", file_id: id } };
    }
    case "text":
      return undefined;
  }
}

function document(media: Media): AnthropicDocument | undefined {
  const source = documentSource(media);
  if (!source) return undefined;
  return { type: "document", source, ...(media.filename === undefined ? {} : { title: media.filename }) };
}

function documentSource(media: Media): AnthropicDocument["source"] | undefined {
  const text = textOf(media);
  if (text !== undefined)
    return text.trim() === "" ? undefined : { type: "text", media_type: "text/plain", data: text };
  const isPdf = media.mediaType === "application/pdf";
  switch (media.kind) {
    case "base64":
      return isPdf ? { type: "base64", media_type: "application/pdf", data: media.data } : undefined;
    case "url":
      return isPdf && isWebUrl(media.url) ? { type: "url", url: media.url } : undefined;
    case "reference": {
      const id = media.reference["anthropic"];
      return id === undefined ? undefined : { type: "file", file_id: id };
    }
    case "text":
      return undefined;
  }
}

import type { OpenAiInputPart } from "./openai-responses-request.ts";
import { type Media, describeMedia, fileAsText, isImage, textOf } from "./read-media.ts";
import type { PartPlace, WireReport } from "./wire-report.ts";

/** An input part of the Responses API; nothing, and a problem, for what it does not take. */
export function openAiInputMedia(media: Media, place: PartPlace, report: WireReport): OpenAiInputPart | undefined {
  const text = textOf(media);
  if (text !== undefined) {
    report.notePart(place, "file-as-text");
    return { type: "input_text", text: fileAsText(text, media.filename) };
  }
  const part = isImage(media) ? image(media) : file(media);
  if (part) return part;
  report.refuse(
    place,
    `OpenAI's Responses do not take ${describeMedia(media)}.`,
    "They take PNG, JPEG, GIF and WebP images and documents, as data, by https URL or as OpenAI's own file id; no sound, no video.",
  );
  return undefined;
}

function image(media: Media): OpenAiInputPart | undefined {
  switch (media.kind) {
    case "base64":
      if (!/^image\/(png|jpeg|gif|webp)$/.test(media.mediaType)) return undefined;
      return { type: "input_image", detail: "auto", image_url: `data:${media.mediaType};base64,${media.data}` };
    case "url":
      return isWebUrl(media.url) ? { type: "input_image", detail: "auto", image_url: media.url } : undefined;
    case "reference": {
      const id = media.reference["openai"];
      return id === undefined ? undefined : { type: "input_image", detail: "auto", file_id: id };
    }
    case "text":
      return undefined;
  }
}

function file(media: Media): OpenAiInputPart | undefined {
  if (/^(audio|video)(\/|$)/.test(media.mediaType)) return undefined;
  switch (media.kind) {
    case "base64":
      if (!/^application\/./.test(media.mediaType)) return undefined;
      return {
        type: "input_file",
        filename: media.filename ?? (media.mediaType === "application/pdf" ? "document.pdf" : "document"),
        file_data: `data:${media.mediaType};base64,${media.data}`,
      };
    case "url":
      return isWebUrl(media.url) ? { type: "input_file", file_url: media.url } : undefined;
    case "reference": {
      const id = media.reference["openai"];
      return id === undefined ? undefined : { type: "input_file", file_id: id };
    }
    case "text":
      return undefined;
  }
}

function isWebUrl(url: string): boolean {
  return /^https?:\/\//i.test(url);
}

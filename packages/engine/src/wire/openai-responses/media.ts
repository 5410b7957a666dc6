import type { OpenAiInputPart } from "./types.ts";
import { openAiWriter } from "../shared/openai-writer.ts";
import { type Media, isImage, isWebUrl } from "../shared/read-media.ts";
import type { BlockWriter } from "../shared/segments.ts";

const taken =
  "They take PNG, JPEG, GIF and WebP images and documents, as data, by https URL or as OpenAI's own file id; no sound, no video.";

/** How the Responses API writes what a user may say. */
export const openAiInputWriter: BlockWriter<OpenAiInputPart> = openAiWriter({
  text: (text) => ({ type: "input_text", text }),
  read: (media) => (isImage(media) ? image(media) : file(media)),
  refusal: "OpenAI's Responses do not take",
  taken,
});

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

import type { OpenAiChatPart } from "./types.ts";
import { openAiWriter } from "../shared/openai-writer.ts";
import { type Media, isImage, isWebUrl } from "../shared/read-media.ts";
import type { BlockWriter } from "../shared/segments.ts";

const audioFormats: Readonly<Record<string, "wav" | "mp3">> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

const taken =
  "They take images (as data or by URL), WAV and MP3 data, PDF data, OpenAI's own file ids (not for images), and text.";

/** How Chat Completions write what a user may say. */
export const openAiChatWriter: BlockWriter<OpenAiChatPart> = openAiWriter({
  text: (text) => ({ type: "text", text }),
  read: (media) => (isImage(media) ? image(media) : file(media)),
  refusal: "OpenAI's Chat Completions do not take",
  taken,
});

function image(media: Media): OpenAiChatPart | undefined {
  switch (media.kind) {
    case "base64":
      if (!/^image\/(png|jpeg|gif|webp)$/.test(media.mediaType)) return undefined;
      return { type: "image_url", image_url: { url: `data:${media.mediaType};base64,${media.data}` } };
    case "url":
      return isWebUrl(media.url) ? { type: "image_url", image_url: { url: media.url } } : undefined;
    case "reference":
    case "text":
      return undefined;
  }
}

function file(media: Media): OpenAiChatPart | undefined {
  if (media.kind === "reference") {
    const id = media.reference["openai"];
    return id === undefined ? undefined : { type: "file", file: { file_id: id } };
  }
  if (media.kind !== "base64") return undefined;
  const format = audioFormats[media.mediaType];
  if (format) return { type: "input_audio", input_audio: { data: media.data, format } };
  if (media.mediaType !== "application/pdf") return undefined;
  const data = `data:application/pdf;base64,${media.data}`;
  return { type: "file", file: { filename: media.filename ?? "document.pdf", file_data: data } };
}

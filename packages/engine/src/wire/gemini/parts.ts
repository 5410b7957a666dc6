import type { ToolResultPart } from "../../model/messages.ts";
import type { Placed, SpokenPart } from "../shared/arrange-sides.ts";
import type { GeminiFunctionResponse, GeminiPart } from "./types.ts";
import { providerOption } from "../shared/provider-option.ts";
import { type Media, readMedia, refuseMedia } from "../shared/read-media.ts";
import { readToolOutput } from "../shared/read-tool-output.ts";
import type { BlockWriter } from "../shared/segments.ts";
import { toolInput } from "../shared/tool-input.ts";
import type { PartPlace, WireReport } from "../shared/wire-report.ts";

const taken =
  "It takes PNG, JPEG, WebP, HEIC and HEIF images, sound, video, PDF and text, as data, by URL or as its own file URI.";
const mediaTypes = /^(image\/(png|jpeg|webp|heic|heif)|(audio|video|text)\/.+|application\/pdf)$/;

export const geminiWriter: BlockWriter<GeminiPart> = {
  isSilent: (text) => text === "",
  text: (text) => ({ text }),
  media: mediaPart,
};

export function modelPart(place: Placed<SpokenPart>, report: WireReport): GeminiPart | undefined {
  const { part } = place;
  const thoughtSignature = signatureOf(part);
  const signed = thoughtSignature === undefined ? {} : { thoughtSignature };
  switch (part.type) {
    case "text":
      // A signature may come on an empty text and has to go back.
      if (part.text !== "" || thoughtSignature !== undefined) return { text: part.text, ...signed };
      report.notePart(place, "empty-left-out");
      return undefined;
    case "reasoning":
      if (thoughtSignature !== undefined) return { text: part.text, thought: true, ...signed };
      report.notePart(place, "reasoning-left-out");
      return undefined;
    case "file": {
      const media = mediaPart(readMedia(part.data, part.mediaType, part.filename), place, report);
      return media && { ...media, ...signed };
    }
    case "tool-call":
      return { functionCall: { name: part.toolName, args: toolInput({ ...place, part }, report) }, ...signed };
  }
}

function signatureOf(part: SpokenPart): string | undefined {
  return providerOption(part, "google", "thoughtSignature") ?? providerOption(part, "vertex", "thoughtSignature");
}

export interface ResponseParts {
  readonly response: GeminiFunctionResponse;
  /** Images and files of the result; models before Gemini 3 take none inside a function response. */
  readonly media: readonly GeminiPart[];
}

export function responseParts(place: Placed<ToolResultPart>, name: string, report: WireReport): ResponseParts {
  const { isError, value, pieces } = readToolOutput(place.part.output);
  const media: GeminiPart[] = [];
  for (const piece of pieces) {
    if (piece.kind === "custom") report.notePart(place, "custom-left-out");
    if (piece.kind !== "media") continue;
    const part = mediaPart(piece.media, place, report);
    if (part) media.push(part);
  }
  if (media.length > 0) report.notePart(place, "media-moved");
  const response: GeminiFunctionResponse = {
    functionResponse: { name, response: isError ? { error: value ?? null } : { output: value ?? null } },
  };
  const label = { text: `Files that the tool ${name} returned:` };
  return { response, media: media.length === 0 ? [] : [label, ...media] };
}

function mediaPart(media: Media, place: PartPlace, report: WireReport): GeminiPart | undefined {
  return readablePart(media) ?? refuseMedia(media, place, "Gemini does not take", taken, report);
}

function readablePart(media: Media): GeminiPart | undefined {
  switch (media.kind) {
    case "text":
      return media.text === "" ? undefined : { text: media.text };
    case "base64":
      return mediaTypes.test(media.mediaType) && media.data !== ""
        ? { inlineData: { mimeType: media.mediaType, data: media.data } }
        : undefined;
    case "url":
      return /^(https?|gs):\/\//i.test(media.url) ? filePart(media.url, media.mediaType) : undefined;
    case "reference": {
      const uri = media.reference["google"] ?? media.reference["vertex"];
      return uri === undefined ? undefined : filePart(uri, media.mediaType);
    }
  }
}

function filePart(fileUri: string, mediaType: string): GeminiPart {
  // A mere family (`image`) is not a MIME type; Gemini then detects it.
  return { fileData: { fileUri, ...(mediaTypes.test(mediaType) ? { mimeType: mediaType } : {}) } };
}

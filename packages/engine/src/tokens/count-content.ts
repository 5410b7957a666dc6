import { jsonText } from "../model/check/input.ts";
import { type Media, mediaOfPart, readPiece } from "../model/media.ts";
import type { MessagePart, ModelMessage, ToolResultOutput } from "../model/messages.ts";
import type { CountedMedia } from "./media/count-media.ts";

/** Name, id and delimiters around a call, a result or a tool beyond their text. */
export const toolFrame = 8;

/** What texts, and pictures and files, cost. */
export interface Counters {
  readonly text: (value: string) => number;
  readonly media: (found: CountedMedia) => number;
}

/** What a message costs without what frames it. */
export function countContent(content: ModelMessage["content"], counters: Counters): number {
  if (typeof content === "string") return counters.text(content);
  let tokens = 0;
  for (const part of content) tokens += countPart(part, counters);
  return tokens;
}

function countPart(part: MessagePart, counters: Counters): number {
  const { text } = counters;
  switch (part.type) {
    case "text":
    case "reasoning":
      return text(part.text);
    case "tool-call":
      return toolFrame + text(part.toolName) + text(jsonText(part.input, "input"));
    case "tool-result":
      return toolFrame + text(part.toolName) + countOutput(part.output, counters);
    case "tool-approval-request":
    case "tool-approval-response":
      return toolFrame + text(part.reason ?? "");
    case "image":
    case "file":
    case "reasoning-file": {
      const found = textOrMedia(mediaOfPart(part));
      return typeof found === "string" ? text(found) : counters.media(found);
    }
    case "custom":
      return text(jsonText(part.providerOptions ?? {}, "providerOptions"));
  }
}

function countOutput(output: ToolResultOutput, counters: Counters): number {
  const { text } = counters;
  switch (output.type) {
    case "text":
    case "error-text":
      return text(output.value);
    case "json":
    case "error-json":
      return text(jsonText(output.value, "output.value"));
    case "execution-denied":
      return text(output.reason ?? "");
    case "content": {
      let tokens = 0;
      for (const piece of output.value) {
        const found = textOrMedia(readPiece(piece));
        tokens += typeof found === "string" ? text(found) : counters.media(found);
      }
      return tokens;
    }
  }
}

/** A text, or what is counted by a rule for pictures and files; a file of an unknown kind has no media type. */
function textOrMedia(read: Media | string | undefined): string | CountedMedia {
  if (typeof read === "string") return read;
  return read?.kind === "text" ? read.text : (read ?? { mediaType: "" });
}

/** The pictures and files of a message. */
export function mediaOf({ content }: ModelMessage): readonly CountedMedia[] {
  if (typeof content === "string") return none;
  let found: (string | CountedMedia)[] | undefined;
  for (const part of content) {
    if (part.type === "image" || part.type === "file" || part.type === "reasoning-file") {
      (found ??= []).push(textOrMedia(mediaOfPart(part)));
    } else if (part.type === "tool-result" && part.output.type === "content") {
      for (const piece of part.output.value) (found ??= []).push(textOrMedia(readPiece(piece)));
    }
  }
  return found?.filter((each) => typeof each !== "string") ?? none;
}

const none: readonly CountedMedia[] = [];

// OpenAI Chat Completions.
// System: messages stay where they are; the role is taken anywhere.
// Tools: the results directly follow the message with the calls. A result is text only: its images and files follow
// the results in a user message. Reasoning has no place in this API and is left out. Empty messages are left out.
// Names: the option `openai.name` of a message says who speaks.

import { jsonText } from "../../model/check/input.ts";
import type { ToolSpec } from "../../model/messages.ts";
import { type AssistantSide, type Side, type WireContext, arrangeSides } from "../shared/arrange-sides.ts";
import { idRules } from "../shared/pair-tool-calls.ts";
import { dataUrl, imageUrl, openAiUserMessages } from "../shared/openai.ts";
import { type Media, isImage, ownId, refuseAssistantFile } from "../shared/read-media.ts";
import { providerOption } from "../../model/provider-options.ts";
import { readToolOutput, textOfPieces, toolInput, withoutTexts } from "../shared/read-parts.ts";
import { type BlockWriter, outputBlocks } from "../shared/segments.ts";
import { type WireExport, type WireInput, wireInputCheck } from "../shared/wire-input.ts";
import { pathOf } from "../shared/wire-report.ts";
import type {
  OpenAiChatMessage,
  OpenAiChatPart,
  OpenAiChatRequest,
  OpenAiChatTool,
  OpenAiChatToolCall,
} from "./types.ts";

/** Makes the parts of an OpenAI Chat Completions request. */
export function toOpenAiChat(input: WireInput): WireExport<OpenAiChatRequest> {
  wireInputCheck(input, "");
  const { sides, ...context } = arrangeSides(input.messages, idRules["openai-chat"]);
  const { notes, problems } = context.report;
  const tools = (input.tools ?? []).map(toTool);
  const request: OpenAiChatRequest = {
    messages: sides.flatMap((side) => named(toMessages(side, context), side, input)),
    ...(tools.length === 0 ? {} : { tools }),
  };
  return { request, notes, problems };
}

/** The first of a side's messages is the one that speaks; results follow it. */
function named(messages: OpenAiChatMessage[], side: Side, input: WireInput): OpenAiChatMessage[] {
  const [first, ...rest] = messages;
  const source = side.kind === "orphan" ? undefined : input.messages[side.message];
  const name = source && providerOption(source, "openai", "name");
  if (!first || name === undefined || first.role === "tool") return messages;
  return [{ ...first, name }, ...rest];
}

function toMessages(side: Side, context: WireContext): OpenAiChatMessage[] {
  switch (side.kind) {
    case "system":
      if (side.text !== "") return [{ role: "system", content: side.text }];
      context.report.noteMessage(side.message, "empty-left-out");
      return [];
    case "user":
      return openAiUserMessages(side, { writer, ...context });
    case "assistant":
      return toAssistant(side, context);
    case "orphan":
      return toResults([side.result], context);
  }
}

function toAssistant(side: AssistantSide, context: WireContext): OpenAiChatMessage[] {
  const { content, calls } = readSpoken(side, context);
  const results = toResults(side.results, context);
  if (content === "" && calls.length === 0) {
    context.report.noteMessage(side.message, "empty-left-out");
    return results;
  }
  return [
    {
      role: "assistant",
      ...(content === "" ? {} : { content }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    ...results,
  ];
}

interface Spoken {
  readonly content: string;
  readonly calls: OpenAiChatToolCall[];
}

function readSpoken(side: AssistantSide, { pairing, report }: WireContext): Spoken {
  const texts = new Map<number, string>();
  const calls: OpenAiChatToolCall[] = [];
  for (const place of side.parts) {
    const { part, message } = place;
    switch (part.type) {
      case "text":
        if (part.text !== "") texts.set(message, (texts.get(message) ?? "") + part.text);
        break;
      case "tool-call": {
        const input = toolInput({ ...place, part }, report);
        const call = { name: part.toolName, arguments: jsonText(input, pathOf(place)) };
        calls.push({ type: "function", id: pairing.idOf(place), function: call });
        break;
      }
      case "reasoning":
        report.notePart(place, "reasoning-left-out");
        break;
      case "file":
        refuseAssistantFile(place, "OpenAI", report);
        break;
    }
  }
  return { content: [...texts.values()].join("\n\n"), calls };
}

function toResults(results: AssistantSide["results"], { pairing, report }: WireContext): OpenAiChatMessage[] {
  const messages: OpenAiChatMessage[] = [];
  const moved: OpenAiChatPart[] = [];
  for (const place of results) {
    const { pieces } = readToolOutput(place.part.output);
    const id = pairing.idOf(place);
    const media = outputBlocks(withoutTexts(pieces), place, { writer, report });
    const text = textOfPieces(pieces);
    if (media.length > 0) {
      report.notePart(place, "media-moved");
      moved.push(writer.text(`Files that the tool call ${id} returned:`), ...media);
    }
    const content = text === "" && media.length > 0 ? "The files follow in the next user message." : text;
    messages.push({ role: "tool", tool_call_id: id, content });
  }
  return moved.length === 0 ? messages : [...messages, { role: "user", content: moved }];
}

function toTool({ name, description, inputSchema }: ToolSpec): OpenAiChatTool {
  const described = description === undefined ? {} : { description };
  return { type: "function", function: { name, ...described, parameters: inputSchema } };
}

const audioFormats: Readonly<Record<string, "wav" | "mp3">> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

const writer: BlockWriter<OpenAiChatPart> = {
  isSilent: (text) => text === "",
  text: (text) => ({ type: "text", text }),
  media: (media) => (isImage(media) ? image(media) : file(media)),
  readsFiles: true,
  refusal: "OpenAI's Chat Completions do not take",
  taken:
    "They take images (as data or by URL), WAV and MP3 data, PDF data, OpenAI's own file ids (not for images), and text.",
};

function image(media: Media): OpenAiChatPart | undefined {
  const url = imageUrl(media);
  return url === undefined ? undefined : { type: "image_url", image_url: { url } };
}

function file(media: Media): OpenAiChatPart | undefined {
  const id = ownId(media, "openai");
  if (id !== undefined) return { type: "file", file: { file_id: id } };
  if (media.kind !== "base64") return undefined;
  const format = audioFormats[media.mediaType];
  if (format) return { type: "input_audio", input_audio: { data: media.data, format } };
  if (media.mediaType !== "application/pdf") return undefined;
  const data = dataUrl(media.mediaType, media.data);
  return { type: "file", file: { filename: media.filename ?? "document.pdf", file_data: data } };
}

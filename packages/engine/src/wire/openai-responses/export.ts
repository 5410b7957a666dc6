// OpenAI Responses.
// System: messages at the front become `instructions`, joined by a blank line; later ones are `system` items in place.
// Where there is nothing but system messages they stay items, because `input` may not be empty.
// Reasoning is sent back only as the item it was (`providerOptions.openai.itemId`), and only in front of what it led to.
// Empty texts are left out. `strict` is off: a strict schema is not the schema that was given.

import { jsonText } from "../../model/check/input.ts";
import type { ToolResultPart, ToolSpec } from "../../model/messages.ts";
import {
  type AssistantSide,
  type Placed,
  type Side,
  type SystemSide,
  type WireContext,
  arrangeSides,
  splitLeadingSystem,
  spokenSystem,
} from "../shared/arrange-sides.ts";
import { idRules } from "../shared/pair-tool-calls.ts";
import { dataUrl, imageUrl, openAiUserMessages } from "../shared/openai.ts";
import { type Media, isImage, ownId, refuseAssistantFile, webUrl } from "../shared/read-media.ts";
import { readToolOutput, textOfPieces, toolInput } from "../shared/read-parts.ts";
import { type BlockWriter, outputBlocks } from "../shared/segments.ts";
import { type WireExport, type WireInput, wireInputCheck } from "../shared/wire-input.ts";
import { pathOf } from "../shared/wire-report.ts";
import { assistantText, itemId, looseThoughts } from "./reasoning.ts";
import type {
  OpenAiFunctionCallOutput,
  OpenAiInputItem,
  OpenAiInputPart,
  OpenAiResponsesRequest,
  OpenAiResponsesTool,
} from "./types.ts";

/** Makes the parts of an OpenAI Responses request. */
export function toOpenAiResponses(input: WireInput): WireExport<OpenAiResponsesRequest> {
  wireInputCheck(input, "");
  const { sides, ...context } = arrangeSides(input.messages, idRules["openai-responses"]);
  const { notes, problems } = context.report;
  const { system, rest } = splitLeadingSystem(sides, context.report);
  const items = rest.flatMap((side) => toItems(side, context));
  const isSystemOnly = items.length === 0;
  const instructions = isSystemOnly ? "" : system.map(({ text }) => text).join("\n\n");
  const tools = (input.tools ?? []).map(toTool);
  const request: OpenAiResponsesRequest = {
    ...(instructions === "" ? {} : { instructions }),
    input: isSystemOnly ? system.map(systemItem) : items,
    ...(tools.length === 0 ? {} : { tools }),
  };
  return { request, notes, problems };
}

function systemItem({ text }: SystemSide): OpenAiInputItem {
  return { role: "system", content: text };
}

function toItems(side: Side, context: WireContext): OpenAiInputItem[] {
  switch (side.kind) {
    case "system":
      return spokenSystem(side, context.report).map(systemItem);
    case "user":
      return openAiUserMessages(side, { writer, ...context });
    case "assistant":
      return [...toAssistant(side, context), ...side.results.map((result) => toOutput(result, context))];
    case "orphan":
      return [toOutput(side.result, context)];
  }
}

function toAssistant(side: AssistantSide, { pairing, report }: WireContext): OpenAiInputItem[] {
  const items: OpenAiInputItem[] = [];
  const thoughts = looseThoughts(items, report);
  for (const place of side.parts) {
    const { part } = place;
    switch (part.type) {
      case "text":
        if (part.text === "") {
          report.notePart(place, "empty-left-out");
          thoughts.skip(place);
        } else items.push(assistantText(part, thoughts.leadTo(place)));
        break;
      case "tool-call": {
        const input = toolInput({ ...place, part }, report);
        const id = thoughts.leadTo(place) ? itemId(part, "fc") : undefined;
        const call_id = pairing.idOf(place);
        items.push({
          type: "function_call",
          ...(id === undefined ? {} : { id }),
          call_id,
          name: part.toolName,
          arguments: jsonText(input, pathOf(place)),
        });
        break;
      }
      case "reasoning":
        thoughts.add({ ...place, part });
        break;
      case "file":
        refuseAssistantFile(place, "OpenAI", report);
        break;
    }
  }
  thoughts.drop();
  if (items.length === 0) report.noteMessage(side.message, "empty-left-out");
  return items;
}

function toOutput(place: Placed<ToolResultPart>, { pairing, report }: WireContext): OpenAiFunctionCallOutput {
  const { pieces } = readToolOutput(place.part.output);
  const isText = pieces.every((piece) => piece.kind === "text");
  const parts = isText ? [] : outputBlocks(pieces, place, { writer, report });
  const output = parts.length === 0 ? textOfPieces(pieces) : parts;
  return { type: "function_call_output", call_id: pairing.idOf(place), output };
}

function toTool({ name, description, inputSchema }: ToolSpec): OpenAiResponsesTool {
  const described = description === undefined ? {} : { description };
  return { type: "function", name, ...described, parameters: inputSchema, strict: false };
}

const writer: BlockWriter<OpenAiInputPart> = {
  isSilent: (text) => text === "",
  text: (text) => ({ type: "input_text", text }),
  media: (media) => (isImage(media) ? image(media) : file(media)),
  readsFiles: true,
  refusal: "OpenAI's Responses do not take",
  taken:
    "They take PNG, JPEG, GIF and WebP images and documents, as data, by https URL or as OpenAI's own file id; no sound, no video.",
};

function image(media: Media): OpenAiInputPart | undefined {
  const image_url = imageUrl(media);
  if (image_url !== undefined) return { type: "input_image", detail: "auto", image_url };
  const file_id = ownId(media, "openai");
  return file_id === undefined ? undefined : { type: "input_image", detail: "auto", file_id };
}

function file(media: Media): OpenAiInputPart | undefined {
  if (/^(audio|video)(\/|$)/.test(media.mediaType)) return undefined;
  const [file_url, file_id] = [webUrl(media), ownId(media, "openai")];
  if (file_url !== undefined) return { type: "input_file", file_url };
  if (file_id !== undefined) return { type: "input_file", file_id };
  if (media.kind !== "base64" || !/^application\/./.test(media.mediaType)) return undefined;
  const filename = media.filename ?? (media.mediaType === "application/pdf" ? "document.pdf" : "document");
  return { type: "input_file", filename, file_data: dataUrl(media.mediaType, media.data) };
}

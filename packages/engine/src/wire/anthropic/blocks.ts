import type { ToolResultPart } from "../../model/messages.ts";
import type { AssistantSide, Placed, Side, SpokenPart, WireContext } from "../shared/arrange-sides.ts";
import { type Media, isImage, ownId, refuseAssistantFile, textOf, webUrl } from "../shared/read-media.ts";
import { providerOption } from "../../model/provider-options.ts";
import { readToolOutput, toolInput } from "../shared/read-parts.ts";
import { type BlockWriter, type Segment, assistantSaid, outputBlocks, userSegments } from "../shared/segments.ts";
import type { WireReport } from "../shared/wire-report.ts";
import type {
  AnthropicBlock,
  AnthropicDocument,
  AnthropicImage,
  AnthropicImageType,
  AnthropicText,
  AnthropicToolResult,
} from "./types.ts";

export type AnthropicSegment = Segment<AnthropicBlock>;

export const writer: BlockWriter<AnthropicText | AnthropicImage | AnthropicDocument> = {
  isSilent: (text) => text.trim() === "",
  text: (text) => ({ type: "text", text }),
  media: (media) => (isImage(media) ? image(media) : document(media)),
  refusal: "Anthropic does not take",
  taken:
    "It takes JPEG, PNG, GIF and WebP images, PDF and text files, as data, by https URL (not text) or as its own file id.",
};

export function anthropicSegments(side: Side, context: WireContext): AnthropicSegment[] {
  switch (side.kind) {
    case "system":
    case "user":
      return userSegments(side, { writer, ...context });
    case "assistant":
      return assistantSegments(side, context);
    case "orphan":
      return [resultSegment(side.result, context)];
  }
}

function assistantSegments(side: AssistantSide, context: WireContext): AnthropicSegment[] {
  const { report } = context;
  const said = assistantSaid(side, (place) => assistantBlock(place, context));
  if (side.parts.length === 0 && side.results.length === 0) report.noteMessage(side.message, "empty-left-out");
  return [...callsLast(said, report), ...side.results.map((result) => resultSegment(result, context))];
}

/** Claude ends a message with its calls; text behind a call is moved before the calls, unless thinking fixes the order. */
function callsLast(said: readonly AnthropicSegment[], report: WireReport): readonly AnthropicSegment[] {
  const first = said.findIndex(({ block }) => block.type === "tool_use");
  const tail = first < 0 ? [] : said.slice(first);
  const words = tail.filter(({ block }) => block.type === "text");
  const calls = tail.filter(({ block }) => block.type === "tool_use");
  if (words.length === 0 || words.length + calls.length < tail.length) return said;
  for (const { message } of words) report.noteMessage(message, "reordered");
  return [...said.slice(0, first), ...words, ...calls];
}

function assistantBlock(place: Placed<SpokenPart>, { pairing, report }: WireContext): AnthropicBlock | undefined {
  const { part } = place;
  switch (part.type) {
    case "text":
      if (part.text.trim() !== "") return { type: "text", text: part.text };
      report.notePart(place, "empty-left-out");
      return undefined;
    case "tool-call": {
      const input = toolInput({ ...place, part }, report);
      return { type: "tool_use", id: pairing.idOf(place), name: part.toolName, input };
    }
    case "reasoning": {
      const signature = providerOption(part, "anthropic", "signature");
      if (signature !== undefined) return { type: "thinking", thinking: part.text, signature };
      const data = providerOption(part, "anthropic", "redactedData");
      if (data !== undefined) return { type: "redacted_thinking", data };
      report.notePart(place, "reasoning-left-out");
      return undefined;
    }
    case "file":
      return refuseAssistantFile(place, "Anthropic", report);
  }
}

function resultSegment(place: Placed<ToolResultPart>, { pairing, report }: WireContext): AnthropicSegment {
  const { isError, pieces } = readToolOutput(place.part.output);
  const blocks = outputBlocks(pieces, place, { writer, report });
  const [only] = blocks;
  const content = blocks.length === 1 && only?.type === "text" ? only.text : blocks;
  const block: AnthropicToolResult = {
    type: "tool_result",
    tool_use_id: pairing.idOf(place),
    // A result may lack content, but may not have a blank one.
    ...(content.length === 0 ? {} : { content }),
    ...(isError ? { is_error: true } : {}),
  };
  return { role: "user", message: place.message, block };
}

export const imageTypes: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

function image(media: Media): AnthropicImage | undefined {
  const [url, file_id] = [webUrl(media), ownId(media, "anthropic")];
  if (url !== undefined) return { type: "image", source: { type: "url", url } };
  if (file_id !== undefined) return { type: "image", source: { type: "file", file_id } };
  if (media.kind !== "base64" || !imageTypes.has(media.mediaType)) return undefined;
  const media_type = media.mediaType as AnthropicImageType;
  return { type: "image", source: { type: "base64", media_type, data: media.data } };
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
  const [url, file_id] = [webUrl(media), ownId(media, "anthropic")];
  if (file_id !== undefined) return { type: "file", file_id };
  if (media.mediaType !== "application/pdf") return undefined;
  if (url !== undefined) return { type: "url", url };
  return media.kind === "base64" ? { type: "base64", media_type: media.mediaType, data: media.data } : undefined;
}

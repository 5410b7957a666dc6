import type { ToolResultPart } from "../../model/messages.ts";
import { anthropicMedia } from "./media.ts";
import type { AnthropicBlock, AnthropicToolResult } from "./types.ts";
import type { AssistantSide, Placed, Side, SpokenPart } from "../shared/arrange-sides.ts";
import type { ToolPairing } from "../shared/pair-tool-calls.ts";
import { providerOption } from "../shared/provider-option.ts";
import { refuseAssistantFile } from "../shared/read-media.ts";
import { type OutputPiece, readToolOutput } from "../shared/read-tool-output.ts";
import { type BlockWriter, type Segment, userSegments } from "../shared/segments.ts";
import { toolInput } from "../shared/tool-input.ts";
import type { WireReport } from "../shared/wire-report.ts";

export type AnthropicSegment = Segment<AnthropicBlock>;

export const anthropicWriter: BlockWriter<AnthropicBlock> = {
  isSilent: (text) => text.trim() === "",
  text: (text) => ({ type: "text", text }),
  media: anthropicMedia,
};

export function anthropicSegments(side: Side, pairing: ToolPairing, report: WireReport): AnthropicSegment[] {
  switch (side.kind) {
    case "system":
    case "user":
      return userSegments(side, anthropicWriter, report);
    case "assistant":
      return assistantSegments(side, pairing, report);
    case "orphan":
      return [resultSegment(side.result, pairing, report)];
  }
}

function assistantSegments(side: AssistantSide, pairing: ToolPairing, report: WireReport): AnthropicSegment[] {
  const said: AnthropicSegment[] = [];
  for (const place of side.parts) {
    const block = assistantBlock(place, pairing, report);
    if (block) said.push({ role: "assistant", message: place.message, block });
  }
  if (side.parts.length === 0 && side.results.length === 0) report.noteMessage(side.message, "empty-left-out");
  return [...callsLast(said, report), ...side.results.map((result) => resultSegment(result, pairing, report))];
}

/** Claude ends a message with its calls; text behind one is told before them, unless thinking fixes the order. */
function callsLast(said: readonly AnthropicSegment[], report: WireReport): readonly AnthropicSegment[] {
  const first = said.findIndex(({ block }) => block.type === "tool_use");
  const tail = first < 0 ? [] : said.slice(first);
  const words = tail.filter(({ block }) => block.type === "text");
  if (words.length === 0 || words.length + countCalls(tail) < tail.length) return said;
  for (const { message } of words) report.noteMessage(message, "reordered");
  return [...said.slice(0, first), ...words, ...tail.filter(({ block }) => block.type !== "text")];
}

function countCalls(said: readonly AnthropicSegment[]): number {
  return said.filter(({ block }) => block.type === "tool_use").length;
}

function assistantBlock(
  place: Placed<SpokenPart>,
  pairing: ToolPairing,
  report: WireReport,
): AnthropicBlock | undefined {
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

function resultSegment(place: Placed<ToolResultPart>, pairing: ToolPairing, report: WireReport): AnthropicSegment {
  const { isError, pieces } = readToolOutput(place.part.output);
  const blocks = pieces.flatMap((piece) => pieceBlocks(piece, place, report));
  const [only] = blocks;
  const content = blocks.length === 1 && only?.type === "text" ? only.text : blocks;
  const block: AnthropicToolResult = {
    type: "tool_result",
    tool_use_id: pairing.idOf(place),
    // A result may have no content at all, but not a blank one.
    ...(content.length === 0 ? {} : { content }),
    ...(isError ? { is_error: true } : {}),
  };
  return { role: "user", message: place.message, block };
}

type ResultBlock = Exclude<AnthropicToolResult["content"], string | undefined>[number];

function pieceBlocks(piece: OutputPiece, place: Placed<ToolResultPart>, report: WireReport): ResultBlock[] {
  switch (piece.kind) {
    case "text":
      if (piece.text.trim() !== "") return [{ type: "text", text: piece.text }];
      report.notePart(place, "empty-left-out");
      return [];
    case "media": {
      const block = anthropicMedia(piece.media, place, report);
      return block ? [block] : [];
    }
    case "custom":
      report.notePart(place, "custom-left-out");
      return [];
  }
}

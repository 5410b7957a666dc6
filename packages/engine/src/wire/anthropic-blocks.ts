import type { ToolResultPart, UserPart } from "../model/messages.ts";
import { anthropicMedia } from "./anthropic-media.ts";
import type { AnthropicBlock, AnthropicToolResult } from "./anthropic-request.ts";
import type { AssistantSide, Placed, SpokenPart, Side, UserSide } from "./arrange-sides.ts";
import { systemAsUserText } from "./leading-system.ts";
import type { ToolPairing } from "./pair-tool-calls.ts";
import { providerOption } from "./provider-option.ts";
import { readMedia } from "./read-media.ts";
import { type OutputPiece, readToolOutput } from "./read-tool-output.ts";
import { toolInput } from "./tool-input.ts";
import type { WireReport } from "./wire-report.ts";

/** A block with the role it is said in and the message it comes from. */
export interface AnthropicSegment {
  readonly role: "user" | "assistant";
  readonly message: number;
  readonly block: AnthropicBlock;
}

export function anthropicSegments(side: Side, pairing: ToolPairing, report: WireReport): AnthropicSegment[] {
  switch (side.kind) {
    case "system":
      return systemSegment(side.message, side.text, report);
    case "user":
      return userSegments(side, report);
    case "assistant":
      return assistantSegments(side, pairing, report);
    case "orphan":
      return [resultSegment(side.result, pairing, report)];
  }
}

function systemSegment(message: number, text: string, report: WireReport): AnthropicSegment[] {
  if (text.trim() === "") {
    report.noteMessage(message, "empty-left-out");
    return [];
  }
  report.noteMessage(message, "system-as-user");
  return [{ role: "user", message, block: { type: "text", text: systemAsUserText(text) } }];
}

function userSegments(side: UserSide, report: WireReport): AnthropicSegment[] {
  if (side.parts.length === 0) report.noteMessage(side.message, "empty-left-out");
  return side.parts.flatMap((place) => {
    const block = userBlock(place, report);
    return block ? [{ role: "user" as const, message: place.message, block }] : [];
  });
}

function userBlock(place: Placed<UserPart>, report: WireReport): AnthropicBlock | undefined {
  const { part } = place;
  switch (part.type) {
    case "text":
      return textBlock(part.text, place, report);
    case "image":
      return anthropicMedia(readMedia(part.image, part.mediaType ?? "image"), place, report);
    case "file":
      return anthropicMedia(readMedia(part.data, part.mediaType, part.filename), place, report);
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
      return textBlock(part.text, place, report);
    case "tool-call": {
      const { input, wrapped } = toolInput(part.input);
      if (wrapped) report.notePart(place, "input-wrapped");
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
      report.refuse(
        place,
        "Anthropic takes no files in assistant messages.",
        "Drop the part, or say it in a user message.",
      );
      return undefined;
  }
}

function textBlock(text: string, place: Placed<unknown>, report: WireReport): AnthropicBlock | undefined {
  if (text.trim() !== "") return { type: "text", text };
  report.notePart(place, "empty-left-out");
  return undefined;
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

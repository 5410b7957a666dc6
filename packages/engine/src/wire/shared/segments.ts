import { mediaOfPart } from "../../model/media.ts";
import type { UserPart } from "../../model/messages.ts";
import {
  type AssistantSide,
  type Placed,
  type SpokenPart,
  type SystemSide,
  type UserSide,
  spokenSystem,
} from "./arrange-sides.ts";
import { type Media, asBase64 } from "./read-media.ts";
import type { OutputPiece } from "./read-parts.ts";
import type { WireInput } from "./wire-input.ts";
import type { PartPlace, WireReport } from "./wire-report.ts";

/** How a provider writes what a user may say. */
export interface BlockWriter<Block> {
  /** True for a text that the provider refuses or that says nothing. */
  readonly isSilent: (text: string) => boolean;
  readonly text: (text: string) => Block;
  /** Nothing, and a problem, for what the provider does not take. */
  readonly media: (media: Media, place: PartPlace, report: WireReport) => Block | undefined;
}

/** A block with the message it comes from. */
export interface Sourced<Block> {
  readonly message: number;
  readonly block: Block;
}

/** A block with the role it is said in, for providers whose conversations have two roles that take turns. */
export interface Segment<Block> extends Sourced<Block> {
  readonly role: "user" | "assistant";
}

export function userBlocks<Block>(side: UserSide, writer: BlockWriter<Block>, report: WireReport): Sourced<Block>[] {
  if (side.parts.length === 0) report.noteMessage(side.message, "empty-left-out");
  return side.parts.flatMap((place) => {
    const block = userBlock(place, writer, report);
    return block === undefined ? [] : [{ message: place.message, block }];
  });
}

function userBlock<Block>(place: Placed<UserPart>, writer: BlockWriter<Block>, report: WireReport): Block | undefined {
  const { part } = place;
  switch (part.type) {
    case "text":
      if (!writer.isSilent(part.text)) return writer.text(part.text);
      report.notePart(place, "empty-left-out");
      return undefined;
    case "image":
    case "file":
      return writer.media(asBase64(mediaOfPart(part)), place, report);
  }
}

/** What the assistant says. */
export function assistantSaid<Block>(
  { parts }: AssistantSide,
  write: (place: Placed<SpokenPart>) => Block | undefined,
): Segment<Block>[] {
  return parts.flatMap((place): Segment<Block>[] => {
    const block = write(place);
    return block === undefined ? [] : [{ role: "assistant", message: place.message, block }];
  });
}

/** What a tool gave. */
export function outputBlocks<Block>(
  pieces: readonly OutputPiece[],
  place: PartPlace,
  writer: BlockWriter<Block>,
  report: WireReport,
): Block[] {
  return pieces.flatMap((piece) => {
    switch (piece.kind) {
      case "text":
        if (!writer.isSilent(piece.text)) return [writer.text(piece.text)];
        report.notePart(place, "empty-left-out");
        return [];
      case "media": {
        const block = writer.media(piece.media, place, report);
        return block === undefined ? [] : [block];
      }
      case "custom":
        report.notePart(place, "custom-left-out");
        return [];
    }
  });
}

/** What the user says, and what the system says inside the conversation, where such providers have no role for it. */
export function userSegments<Block>(
  side: SystemSide | UserSide,
  writer: BlockWriter<Block>,
  report: WireReport,
): Segment<Block>[] {
  if (side.kind === "user") return userBlocks(side, writer, report).map((said) => ({ role: "user", ...said }));
  return spokenSystem(side, report).map(({ message, text }) => {
    report.noteMessage(message, "system-as-user");
    return { role: "user", message, block: writer.text(systemAsUserText(text)) };
  });
}

/** A system message inside the conversation, for providers that have no such role there. */
export function systemAsUserText(text: string): string {
  return `<system>\n${text}\n</system>`;
}

/** The user message in front of a conversation that the assistant begins, or that has no messages yet. */
export const fillerText = "Begin.";

export function startWithUser<Block>(
  segments: readonly Segment<Block>[],
  writer: BlockWriter<Block>,
  input: WireInput,
  report: WireReport,
): readonly Segment<Block>[] {
  if (segments[0]?.role === "user" || input.messages.length === 0) return segments;
  report.noteMessage(segments[0]?.message ?? 0, "filler-added");
  return [{ role: "user", message: -1, block: writer.text(fillerText) }, ...segments];
}

/** Neighbours of one role are one message. Results that join are not noted. */
export function mergeRoles<Block>(
  segments: readonly Segment<Block>[],
  isResult: (block: Block) => boolean,
  report: WireReport,
): { readonly role: "user" | "assistant"; readonly blocks: Block[] }[] {
  const messages: { role: "user" | "assistant"; blocks: Block[] }[] = [];
  let newest = -1;
  for (const { role, message, block } of segments) {
    const last = messages.at(-1);
    if (last?.role !== role) messages.push({ role, blocks: [block] });
    else {
      if (message > newest && !isResult(block)) report.noteMessage(message, "merged");
      last.blocks.push(block);
    }
    newest = Math.max(newest, message);
  }
  return messages;
}

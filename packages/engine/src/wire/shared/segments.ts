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
import { type Media, asBase64, textOf } from "./read-media.ts";
import type { OutputPiece } from "./read-parts.ts";
import type { WireInput } from "./wire-input.ts";
import type { PartPlace, WireReport } from "./wire-report.ts";

/** How a provider writes what a user may say. */
export interface BlockWriter<Block> {
  /** True for a text that the provider refuses or that says nothing. */
  readonly isSilent: (text: string) => boolean;
  readonly text: (text: string) => Block;
  /** Nothing for what the provider does not take. */
  readonly media: (media: Media) => Block | undefined;
  /** Text files are written as texts. */
  readonly readsFiles?: true;
  /** What an error says: that the provider does not take something, and what it takes. */
  readonly refusal: string;
  readonly taken: string;
}

/** What writes, and where it says what it did. */
export interface Writing<Block> {
  readonly writer: BlockWriter<Block>;
  readonly report: WireReport;
}

/** Nothing, and a problem, for what the provider does not take. */
export function writeMedia<Block>(
  media: Media,
  place: PartPlace,
  { writer, report }: Writing<Block>,
): Block | undefined {
  const file = writer.readsFiles ? textOf(media) : undefined;
  if (file !== undefined) {
    report.notePart(place, "file-as-text");
    const name = media.filename === undefined ? "" : ` name=${JSON.stringify(media.filename)}`;
    return writer.text(`<file${name}>\n${file}\n</file>`);
  }
  const block = writer.media(media);
  if (block !== undefined) return block;
  const how = media.kind === "reference" ? `uploaded to ${Object.keys(media.reference).join(", ")}` : media.kind;
  report.refuse(place, `${writer.refusal} ${media.mediaType || "file"} (${how}).`, writer.taken);
  return undefined;
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

export function userBlocks<Block>(side: UserSide, out: Writing<Block>): Sourced<Block>[] {
  if (side.parts.length === 0) out.report.noteMessage(side.message, "empty-left-out");
  return side.parts.flatMap((place) => {
    const block = userBlock(place, out);
    return block === undefined ? [] : [{ message: place.message, block }];
  });
}

function userBlock<Block>(place: Placed<UserPart>, out: Writing<Block>): Block | undefined {
  const { part } = place;
  switch (part.type) {
    case "text":
      if (!out.writer.isSilent(part.text)) return out.writer.text(part.text);
      out.report.notePart(place, "empty-left-out");
      return undefined;
    case "image":
    case "file":
      return writeMedia(asBase64(mediaOfPart(part)), place, out);
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
export function outputBlocks<Block>(pieces: readonly OutputPiece[], place: PartPlace, out: Writing<Block>): Block[] {
  const { writer, report } = out;
  return pieces.flatMap((piece) => {
    switch (piece.kind) {
      case "text":
        if (!writer.isSilent(piece.text)) return [writer.text(piece.text)];
        report.notePart(place, "empty-left-out");
        return [];
      case "media": {
        const block = writeMedia(piece.media, place, out);
        return block === undefined ? [] : [block];
      }
      case "custom":
        report.notePart(place, "custom-left-out");
        return [];
    }
  });
}

/** What the user says, and what the system says inside the conversation, where such providers have no role for it. */
export function userSegments<Block>(side: SystemSide | UserSide, out: Writing<Block>): Segment<Block>[] {
  if (side.kind === "user") return userBlocks(side, out).map((said) => ({ role: "user", ...said }));
  const { writer, report } = out;
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
  { messages }: WireInput,
  { writer, report }: Writing<Block>,
): readonly Segment<Block>[] {
  if (segments[0]?.role === "user" || messages.length === 0) return segments;
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

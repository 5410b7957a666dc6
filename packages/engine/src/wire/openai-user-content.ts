import type { UserPart } from "../model/messages.ts";
import type { Placed, UserSide } from "./arrange-sides.ts";
import { type Media, readMedia } from "./read-media.ts";
import type { PartPlace, WireReport } from "./wire-report.ts";

/** How one of OpenAI's two formats writes what a user may say. */
export interface UserPartWriter<Part> {
  text(text: string): Part;
  media(media: Media, place: PartPlace, report: WireReport): Part | undefined;
}

/** What a user says: a lone text as it is, else parts; nothing when nothing is left of it. */
export function openAiUserContent<Part>(
  side: UserSide,
  writer: UserPartWriter<Part>,
  report: WireReport,
): string | Part[] | undefined {
  const content = side.parts.flatMap((place) => toPart(place, writer, report));
  if (content.length === 0) {
    if (side.parts.length === 0) report.noteMessage(side.message, "empty-left-out");
    return undefined;
  }
  const only = side.parts.find(({ part }) => part.type !== "text" || part.text !== "");
  return content.length === 1 && only?.part.type === "text" ? only.part.text : content;
}

function toPart<Part>(place: Placed<UserPart>, writer: UserPartWriter<Part>, report: WireReport): Part[] {
  const { part } = place;
  switch (part.type) {
    case "text":
      if (part.text !== "") return [writer.text(part.text)];
      report.notePart(place, "empty-left-out");
      return [];
    case "image":
      return present(writer.media(readMedia(part.image, part.mediaType ?? "image"), place, report));
    case "file":
      return present(writer.media(readMedia(part.data, part.mediaType, part.filename), place, report));
  }
}

/** A list of one, or of none. */
export function present<Value>(value: Value | undefined): Value[] {
  return value === undefined ? [] : [value];
}

import type { UserSide } from "./arrange-sides.ts";
import { type Media, fileAsText, refuseMedia, textOf } from "./read-media.ts";
import { type BlockWriter, userBlocks } from "./segments.ts";
import type { WireReport } from "./wire-report.ts";

/** What differs between OpenAI's two formats. */
interface OpenAiFormat<Part> {
  readonly text: (text: string) => Part;
  /** Nothing for what the format does not take. */
  readonly read: (media: Media) => Part | undefined;
  readonly refusal: string;
  readonly taken: string;
}

export function openAiWriter<Part>({ text, read, refusal, taken }: OpenAiFormat<Part>): BlockWriter<Part> {
  return {
    isSilent: (said) => said === "",
    text,
    media(media, place, report) {
      const file = textOf(media);
      if (file === undefined) return read(media) ?? refuseMedia(media, place, refusal, taken, report);
      report.notePart(place, "file-as-text");
      return text(fileAsText(file, media.filename));
    },
  };
}

/** The user's message: a lone text as it is, else parts; none when nothing is left of it. */
export function openAiUserMessages<Part>(
  side: UserSide,
  writer: BlockWriter<Part>,
  report: WireReport,
): { role: "user"; content: string | Part[] }[] {
  const parts = userBlocks(side, writer, report).map(({ block }) => block);
  if (parts.length === 0) return [];
  const only = side.parts.find(({ part }) => part.type !== "text" || part.text !== "");
  return [{ role: "user", content: parts.length === 1 && only?.part.type === "text" ? only.part.text : parts }];
}

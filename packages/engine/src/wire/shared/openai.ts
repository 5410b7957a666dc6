import type { UserSide } from "./arrange-sides.ts";
import type { Refuse, ToolRules } from "./refuse.ts";
import { type Media, webUrl } from "./read-media.ts";
import { type Writing, userBlocks } from "./segments.ts";

// What OpenAI's two formats have in common.

export const openAiToolRules: ToolRules = {
  name: /^[a-zA-Z0-9_-]{1,64}$/,
  nameRule: "1 to 64 letters, digits, underscores and dashes",
  schemaField: "parameters",
  maxTools: 128,
  refusesTopLevelChoice: true,
};

export function checkCallId(id: string, path: string, maxLength: number, refuse: Refuse): void {
  if (id !== "" && id.length <= maxLength) return;
  refuse(path, `A call's id has 1 to ${maxLength} characters; this has ${id.length}.`);
}

/** Matches what `imageUrl` gives. */
export const imageUrlPattern = /^(https?:\/\/.|data:image\/(png|jpeg|gif|webp);base64,.)/i;

/** The URL of an image: one of the web, or its data. */
export function imageUrl(media: Media): string | undefined {
  const isData = media.kind === "base64" && /^image\/(png|jpeg|gif|webp)$/.test(media.mediaType);
  return isData ? dataUrl(media.mediaType, media.data) : webUrl(media);
}

export function dataUrl(mediaType: string, base64: string): string {
  return `data:${mediaType};base64,${base64}`;
}

/** The user's message: a lone text as it is, else parts; none when nothing is left of it. */
export function openAiUserMessages<Part>(
  side: UserSide,
  out: Writing<Part>,
): { role: "user"; content: string | Part[] }[] {
  const parts = userBlocks(side, out).map(({ block }) => block);
  if (parts.length === 0) return [];
  const only = side.parts.find(({ part }) => part.type !== "text" || part.text !== "");
  return [{ role: "user", content: parts.length === 1 && only?.part.type === "text" ? only.part.text : parts }];
}

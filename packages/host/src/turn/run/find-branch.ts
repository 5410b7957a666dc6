import { GalleyError, type SessionEntry, type UserMessage } from "@galley/engine";
import { chatKeyOf } from "../../api/place-id.ts";
import type { Services } from "../services/services.ts";
import type { PreparedRun } from "./run-request.ts";
import { lastUserEntry } from "../places/session-place.ts";
import { type PlaceName } from "../places/turn-place.ts";

type MessageEntry = SessionEntry & { readonly type: "message" };

/** The last message of the user, to be regenerated [M6]. */
export async function branchAtLast(parts: Services, place: PlaceName): Promise<PreparedRun> {
  const { entries, time } = await readPlace(parts, place);
  const last = lastUserEntry(entries);
  if (!last) {
    const hint = "Say something first.";
    throw new GalleyError("NotFound", "There is no user message to regenerate.", { hint });
  }
  // The same message, with its own time: it is not said again.
  const inputTs = chatKeyOf(place) === undefined ? time() : Number(last.ts);
  return {
    input: last.message as UserMessage,
    inputTs,
    branch: { from: last.id, to: lastMessageId(entries), kind: "regenerate" },
  };
}

/** A message of the user, to be edited [M6]. */
export async function branchAt(
  parts: Services,
  place: PlaceName,
  messageId: string,
  input: UserMessage,
): Promise<PreparedRun> {
  const { entries, time } = await readPlace(parts, place);
  const found = entries.find((entry): entry is MessageEntry => entry.type === "message" && entry.id === messageId);
  if (!found) {
    const hint = "It may have been put away with its context, or cut off by another edit.";
    const message = `There is no message ${JSON.stringify(messageId)} here that could be edited.`;
    throw new GalleyError("NotFound", message, { path: "messageId", hint });
  }
  if (found.message.role !== "user") {
    throw new GalleyError("BadRequest", `The message ${messageId} is one of the role ${found.message.role}.`, {
      path: "messageId",
      hint: "Only messages of the user can be edited; a reply can be regenerated.",
    });
  }
  return { input, inputTs: time(), branch: { from: messageId, to: lastMessageId(entries), kind: "edit" } };
}

function lastMessageId(entries: readonly SessionEntry[]): string | undefined {
  return entries.findLast(({ type }) => type === "message")?.id;
}

async function readPlace(
  parts: Services,
  place: PlaceName,
): Promise<{ readonly entries: readonly SessionEntry[]; readonly time: () => number }> {
  const key = chatKeyOf(place);
  if (key === undefined) return { entries: await parts.sessions.read(place.session), time: parts.now };
  const chat = await parts.chats.open(key);
  const entries = chat.window().exists ? chat.entries({ maxMessages: 20_000, maxCharacters: 8_000_000 }) : [];
  return { entries, time: () => chat.nextTime() };
}

import { GalleyError } from "@galley/engine";
import { type PlaceId, parsePlaceId, sessionIdOf } from "../../api/place-id.ts";
import type { Chat } from "../../chat/chat.ts";
import { chatPaths, noChatError } from "../../chat/lines/chat-paths.ts";
import { exists } from "../../disk/data-files.ts";
import { isNamedFile } from "../../disk/named-files.ts";

/** A place as a person names it [V4], with `#n` behind it one of its calls. */
export interface NamedPlace extends PlaceId {
  /** Under which its calls are recorded. */
  readonly sessionId: string;
  /** Which call; the newest one if absent. */
  readonly n?: number;
}

/** What the argument of a command may be that reads a whole conversation. */
export const conversationArgument =
  "chat:KEY, agent:NAME, task:ID, a session's id, the path of an agent's log or a session file, or -";

const examples = { chat: "chat:demo", agent: "agent:mara", task: "task:ID", session: "session:ID" } as const;

export function parsePlace(text: string): NamedPlace {
  const [, whole = text, digits] = /^(.+)#(\d+)$/su.exec(text) ?? [];
  const { kind, name } = parsePlaceId(whole);
  if (name === "") {
    throw new GalleyError("BadUsage", `${JSON.stringify(text)} does not say which ${kind} is meant.`, {
      path: text,
      hint: `Write it like ${examples[kind]}.`,
    });
  }
  const call = digits === undefined ? {} : { n: Number(digits) };
  return { kind, name, sessionId: sessionIdOf({ kind, name }), ...call };
}

/** Whether it may name a file: what begins with the kind of a place is a place. */
export function isFileLike(text: string): boolean {
  return parsePlaceId(text).name === text;
}

/** Whether a file of this name is there. What begins like a path is one, and reading it says what is wrong. */
export async function isFileName(text: string): Promise<boolean> {
  return isFileLike(text) && (/^\.{0,2}\//u.test(text) || isNamedFile(text));
}

/** A place that is meant as a whole: one call of it is not enough. */
export function wholePlace(text: string): NamedPlace {
  const place = parsePlace(text);
  if (place.n === undefined) return place;
  throw new GalleyError("BadUsage", `${text} is one call, and a whole conversation is needed here.`, {
    path: text,
    hint: `Leave #${place.n} out; galley explain ${text} shows the call.`,
  });
}

/** Opens a chat in which something was said or set, for as long as `use` needs it; does not begin one. */
export async function withKnownChat<Result>(
  data: string,
  key: string,
  use: (chat: Chat) => Result | Promise<Result>,
): Promise<Result> {
  const { openChat } = await import("../../chat/open-chat.ts");
  const chat = await openChat(data, key);
  try {
    const one = { maxMessages: 1 };
    const isSet = exists(chatPaths(chat.folder).settings);
    if (isSet || chat.window(one).exists || chat.transcript(one).exists) return await use(chat);
  } finally {
    await chat.close();
  }
  throw noChatError(data, key);
}

/** Nothing of this name: neither a session of the data folder nor a file. */
export function noPlaceError(text: string, data: string): GalleyError {
  const { kind, name } = parsePlace(text);
  const message =
    kind === "task"
      ? `${data} has no log of the task ${JSON.stringify(name)}.`
      : `${data} has no session ${JSON.stringify(name)}, and there is no file of this name.`;
  // What looks like a path was meant as one.
  return new GalleyError(/[\\/]|\.\w+$/u.test(name) ? "FileNotFound" : "NotFound", message, {
    path: text,
    hint: "A place is chat:KEY, agent:NAME, task:ID or the id of a session; galley session list and galley chat list name them. --data names another folder.",
  });
}

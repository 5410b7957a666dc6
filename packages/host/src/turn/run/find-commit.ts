import { canonicalJson } from "@galley/engine";
import { entryIdOf } from "../places/own-messages.ts";
import type { Services } from "../services/services.ts";
import type { TurnOutcome } from "../services/turn-types.ts";
import { checkReply, commitMark, endedTurn } from "./turn-outcome.ts";

/** How long a commit is remembered. */
const remembered = 24 * 60 * 60 * 1000;
/** How many messages back it is looked for in a chat. */
const lookBack = { maxMessages: 10_000, maxCharacters: 2 ** 40 };

/**
 * Whether a turn that is not open any more was committed with this outcome: the same commit again answers the same [T7], also
 * after a restart, because the reply itself says which turn it belongs to. With another outcome it is an error.
 */
export async function isCommitted(parts: Services, turnId: string, outcome: TurnOutcome): Promise<boolean> {
  const { store, project, now } = parts;
  const found = await store.builds.findTurn(project, turnId);
  if (!found || found.at < now() - remembered) return false;
  const { sessionId } = found;
  // An agent keeps its history in a chat of its own [A6].
  const key = /^chat:(.*)$/su.exec(sessionId)?.[1] ?? (sessionId.startsWith("agent:") ? sessionId : undefined);
  const isSame =
    key !== undefined
      ? await committedInChat(parts, key, turnId, outcome)
      : await committedInSession(parts, sessionId, turnId, outcome);
  if (isSame === false) throw endedTurn("committed");
  return isSame === true;
}

async function committedInChat(
  { chats }: Services,
  key: string,
  turnId: string,
  outcome: TurnOutcome,
): Promise<boolean | undefined> {
  const { messages } = (await chats.open(key)).transcript(lookBack);
  const reply = messages.findLast(({ turn }) => turn?.startsWith(`${turnId}/`));
  return reply && reply.turn === commitMark(turnId, outcome);
}

async function committedInSession(
  { sessions, redactor }: Services,
  session: string,
  turnId: string,
  { assistant }: TurnOutcome,
): Promise<boolean | undefined> {
  const id = entryIdOf(turnId, "reply");
  const reply = (await sessions.read(session)).findLast((entry) => entry.id === id);
  if (reply?.type !== "message") return undefined;
  return canonicalJson(reply.message) === canonicalJson(redactor.redact(checkReply(assistant)));
}

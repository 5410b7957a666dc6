import type { Chat } from "./chat.ts";
import { type ChatMessage, messageId } from "./lines/chat-line.ts";
import { textOf } from "./lines/read-window.ts";
import { letOthersRun } from "../limits/in-slices.ts";
import { textFinder } from "../search/archive-snippet.ts";
import { fold, tokensOf } from "../search/search-tokens.ts";

/** A message that was searched for. */
export interface MessageMatch {
  /** The archived context that it stands in; absent where that is the active one. */
  readonly contextId?: string;
  /** Absent where the title or the summary of the context was found. */
  readonly messageId?: string;
  /** The words around it. */
  readonly snippet: string;
}

/** Of one chat, so that a talkative one does not hide the others. */
const maxMatches = 8;
/** How much of an active context is looked through at once, from its end; what was put away is in the index. */
const slice = { maxMessages: 1000, maxCharacters: 500_000 };

type TextFinder = (text: string) => string | undefined;

/** Finds the messages of a chat that have every word: those of the active context, then those that were put away. */
export function chatFinder(query: string): ((chat: Chat) => Promise<readonly MessageMatch[]>) | undefined {
  const find = textFinder(query);
  if (!find) return undefined;
  return async (chat) => {
    const active = await findActive(chat, find);
    return [...active, ...(await findArchived(chat, query, find))].slice(0, maxMatches);
  };
}

/** The newest first, slice by slice: others have their turn in between. */
async function findActive(chat: Chat, find: TextFinder): Promise<MessageMatch[]> {
  const matches: MessageMatch[] = [];
  let endsAt: number | undefined;
  for (;;) {
    const { messages, isWhole, first } = chat.window({ ...slice, endsAt });
    matches.push(...matchesIn(messages.toReversed(), find));
    if (isWhole || first === undefined || matches.length >= maxMatches) return matches;
    endsAt = first.start;
    await letOthersRun();
  }
}

function matchesIn(messages: readonly ChatMessage[], find: TextFinder): MessageMatch[] {
  const matches: MessageMatch[] = [];
  for (const message of messages) {
    const snippet = find(textOf(message));
    if (snippet !== undefined) matches.push({ messageId: messageId(message), snippet });
    if (matches.length >= maxMatches) break;
  }
  return matches;
}

async function findArchived(chat: Chat, query: string, find: TextFinder): Promise<MessageMatch[]> {
  const contexts = await chat.searchContexts(query, maxMatches);
  return contexts.flatMap(({ contextId, title, snippet }): MessageMatch[] => {
    const [match] = matchesIn(chat.readContext(contextId).messages, find);
    if (match) return [{ contextId, ...match }];
    return find(`${title} ${snippet}`) === undefined ? [] : [{ contextId, snippet }];
  });
}

/** The words of a text as the search over archives knows them: of scripts without spaces, every two neighbours. */
export function recallTerms(text: string): readonly string[] {
  return tokensOf(fold(text)).flatMap(({ kind, text: term }, index) => (kind === "last" && index > 0 ? [] : [term]));
}

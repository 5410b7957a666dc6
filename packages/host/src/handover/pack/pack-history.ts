import { type ModelMessage, type SessionEntry, type Tokenizer, tokenAccount, view } from "@galley/engine";
import { groupStarts } from "@galley/engine/messages";
import { cardsOfMessages } from "../cards/cards-of-messages.ts";
import { parentPointer } from "../cards/parent-pointer.ts";
import { type Caller, startedId } from "../options/caller.ts";
import type { Handover } from "../options/handover-options.ts";
import { derivedId } from "../options/new-id.ts";
import { findProfile, readSettings } from "./profiles.ts";
import type { PlaceHistory } from "../../tools/tool.ts";

/** What was said according to a log: the summary in force, and what stands behind it. */
export function saidIn(entries: readonly SessionEntry[]): readonly ModelMessage[] {
  const { messages, compaction } = view(entries);
  const { summary } = compaction ?? {};
  const earlier: readonly ModelMessage[] = summary === undefined ? [] : [{ role: "user", content: summary }];
  return [...earlier, ...messages.map(({ message }) => message)];
}

/** What an agent may be sent whose model nothing is known of, in tokens. */
const unknownInput = 32_000;

/** What was said in a place, for an agent that is to know it [A3]. */
export function historyOf(
  messages: readonly ModelMessage[],
  tokenizer: Tokenizer,
  inputTokens = unknownInput,
): PlaceHistory {
  const account = tokenAccount(tokenizer);
  return { messages, inputTokens, countTokens: (message) => account.countMessage(message) };
}

/**
 * Packs what was said in a caller's place as cards, behind a card that says where it comes from: the newest that fit half of what
 * a task of the profile may be sent [A3]. The same call packs it once. Open calls are closed where the cards become messages
 * again [H5].
 */
export async function packHistory(
  caller: Caller,
  history: PlaceHistory,
  handover: Handover,
  profileName: string,
): Promise<string> {
  const { store, now, newId } = handover;
  const { projectId, id: callerId } = caller;
  const started = startedId(caller);
  const boxId = started === undefined ? newId() : derivedId(projectId, started, "history");
  const [there] = started === undefined ? [] : await store.cards.readBoxes(projectId, [boxId]);
  if (there) return boxId;
  const spoken = history.messages.filter(({ role }) => role !== "system");
  const maxTokens = Math.floor((await targetTokens(caller, handover, profileName, history)) / 2);
  const kept = newestThatFit(spoken, { ...history, maxTokens });
  const stamp = { authorId: callerId, now: now(), newId };
  const note = originNote(history.place ?? callerId, kept.length, spoken.length);
  const cards = cardsOfMessages([note, ...kept], stamp);
  const pointer = parentPointer(callerId, stamp);
  const items = [
    ...cards.map(({ id }) => ({ cardId: id, origin: "inherited" as const })),
    { cardId: pointer.id, origin: "pointer" as const },
  ];
  await store.cards.pack({ projectId, cards: [...cards, pointer], boxes: [{ id: boxId, items }], now: now() });
  return boxId;
}

/** What a task of the profile may be sent: by its own model, else by the caller's, as far as it is known. */
async function targetTokens(
  caller: Caller,
  handover: Handover,
  profileName: string,
  { inputTokens }: PlaceHistory,
): Promise<number> {
  const { projectId } = caller;
  const profile = await findProfile(handover, projectId, profileName);
  if (!profile || !handover.inputTokens) return inputTokens;
  const settings = await readSettings(handover, projectId, profile.boxId);
  const { preset } = settings;
  const model = caller.chosenModel ?? settings.model ?? caller.model;
  return handover.inputTokens({ profileName, model, preset });
}

/** Whole groups, from the newest backwards: a result does not come without its call. */
function newestThatFit(
  messages: readonly ModelMessage[],
  { maxTokens, countTokens }: Pick<PlaceHistory, "countTokens"> & { readonly maxTokens: number },
): readonly ModelMessage[] {
  const starts = groupStarts(messages, (message) => message);
  let first = messages.length;
  let left = maxTokens;
  for (const start of starts.toReversed()) {
    for (let index = start; index < first; index += 1) left -= countTokens(messages[index] as ModelMessage);
    if (left < 0) break;
    first = start;
  }
  return messages.slice(first);
}

function originNote(place: string, kept: number, all: number): ModelMessage {
  const what = kept === all ? `${all} messages` : `the newest ${kept} of ${all} messages`;
  return {
    role: "user",
    content: `[What follows was said in ${place} before you were asked: ${what}, for reference.]`,
  };
}

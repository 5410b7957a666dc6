import { type MessageEntry, type ModelMessage, type Preset, toAdvanced } from "@galley/engine";
import type { MessagePart } from "@galley/engine/messages";
import type { Card } from "../../store/ports/card-store.ts";
import { giverText } from "../options/caller.ts";
import { closeOpenCalls } from "../cards/close-open-calls.ts";
import { type CardMessage, messagesOfCards, roleOf, textOf } from "../cards/messages-of-cards.ts";
import { parentOf } from "../cards/parent-pointer.ts";
import type { PlacedCard, Section } from "./task-sections.ts";

/** What the engine is given for a task, and which cards each piece is made of. */
export interface RecipeInput {
  readonly preset: Preset;
  /** What others have said of the task: as variables, texts are put in as they are, whatever braces they hold. */
  readonly variables: Readonly<Record<string, string>>;
  readonly entries: readonly MessageEntry[];
  /** By ledger id: the step's or the entry's. */
  readonly cardsOf: ReadonlyMap<string, readonly Card[]>;
}

/**
 * The handover recipe [H3]: profile and pointer → inherited cards and the agent's earlier output → the instruction → this
 * task's own output. An instruction never stands before the history it refers to, nor behind the task's own results.
 */
export function handoverRecipe(placed: readonly PlacedCard[], agentRefs: readonly string[] = []): RecipeInput {
  const cards = (section: Section): Card[] =>
    placed.flatMap((item) => (item.section === section && item.card && !item.unread ? [item.card] : []));
  const profile = cards("profile");
  const pointers = cards("pointer");
  const skeleton = [...profile, ...pointers];
  const messages = [
    // What was open when it was handed over stays so: another agent, or another task, has asked.
    ...messagesOfCards(closeOpenCalls([...cards("inherited"), ...cards("earlier")])),
    ...instructionMessages(cards("instruction")),
    ...messagesOfCards(cards("own")),
  ];
  const cardsOf = new Map<string, readonly Card[]>(skeleton.map((card) => [card.id, [card]]));
  for (const message of messages) cardsOf.set(entryId(message), message.cards);
  return {
    preset: presetOf(profile, pointers),
    variables: Object.fromEntries(pointers.map((card, index) => [variableOf(index), skeletonText(card, agentRefs)])),
    entries: messages.map(entryOf),
    cardsOf,
  };
}

const historyId = "chat_history";
const variableOf = (index: number): string => `card_${index}`;

/** A profile is written by a person, as a preset is: placeholders in it are filled in [C10]. */
function presetOf(profile: readonly Card[], pointers: readonly Card[]): Preset {
  const ids = [...profile, ...pointers].map(({ id }) => id).concat(historyId);
  return {
    name: "handover",
    messageTemplates: [
      ...profile.map((card) => ({ id: card.id, role: skeletonRole(card), content: textOf(card) })),
      ...pointers.map((card, index) => ({
        id: card.id,
        role: skeletonRole(card),
        content: `{{${variableOf(index)}}}`,
      })),
      { id: historyId, role: "user", type: "chat_history" },
    ],
    contextRecipes: [
      { id: "handover", modelFilter: ["*"], steps: ids.map((messageId) => ({ messageId, enabled: true })) },
    ],
  };
}

/** A profile speaks with the system's voice unless it says otherwise. */
function skeletonRole(card: Card): "system" | "user" | "assistant" {
  const role = card.metadata["role"] === undefined ? "system" : roleOf(card);
  return role === "tool" ? "user" : role;
}

function skeletonText(card: Card, agentRefs: readonly string[]): string {
  const parent = parentOf(card);
  if (parent === undefined) return textOf(card);
  const refs = agentRefs.length === 0 ? "" : ` You may clone and reuse these agents: ${agentRefs.join(", ")}.`;
  return `${giverText(parent)}${refs}`;
}

/** All that was packed for the task is one message, so that a window that is too small keeps all of it or says so. */
function instructionMessages(cards: readonly Card[]): CardMessage[] {
  const isUser = (card: Card): boolean => roleOf(card) === "user";
  const spoken = cards.filter(isUser);
  const others = messagesOfCards(cards.filter((card) => !isUser(card)));
  if (spoken.length <= 1) return [...others, ...messagesOfCards(spoken)];
  const content = messagesOfCards(spoken).flatMap(({ message }): MessagePart[] =>
    typeof message.content === "string" ? [{ type: "text", text: message.content }] : [...message.content],
  );
  return [...others, { message: { role: "user", content } as ModelMessage, cards: spoken }];
}

/** What becomes an entry of the log, by the cards that it is made of. */
export function entriesOf(cards: readonly Card[]): MessageEntry[] {
  return messagesOfCards(cards).map(entryOf);
}

function entryId({ cards }: CardMessage): string {
  return cards[0]?.id ?? "";
}

function entryOf(message: CardMessage): MessageEntry {
  return { id: entryId(message), ts: message.cards[0]?.createdAt ?? 0, type: "message", message: message.message };
}

/** A preset of the library around a task: what the profile and the giver say stands in front of it [T15]. */
export function inPreset(library: Preset, recipe: Preset): Preset {
  const skeleton = recipe.messageTemplates?.filter(({ type }) => type !== "chat_history") ?? [];
  const advanced = library.contextRecipes ? library : toAdvanced(library);
  const steps = skeleton.map(({ id }) => ({ messageId: id, enabled: true }));
  return {
    ...advanced,
    messageTemplates: [...skeleton, ...(advanced.messageTemplates ?? [])],
    contextRecipes: advanced.contextRecipes?.map((each) => ({ ...each, steps: [...steps, ...each.steps] })) ?? [],
  };
}

import type { BoxItem, Card, CardOrigin, HydratedBox } from "../../store/ports/card-store.ts";
import { roleOf } from "../cards/messages-of-cards.ts";
import { isPointer } from "../cards/parent-pointer.ts";

/** The boxes that a task sees, and nothing else [H6]. */
export interface TaskBoxes {
  readonly profile: HydratedBox;
  readonly context: HydratedBox;
  readonly output: HydratedBox;
}

/** Where a card stands in what the model reads, in this order [H3]. */
export type Section = "profile" | "pointer" | "inherited" | "earlier" | "instruction" | "own";

/** A card of a task with the place that the handover recipe gives it; without one, the model does not read it. */
export interface PlacedCard {
  readonly boxId: string;
  readonly cardId: string;
  readonly origin: CardOrigin;
  readonly section: Section;
  /** Nothing when it has been deleted. */
  readonly card: Card | undefined;
  /** Why the model does not read it. */
  readonly unread: "deleted" | "duplicate" | "no-place" | undefined;
}

export function taskSections({ profile, context, output }: TaskBoxes, outputStart: number): PlacedCard[] {
  const placed: PlacedCard[] = [];
  const seen = new Set<string>();
  const place = (box: HydratedBox, section: Section, isWanted: (item: BoxItem, index: number) => boolean): void => {
    for (const [index, item] of box.items.entries()) {
      if (!isWanted(item, index)) continue;
      const { cardId, origin } = item;
      const card = box.cards[index];
      const unread = whyUnread(card, section, seen.has(cardId));
      seen.add(cardId);
      placed.push({ boxId: box.id, cardId, origin, section, card, unread });
    }
  };
  const isSystem = (item: BoxItem, index: number): boolean => {
    const card = context.cards[index];
    return item.origin === "pointer" || (item.origin === "packed" && card !== undefined && roleOf(card) === "system");
  };
  place(profile, "profile", () => true);
  place(context, "pointer", isSystem);
  place(context, "inherited", ({ origin }) => origin === "inherited" || origin === "output");
  place(output, "earlier", (_, index) => index < outputStart);
  place(context, "instruction", (item, index) => item.origin === "packed" && !isSystem(item, index));
  // The task's own instruction stands there too, for the tasks that follow; this one has read it already.
  place(output, "own", ({ origin }, index) => index >= outputStart && origin !== "packed");
  return placed;
}

function whyUnread(card: Card | undefined, section: Section, isKnown: boolean): PlacedCard["unread"] {
  if (isKnown) return "duplicate";
  if (!card) return "deleted";
  // Whose child another agent was, and what another task had to give, is not for this task.
  const isOfAnotherTask = isPointer(card) || card.content.kind === "fields";
  return isOfAnotherTask && (section === "inherited" || section === "earlier") ? "no-place" : undefined;
}

import type { Box, Card } from "../../store/ports/card-store.ts";
import type { Store } from "../../store/ports/ports.ts";
import { type CardStamp, newCard } from "./cards-of-messages.ts";

const pointerType = "meta.parent_pointer";

/** The card that says which agent has packed a box. */
export function parentPointer(agentId: string, stamp: CardStamp): Card {
  return newCard(stamp, pointerType, { kind: "json", value: { parent_agent_id: agentId } }, { role: "system" });
}

export function isPointer({ type }: Card): boolean {
  return type === pointerType;
}

export function parentOf({ type, content }: Card): string | undefined {
  if (type !== pointerType || content.kind !== "json") return undefined;
  const { value } = content;
  const named =
    typeof value === "object" && value !== null && "parent_agent_id" in value ? value["parent_agent_id"] : null;
  return typeof named === "string" ? named : undefined;
}

/**
 * True when the agent has packed the box itself. Only the packer gives an item the origin `pointer`; a pointer that was
 * inherited from another box has another origin and proves nothing.
 */
export async function isPackedBy(box: Box, agentId: string, projectId: string, store: Store): Promise<boolean> {
  const pointers = box.items.filter(({ origin }) => origin === "pointer").map(({ cardId }) => cardId);
  if (pointers.length === 0) return false;
  const cards = await store.cards.readCards(projectId, pointers);
  return cards.some((card) => card !== undefined && parentOf(card) === agentId);
}

import type { SystemSide, Side } from "./arrange-sides.ts";
import type { WireReport } from "./wire-report.ts";

export interface SplitSides {
  readonly system: readonly SystemSide[];
  readonly rest: readonly Side[];
}

/** Parts the system messages at the front, for the provider's own field, from the conversation. */
export function splitLeadingSystem(sides: readonly Side[]): SplitSides {
  const system: SystemSide[] = [];
  for (const side of sides) {
    if (side.kind !== "system") break;
    system.push(side);
  }
  return { system, rest: sides.slice(system.length) };
}

/** Leaves out system messages without a text, and says so. */
export function spokenSystem(system: readonly SystemSide[], report: WireReport): SystemSide[] {
  return system.filter((side) => {
    if (side.text.trim() !== "") return true;
    report.noteMessage(side.message, "empty-left-out");
    return false;
  });
}

/** A system message inside the conversation, for providers that have no such role there. */
export function systemAsUserText(text: string): string {
  return `<system>\n${text}\n</system>`;
}

/** The user message in front of a conversation that the assistant begins, or that has no messages yet. */
export const fillerText = "Begin.";

import type { SystemTurn, Turn } from "./arrange-turns.ts";
import type { WireReport } from "./wire-report.ts";

export interface SplitTurns {
  readonly system: readonly SystemTurn[];
  readonly rest: readonly Turn[];
}

/** Parts the system messages at the front, for the provider's own field, from the conversation. */
export function splitLeadingSystem(turns: readonly Turn[]): SplitTurns {
  const system: SystemTurn[] = [];
  for (const turn of turns) {
    if (turn.kind !== "system") break;
    system.push(turn);
  }
  return { system, rest: turns.slice(system.length) };
}

/** Leaves out system messages without a text, and says so. */
export function spokenSystem(system: readonly SystemTurn[], report: WireReport): SystemTurn[] {
  return system.filter((turn) => {
    if (turn.text.trim() !== "") return true;
    report.noteMessage(turn.message, "empty-left-out");
    return false;
  });
}

/** A system message inside the conversation, for providers that have no such role there. */
export function systemAsUserText(text: string): string {
  return `<system>\n${text}\n</system>`;
}

/** The user message in front of a conversation that the assistant begins, or that has no messages yet. */
export const fillerText = "Begin.";

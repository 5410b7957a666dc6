import type {
  AssistantMessage,
  AssistantPart,
  FilePart,
  ModelMessage,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolMessage,
  ToolResultPart,
  UserPart,
} from "../model/messages.ts";
import type { ToolPairing } from "./pair-tool-calls.ts";
import type { PartPlace, WireReport } from "./wire-report.ts";

export interface Placed<Part> extends PartPlace {
  readonly part: Part;
}

/** The parts of an assistant message that a provider can be told of. */
export type SpokenPart = TextPart | FilePart | ReasoningPart | ToolCallPart;

export interface SystemTurn {
  readonly kind: "system";
  readonly message: number;
  readonly text: string;
}
export interface UserTurn {
  readonly kind: "user";
  readonly message: number;
  readonly parts: readonly Placed<UserPart>[];
}
/** What the assistant said and called, with all results in the order of the calls. */
export interface AssistantTurn {
  readonly kind: "assistant";
  readonly message: number;
  readonly parts: readonly Placed<SpokenPart>[];
  readonly results: readonly Placed<ToolResultPart>[];
}
/** A result without a call; it stays in its place, where the validators refuse it. */
interface OrphanTurn {
  readonly kind: "orphan";
  readonly result: Placed<ToolResultPart>;
}
export type Turn = SystemTurn | UserTurn | AssistantTurn | OrphanTurn;

interface OpenTurn {
  readonly kind: "assistant";
  readonly message: number;
  readonly parts: Placed<SpokenPart>[];
  readonly results: Placed<ToolResultPart>[];
  /** Results that are still to come. */
  pending: number;
}

/**
 * The messages in the order that every provider can bear: an assistant turn directly followed by all of its results.
 * What stood between them comes after them, and assistant messages between them join the turn. Approvals and calls that
 * the provider ran itself are left out: their blocks belong to one provider and one response.
 */
export function arrangeTurns(messages: readonly ModelMessage[], pairing: ToolPairing, report: WireReport): Turn[] {
  const turns: Turn[] = [];
  let open: OpenTurn | undefined;
  const isWaiting = (): boolean => open !== undefined && open.pending > 0;
  for (const [message, entry] of messages.entries()) {
    switch (entry.role) {
      case "system":
        if (isWaiting()) report.noteMessage(message, "moved-behind-results");
        turns.push({ kind: "system", message, text: entry.content });
        break;
      case "user":
        turns.push({ kind: "user", message, parts: placed(partsOf(entry.content), message) });
        break;
      case "assistant":
        if (open && isWaiting()) report.noteMessage(message, "merged");
        else {
          open = { kind: "assistant", message, parts: [], results: [], pending: 0 };
          turns.push(open);
        }
        takeAssistant(entry, message, open, pairing, report);
        break;
      case "tool":
        for (const result of clientResults(entry, message, pairing, report)) {
          if (open && pairing.callOf(result)) takeResult(result, open, pairing);
          else turns.push({ kind: "orphan", result });
        }
        break;
    }
  }
  return turns;
}

function takeAssistant(
  entry: AssistantMessage,
  message: number,
  turn: OpenTurn,
  pairing: ToolPairing,
  report: WireReport,
): void {
  for (const place of placed<AssistantPart>(partsOf(entry.content), message)) {
    const { part } = place;
    switch (part.type) {
      case "text":
      case "file":
      case "reasoning":
        turn.parts.push({ ...place, part });
        break;
      case "tool-call":
        if (part.providerExecuted === true) report.notePart(place, "provider-executed-left-out");
        else {
          turn.parts.push({ ...place, part });
          if (pairing.isAnswered(place)) turn.pending += 1;
        }
        break;
      case "tool-result":
        if (isClientResult(place, pairing, report)) takeResult({ ...place, part }, turn, pairing);
        break;
      case "tool-approval-request":
        report.notePart(place, "approval-left-out");
        break;
      case "reasoning-file":
        report.notePart(place, "reasoning-left-out");
        break;
      case "custom":
        report.notePart(place, "custom-left-out", part.kind);
        break;
    }
  }
}

function clientResults(
  entry: ToolMessage,
  message: number,
  pairing: ToolPairing,
  report: WireReport,
): Placed<ToolResultPart>[] {
  const results: Placed<ToolResultPart>[] = [];
  for (const place of placed(entry.content, message)) {
    const { part } = place;
    if (part.type === "tool-approval-response") report.notePart(place, "approval-left-out");
    else if (isClientResult(place, pairing, report)) results.push({ ...place, part });
  }
  return results;
}

function isClientResult(place: PartPlace, pairing: ToolPairing, report: WireReport): boolean {
  if (pairing.callOf(place)?.part.providerExecuted !== true) return true;
  report.notePart(place, "provider-executed-left-out");
  return false;
}

/** Puts a result into the order of the calls: Gemini pairs by position. */
function takeResult(result: Placed<ToolResultPart>, turn: OpenTurn, pairing: ToolPairing): void {
  const call = pairing.callOf(result);
  const order = call?.order ?? Infinity;
  const before = turn.results.findIndex((other) => (pairing.callOf(other)?.order ?? Infinity) > order);
  turn.results.splice(before < 0 ? turn.results.length : before, 0, result);
  if (call) turn.pending -= 1;
}

function partsOf<Part>(content: string | readonly Part[]): readonly (Part | TextPart)[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function placed<Part>(parts: readonly Part[], message: number): Placed<Part>[] {
  return parts.map((part, index) => ({ part, message, index }));
}

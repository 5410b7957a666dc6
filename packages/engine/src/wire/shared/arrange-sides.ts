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
} from "../../model/messages.ts";
import type { ToolPairing } from "./pair-tool-calls.ts";
import type { PartPlace, WireReport } from "./wire-report.ts";

export interface Placed<Part> extends PartPlace {
  readonly part: Part;
}

/** The parts of an assistant message that a provider can be told of. */
export type SpokenPart = TextPart | FilePart | ReasoningPart | ToolCallPart;

export interface SystemSide {
  readonly kind: "system";
  readonly message: number;
  readonly text: string;
}
export interface UserSide {
  readonly kind: "user";
  readonly message: number;
  readonly parts: readonly Placed<UserPart>[];
}
/** What the assistant said and called, with all results in the order of the calls. */
export interface AssistantSide {
  readonly kind: "assistant";
  readonly message: number;
  readonly parts: readonly Placed<SpokenPart>[];
  readonly results: readonly Placed<ToolResultPart>[];
}
/** A result without a call; it stays in its place, where the validators refuse it. */
interface OrphanSide {
  readonly kind: "orphan";
  readonly result: Placed<ToolResultPart>;
}
export type Side = SystemSide | UserSide | AssistantSide | OrphanSide;

interface OpenSide {
  readonly kind: "assistant";
  readonly message: number;
  readonly parts: Placed<SpokenPart>[];
  readonly results: Placed<ToolResultPart>[];
  /** Results that are still to come. */
  pending: number;
}

/**
 * The messages in the order that every provider can bear: an assistant side directly followed by all of its results.
 * What stood between them comes after them, and assistant messages between them join the side. Approvals and calls that
 * the provider ran itself are left out: their blocks belong to one provider and one response.
 */
export function arrangeSides(messages: readonly ModelMessage[], pairing: ToolPairing, report: WireReport): Side[] {
  const sides: Side[] = [];
  let open: OpenSide | undefined;
  const isWaiting = (): boolean => open !== undefined && open.pending > 0;
  for (const [message, entry] of messages.entries()) {
    switch (entry.role) {
      case "system":
        if (isWaiting()) report.noteMessage(message, "moved-behind-results");
        sides.push({ kind: "system", message, text: entry.content });
        break;
      case "user":
        sides.push({ kind: "user", message, parts: placed(partsOf(entry.content), message) });
        break;
      case "assistant":
        if (open && isWaiting()) report.noteMessage(message, "merged");
        else {
          open = { kind: "assistant", message, parts: [], results: [], pending: 0 };
          sides.push(open);
        }
        takeAssistant(entry, message, open, pairing, report);
        break;
      case "tool":
        for (const result of clientResults(entry, message, pairing, report)) {
          if (open && pairing.callOf(result)) takeResult(result, open, pairing);
          else sides.push({ kind: "orphan", result });
        }
        break;
    }
  }
  return sides;
}

function takeAssistant(
  entry: AssistantMessage,
  message: number,
  side: OpenSide,
  pairing: ToolPairing,
  report: WireReport,
): void {
  for (const place of placed<AssistantPart>(partsOf(entry.content), message)) {
    const { part } = place;
    switch (part.type) {
      case "text":
      case "file":
      case "reasoning":
        side.parts.push({ ...place, part });
        break;
      case "tool-call":
        if (part.providerExecuted === true) report.notePart(place, "provider-executed-left-out");
        else {
          side.parts.push({ ...place, part });
          if (pairing.isAnswered(place)) side.pending += 1;
        }
        break;
      case "tool-result":
        if (isClientResult(place, pairing, report)) takeResult({ ...place, part }, side, pairing);
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
function takeResult(result: Placed<ToolResultPart>, side: OpenSide, pairing: ToolPairing): void {
  const call = pairing.callOf(result);
  const order = call?.order ?? Infinity;
  const before = side.results.findIndex((other) => (pairing.callOf(other)?.order ?? Infinity) > order);
  side.results.splice(before < 0 ? side.results.length : before, 0, result);
  if (call) side.pending -= 1;
}

function partsOf<Part>(content: string | readonly Part[]): readonly (Part | TextPart)[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function placed<Part>(parts: readonly Part[], message: number): Placed<Part>[] {
  return parts.map((part, index) => ({ part, message, index }));
}

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
import { type IdRule, type ToolPairing, pairToolCalls } from "./pair-tool-calls.ts";
import { type PartPlace, type WireReport, wireReport } from "./wire-report.ts";

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

interface OpenSide extends AssistantSide {
  readonly parts: Placed<SpokenPart>[];
  readonly results: Placed<ToolResultPart>[];
  /** Results that are still to come. */
  pending: number;
}

/** What all steps of an export look things up in and report to. */
export interface WireContext {
  readonly pairing: ToolPairing;
  readonly report: WireReport;
}

/**
 * The messages in the order that every provider can bear: an assistant side directly followed by all of its results.
 * What stood between them comes after them, and assistant messages between them join the side. Approvals and calls that
 * the provider ran itself are left out: their blocks belong to one provider and one response.
 */
export function arrangeSides(
  messages: readonly ModelMessage[],
  rule: IdRule,
): WireContext & { readonly sides: readonly Side[] } {
  const report = wireReport();
  const context = { pairing: pairToolCalls(messages, rule, report), report };
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
        takeAssistant(entry, message, open, context);
        break;
      case "tool":
        for (const result of clientResults(entry, message, context)) {
          if (open && context.pairing.callOf(result)) takeResult(result, open, context);
          else sides.push({ kind: "orphan", result });
        }
        break;
    }
  }
  return { sides, ...context };
}

function takeAssistant(entry: AssistantMessage, message: number, side: OpenSide, context: WireContext): void {
  const { pairing, report } = context;
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
        if (isClientResult(place, context)) takeResult({ ...place, part }, side, context);
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

function clientResults(entry: ToolMessage, message: number, context: WireContext): Placed<ToolResultPart>[] {
  const results: Placed<ToolResultPart>[] = [];
  for (const place of placed(entry.content, message)) {
    const { part } = place;
    if (part.type === "tool-approval-response") context.report.notePart(place, "approval-left-out");
    else if (isClientResult(place, context)) results.push({ ...place, part });
  }
  return results;
}

function isClientResult(place: PartPlace, { pairing, report }: WireContext): boolean {
  if (pairing.callOf(place)?.part.providerExecuted !== true) return true;
  report.notePart(place, "provider-executed-left-out");
  return false;
}

/** Puts a result into the order of the calls: Gemini pairs by position. */
function takeResult(result: Placed<ToolResultPart>, side: OpenSide, { pairing }: WireContext): void {
  const call = pairing.callOf(result);
  const order = call?.order ?? Infinity;
  const before = side.results.findIndex((other) => (pairing.callOf(other)?.order ?? Infinity) > order);
  side.results.splice(before < 0 ? side.results.length : before, 0, result);
  if (call) side.pending -= 1;
}

/** The parts of a content; a mere text is one. */
export function partsOf<Part>(content: string | readonly Part[]): readonly (Part | TextPart)[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function placed<Part>(parts: readonly Part[], message: number): Placed<Part>[] {
  return parts.map((part, index) => ({ part, message, index }));
}

/** Parts the system messages at the front, for the provider's own field, from the conversation. */
export function splitLeadingSystem(sides: readonly Side[], report: WireReport): SplitSides {
  const first = sides.findIndex(({ kind }) => kind !== "system");
  const lead = first < 0 ? sides.length : first;
  return { system: sides.slice(0, lead).flatMap((side) => spokenSystem(side, report)), rest: sides.slice(lead) };
}

interface SplitSides {
  readonly system: readonly SystemSide[];
  readonly rest: readonly Side[];
}

/** The side, if it is a system message with a text; one without is left out, and noted. */
export function spokenSystem(side: Side, report: WireReport): SystemSide[] {
  if (side.kind !== "system") return [];
  if (side.text.trim() !== "") return [side];
  report.noteMessage(side.message, "empty-left-out");
  return [];
}

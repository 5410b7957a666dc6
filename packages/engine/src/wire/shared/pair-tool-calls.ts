import type { ModelMessage, ToolCallPart, ToolResultPart } from "../../model/messages.ts";
import { type IdRule, legalId, wireIds } from "./wire-ids.ts";
import type { PartPlace, WireReport } from "./wire-report.ts";

export interface PairedCall extends PartPlace {
  readonly part: ToolCallPart;
  readonly id: string;
  /** Counts the calls of the whole request, so that results can be put into the order of their calls. */
  readonly order: number;
}

export interface ToolPairing {
  /** The id that a call or a result has on the wire. */
  readonly idOf: (place: PartPlace) => string;
  readonly callOf: (result: PartPlace) => PairedCall | undefined;
  readonly isAnswered: (call: PartPlace) => boolean;
}

export interface PairingOptions {
  /** Calls that may go without a result. */
  readonly isExcused?: (call: PairedCall) => boolean;
}

const keyOf = ({ message, index }: PartPlace): string => `${message}:${index}`;

/**
 * Pairs calls with results by position within the turn, because ids are reused in the wild [M4]: a result belongs to the
 * nearest message before it that has an unanswered call of its id, and within that message to the first such call. A
 * user message ends the search. What has no partner is reported: every provider refuses it.
 */
export function pairToolCalls(
  messages: readonly ModelMessage[],
  rule: IdRule,
  report: WireReport,
  { isExcused = () => false }: PairingOptions = {},
): ToolPairing {
  const newId = wireIds(rule);
  const ids = new Map<string, string>();
  const calls = new Map<string, PairedCall>();
  const answered = new Set<string>();
  let open: PairedCall[] = [];
  let order = 0;
  const giveUp = (): void => {
    for (const call of open) if (!isExcused(call)) reportUnanswered(call, report);
    open = [];
  };
  for (const [message, { role, content }] of messages.entries()) {
    if (role === "user") giveUp();
    if (typeof content === "string") continue;
    for (const [index, part] of content.entries()) {
      const place = { message, index };
      if (part.type === "tool-call") {
        const id = newId(part.toolCallId);
        if (id !== part.toolCallId) report.notePart(place, "id-changed", id);
        ids.set(keyOf(place), id);
        order += 1;
        open.push({ ...place, part, id, order });
      } else if (part.type === "tool-result") {
        const call = takeCall(open, part);
        ids.set(keyOf(place), call?.id ?? legalId(part.toolCallId, rule));
        if (call) {
          calls.set(keyOf(place), call);
          answered.add(keyOf(call));
        } else reportOrphan(place, part, report);
      }
    }
  }
  giveUp();
  return {
    idOf: (place) => ids.get(keyOf(place)) ?? "",
    callOf: (result) => calls.get(keyOf(result)),
    isAnswered: (call) => answered.has(keyOf(call)),
  };
}

/** Finds the call that a result answers and takes it off the list of open ones. */
function takeCall(open: PairedCall[], result: ToolResultPart): PairedCall | undefined {
  const candidates = open.filter((call) => call.part.toolCallId === result.toolCallId);
  const nearest = candidates.filter((call) => call.message === candidates.at(-1)?.message);
  const call = nearest.find((candidate) => candidate.part.toolName === result.toolName) ?? nearest[0];
  if (call) open.splice(open.indexOf(call), 1);
  return call;
}

function reportUnanswered(call: PairedCall, report: WireReport): void {
  // A provider's own tools may answer in a later response.
  if (call.part.providerExecuted === true) return;
  report.refuse(
    call,
    `The tool call ${JSON.stringify(call.part.toolCallId)} has no result.`,
    "Add its result before the next user message: run the tool, or answer with an output of type execution-denied.",
  );
}

function reportOrphan(place: PartPlace, result: ToolResultPart, report: WireReport): void {
  report.refuse(
    place,
    `The tool result ${JSON.stringify(result.toolCallId)} has no call before it in its turn.`,
    "Keep a call and its results together, or drop the result.",
  );
}

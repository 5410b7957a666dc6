import type { ModelMessage, ToolCallPart, ToolResultPart } from "../../model/messages.ts";
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

/** What a provider demands of the ids of tool calls. */
export interface IdRule {
  /** Matches every character that may not stand in an id. */
  readonly illegal?: RegExp;
  readonly maxLength?: number;
}

const illegal = /[^a-zA-Z0-9_-]/g;
/** What each provider takes. Gemini is sent no ids. */
export const idRules = {
  "openai-chat": { illegal, maxLength: 40 },
  "openai-responses": { illegal, maxLength: 64 },
  anthropic: { illegal, maxLength: 64 },
  gemini: {},
} satisfies Readonly<Record<string, IdRule>>;

const keyOf = ({ message, index }: PartPlace): string => `${message}:${index}`;

/**
 * Pairs calls with results by position within the turn, because ids are reused in the wild [M4]: a result belongs to the
 * nearest message before it that has an unanswered call of its id, and within that message to the first such call. A
 * user message ends the search. What has no partner is reported, because every provider refuses it, unless the call is
 * excused.
 */
export function pairToolCalls(
  messages: readonly ModelMessage[],
  rule: IdRule,
  report: WireReport,
  isExcused = (_call: PairedCall): boolean => false,
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

/**
 * Gives each call an id of its own that its provider takes. An id that is legal and new stays as it is; any other is
 * made legal and numbered. What comes later never changes an earlier id, so that a cached prefix stays valid.
 */
function wireIds({ illegal, maxLength = Infinity }: IdRule): (id: string) => string {
  const used = new Set<string>();
  const counts = new Map<string, number>();
  return (id) => {
    const base = legalId(id, { illegal, maxLength });
    let wireId = base;
    let count = counts.get(base) ?? 1;
    while (used.has(wireId)) {
      count += 1;
      const suffix = `_${count}`;
      wireId = base.slice(0, Math.max(0, maxLength - suffix.length)) + suffix;
    }
    counts.set(base, count);
    used.add(wireId);
    return wireId;
  };
}

/** The id with its illegal characters replaced and cut to length; not necessarily unique. */
function legalId(id: string, { illegal, maxLength = Infinity }: IdRule): string {
  const legal = illegal ? id.replace(illegal, "_") : id;
  return legal === "" ? "call" : legal.slice(0, maxLength);
}

// AI SDK 7 (`generateText`, `streamText`).
// System: messages at the front become `instructions`, with their provider options; later ones stay in place, and
// `allowSystemInMessages` is set for them. Messages are ours already: they pass through as they are, but for ids that
// are used twice, which the providers behind the AI SDK refuse, and for what stands between a call and its results.
// Approvals, reasoning, files and provider-executed calls stay: the AI SDK's providers deal with them.
// Where it is known whose format the AI SDK makes of them (`behind`), what it does not see to is done here: ids that the
// provider takes, no system message and no blank text where it takes none, and a user message at the beginning.

import type { AssistantPart, MessagePart, ModelMessage, SystemMessage, ToolSpec } from "../../model/messages.ts";
import { headLength } from "../../model/message-entry.ts";
import { type AiSdkRequest, aiSdkSchema } from "./types.ts";
import { type RankedMessage, closeOpening, decidedApprovals, isSilentBehind, speakSystem } from "./adjust.ts";
import { partsOf } from "../shared/arrange-sides.ts";
import { fillerText } from "../shared/segments.ts";
import { type PairedCall, type ToolPairing, idRules, pairToolCalls } from "../shared/pair-tool-calls.ts";
import { type WireExport, type WireInput, wireInputCheck } from "../shared/wire-input.ts";
import { type WireReport, wireReport } from "../shared/wire-report.ts";

/** Makes the parts of a call of the AI SDK. */
export function toAiSdk(input: WireInput): WireExport<AiSdkRequest> {
  wireInputCheck(input, "");
  const report = wireReport();
  const { behind } = input;
  const pairing = pairToolCalls(input.messages, behind ? idRules[behind] : {}, report, isDecided(input.messages));
  const spoken = input.messages.flatMap((message, index): Indexed[] => {
    const kept = keepSpoken(renameIds(message, index, pairing), { index, report, behind });
    return kept ? [{ message: kept, index, balance: balanceOf(message, index, pairing) }] : [];
  });
  const instructions = spoken.slice(0, headLength(spoken)).map(({ message }) => message as SystemMessage);
  const ranked = closeRanks(spoken.slice(instructions.length), report);
  const messages = closeOpening(speakSystem(ranked, behind, report), behind, report);
  if (messages.length === 0 && input.messages.length > 0) {
    report.noteMessage(0, "filler-added");
    messages.push({ role: "user", content: fillerText });
  }
  const hasSystem = messages.some(({ role }) => role === "system");
  const tools = input.tools ?? [];
  const request: AiSdkRequest = {
    ...(instructions.length === 0 ? {} : { instructions }),
    messages,
    ...(hasSystem ? { allowSystemInMessages: true as const } : {}),
    ...(tools.length === 0 ? {} : { tools: Object.fromEntries(tools.map(toTool)) }),
  };
  return { request, notes: report.notes, problems: report.problems };
}

/** Calls that the last message approves or denies. */
function isDecided(messages: readonly ModelMessage[]): (call: PairedCall) => boolean {
  const decided = decidedApprovals(messages);
  return ({ message, part }) => {
    const content = messages[message]?.content ?? "";
    if (typeof content === "string") return false;
    return content.some(
      (other) =>
        other.type === "tool-approval-request" && other.toolCallId === part.toolCallId && decided.has(other.approvalId),
    );
  };
}

interface Indexed {
  readonly message: ModelMessage;
  readonly index: number;
  readonly balance: number;
}

function renameIds(message: ModelMessage, index: number, pairing: ToolPairing): ModelMessage {
  const { content } = message;
  if (typeof content === "string") return message;
  const idOf = (part: MessagePart, at: number): string | undefined => {
    if (part.type === "tool-call" || part.type === "tool-result") return pairing.idOf({ message: index, index: at });
    if (part.type !== "tool-approval-request") return undefined;
    const call = content.findIndex((other) => other.type === "tool-call" && other.toolCallId === part.toolCallId);
    return call < 0 ? undefined : pairing.idOf({ message: index, index: call });
  };
  const renamed = content.map((part, at) => {
    const toolCallId = idOf(part, at);
    return toolCallId === undefined || ("toolCallId" in part && part.toolCallId === toolCallId)
      ? part
      : { ...part, toolCallId };
  });
  return renamed.every((part, at) => part === content[at])
    ? message
    : ({ ...message, content: renamed } as ModelMessage);
}

interface KeepOptions {
  readonly index: number;
  readonly report: WireReport;
  readonly behind: WireInput["behind"];
}

/** The message without its empty texts, or nothing when nothing else is in it. */
function keepSpoken(message: ModelMessage, { index, report, behind }: KeepOptions): ModelMessage | undefined {
  const { role, content } = message;
  const isSilent = isSilentBehind(behind);
  if (typeof content === "string") {
    if (!isSilent(content)) return message;
    report.noteMessage(index, "empty-left-out");
    return undefined;
  }
  const isSpoken = (part: (typeof content)[number]): boolean =>
    part.type !== "text" || !isSilent(part.text) || (role === "assistant" && part.providerOptions !== undefined);
  if (!content.some(isSpoken)) {
    report.noteMessage(index, "empty-left-out");
    return undefined;
  }
  if (content.every(isSpoken)) return message;
  report.noteMessage(index, "empty-left-out", "text");
  return { ...message, content: content.filter(isSpoken) } as ModelMessage;
}

/** Puts results directly behind their calls: assistant messages in between join the calls, the others follow later. */
function closeRanks(spoken: readonly Indexed[], report: WireReport): RankedMessage[] {
  const ranked: RankedMessage[] = [];
  const later: RankedMessage[] = [];
  let open = 0;
  let pending = 0;
  for (const { message, index, balance } of spoken) {
    const isWaiting = pending > 0;
    if (isWaiting && message.role === "system") {
      report.noteMessage(index, "moved-behind-results");
      later.push({ message, index });
      continue;
    }
    const before = ranked[open];
    if (isWaiting && message.role === "assistant" && before?.message.role === "assistant") {
      report.noteMessage(index, "merged");
      const content = [...partsOf<AssistantPart>(before.message.content), ...partsOf(message.content)];
      ranked[open] = { ...before, message: { ...before.message, content } };
    } else ranked.push({ message, index });
    if (message.role === "assistant" && !isWaiting) open = ranked.length - 1;
    pending += balance;
    if (pending === 0) ranked.push(...later.splice(0));
  }
  return ranked;
}

/** Calls that will be answered, less the results that answer one. Those of the provider's own tools may come late. */
function balanceOf({ content }: ModelMessage, message: number, pairing: ToolPairing): number {
  if (typeof content === "string") return 0;
  let balance = 0;
  for (const [index, part] of content.entries()) {
    const place = { message, index };
    const call = pairing.callOf(place);
    if (part.type === "tool-call" && part.providerExecuted !== true && pairing.isAnswered(place)) balance += 1;
    if (part.type === "tool-result" && call && call.part.providerExecuted !== true) balance -= 1;
  }
  return balance;
}

function toTool({ name, description, inputSchema }: ToolSpec): [string, NonNullable<AiSdkRequest["tools"]>[string]] {
  return [name, { ...(description === undefined ? {} : { description }), inputSchema: aiSdkSchema(inputSchema) }];
}

import type { ModelMessage } from "../../model/messages.ts";
import { fillerText, systemAsUserText } from "../shared/segments.ts";
import type { WireInput } from "../shared/wire-input.ts";
import type { WireReport } from "../shared/wire-report.ts";

/** Whose format the AI SDK makes of its messages. */
type Behind = WireInput["behind"];

/** A message with its place among those that went in. */
export interface RankedMessage {
  readonly message: ModelMessage;
  readonly index: number;
}

/** Anthropic refuses texts of white space alone. */
export function isSilentBehind(behind: Behind): (text: string) => boolean {
  return behind === "anthropic" ? (text) => text.trim() === "" : (text) => text === "";
}

const hasNoSystemInside = (behind: Behind): boolean => behind === "anthropic" || behind === "gemini";

/** System messages inside the conversation as user text, for providers that have no such role there. */
export function speakSystem(ranked: readonly RankedMessage[], behind: Behind, report: WireReport): RankedMessage[] {
  if (!hasNoSystemInside(behind)) return [...ranked];
  return ranked.map(({ message, index }) => {
    if (message.role !== "system") return { message, index };
    report.noteMessage(index, "system-as-user");
    return { message: { role: "user", content: systemAsUserText(message.content) }, index };
  });
}

/** Lets the user begin, for providers that demand it. */
export function closeOpening(ranked: readonly RankedMessage[], behind: Behind, report: WireReport): ModelMessage[] {
  const messages = ranked.map(({ message }) => message);
  const [first] = ranked;
  if (!first || first.message.role === "user" || !hasNoSystemInside(behind)) return messages;
  report.noteMessage(first.index, "filler-added");
  return [{ role: "user", content: fillerText }, ...messages];
}

/** The approvals that the last message answers: the AI SDK itself runs, or denies, the calls that they are about. */
export function decidedApprovals(messages: readonly ModelMessage[]): ReadonlySet<string> {
  const last = messages.at(-1);
  const parts = last?.role === "tool" ? last.content : [];
  return new Set(parts.flatMap((part) => (part.type === "tool-approval-response" ? [part.approvalId] : [])));
}

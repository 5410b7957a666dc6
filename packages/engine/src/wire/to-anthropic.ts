// Anthropic Messages.
// System: messages at the front become `system` blocks, one each. Later ones become user text in place, wrapped in
// <system>…</system>: only some models take that role inside a conversation, and the order counts for all of them.
// Roles: neighbours of one role are one message; a conversation that the assistant begins gets a short user message.
// Thinking is sent back only with its signature, and never at the end of a message. Blank texts are left out; white
// space at the end of a final assistant message is cut.

import type { ToolSpec } from "../model/messages.ts";
import { type AnthropicSegment, anthropicSegments } from "./anthropic-blocks.ts";
import { markBreakpoints } from "./anthropic-cache.ts";
import type { AnthropicBlock, AnthropicMessage, AnthropicRequest, AnthropicTool } from "./anthropic-request.ts";
import { arrangeSides } from "./arrange-sides.ts";
import { fillerText, splitLeadingSystem, spokenSystem } from "./leading-system.ts";
import { pairToolCalls } from "./pair-tool-calls.ts";
import type { WireExport, WireInput } from "./wire-input.ts";
import { type WireReport, wireReport } from "./wire-report.ts";

const idRule = { illegal: /[^a-zA-Z0-9_-]/g, maximum: 64 };

/** Makes the parts of an Anthropic Messages request. */
export function toAnthropic(input: WireInput): WireExport<AnthropicRequest> {
  const report = wireReport();
  const pairing = pairToolCalls(input.messages, idRule, report);
  const { system, rest } = splitLeadingSystem(arrangeSides(input.messages, pairing, report));
  const spoken = spokenSystem(system, report).map(({ message, text }) => ({
    message,
    block: { type: "text" as const, text },
  }));
  const said = rest.flatMap((side) => anthropicSegments(side, pairing, report));
  const segments = trimPrefill(startWithUser(dropFinalThinking(said, report), input, report), report);
  const tools = (input.tools ?? []).map(toTool);
  const marked = markBreakpoints({ system: spoken, segments, tools }, input, report);
  const request: AnthropicRequest = {
    ...(marked.system.length === 0 ? {} : { system: marked.system.map(({ block }) => block) }),
    messages: mergeRoles(marked.segments, report),
    ...(marked.tools.length === 0 ? {} : { tools: [...marked.tools] }),
  };
  return { request, notes: report.notes, problems: report.problems };
}

/** A message may not end with thinking: it is kept only where the assistant goes on. */
function dropFinalThinking(segments: readonly AnthropicSegment[], report: WireReport): AnthropicSegment[] {
  const kept: AnthropicSegment[] = [];
  for (const said of segments.toReversed()) {
    const isThinking = said.block.type === "thinking" || said.block.type === "redacted_thinking";
    if (isThinking && kept.at(-1)?.role !== "assistant") report.noteMessage(said.message, "reasoning-left-out");
    else kept.push(said);
  }
  return kept.reverse();
}

function startWithUser(
  segments: readonly AnthropicSegment[],
  input: WireInput,
  report: WireReport,
): AnthropicSegment[] {
  if (segments[0]?.role === "user" || input.messages.length === 0) return [...segments];
  report.noteMessage(segments[0]?.message ?? 0, "filler-added");
  return [{ role: "user", message: -1, block: { type: "text", text: fillerText } }, ...segments];
}

function trimPrefill(segments: readonly AnthropicSegment[], report: WireReport): readonly AnthropicSegment[] {
  const last = segments.at(-1);
  if (last?.role !== "assistant" || last.block.type !== "text") return segments;
  const text = last.block.text.trimEnd();
  if (text === last.block.text) return segments;
  report.noteMessage(last.message, "trailing-space-trimmed");
  return [...segments.slice(0, -1), { ...last, block: { ...last.block, text } }];
}

function mergeRoles(segments: readonly AnthropicSegment[], report: WireReport): AnthropicMessage[] {
  const messages: { role: "user" | "assistant"; content: AnthropicBlock[] }[] = [];
  let newest = -1;
  for (const { role, message, block } of segments) {
    const last = messages.at(-1);
    if (last?.role !== role) messages.push({ role, content: [block] });
    else {
      if (message > newest && block.type !== "tool_result") report.noteMessage(message, "merged");
      last.content.push(block);
    }
    newest = Math.max(newest, message);
  }
  return messages;
}

function toTool({ name, description, inputSchema }: ToolSpec): AnthropicTool {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    // Whether it is an object's schema is the validator's to say.
    input_schema: inputSchema as AnthropicTool["input_schema"],
  };
}

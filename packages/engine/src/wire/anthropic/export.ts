// Anthropic Messages.
// System: messages at the front become `system` blocks, one each. Later ones become user text in place, wrapped in
// <system>…</system>: only some models take that role inside a conversation, and the order counts for all of them.
// Roles: neighbours of one role are one message; a conversation that the assistant begins gets a short user message.
// Thinking is sent back only with its signature, and never at the end of a message. Blank texts are left out; white
// space at the end of a final assistant message is cut.

import type { ToolSpec } from "../../model/messages.ts";
import { arrangeSides, splitLeadingSystem } from "../shared/arrange-sides.ts";
import { idRules } from "../shared/pair-tool-calls.ts";
import { mergeRoles, startWithUser, type Sourced } from "../shared/segments.ts";
import { type WireExport, type WireInput, wireInputCheck } from "../shared/wire-input.ts";
import type { WireReport } from "../shared/wire-report.ts";
import { anthropicSegments, writer, type AnthropicSegment } from "./blocks.ts";
import type { AnthropicBlock, AnthropicCacheControl, AnthropicRequest, AnthropicText, AnthropicTool } from "./types.ts";

const isResult = ({ type }: AnthropicBlock): boolean => type === "tool_result";

/** Makes the parts of an Anthropic Messages request. */
export function toAnthropic(input: WireInput): WireExport<AnthropicRequest> {
  wireInputCheck(input, "");
  const { sides, pairing, report } = arrangeSides(input.messages, idRules.anthropic);
  const { system, rest } = splitLeadingSystem(sides, report);
  const spoken = system.map(({ message, text }) => ({ message, block: { type: "text" as const, text } }));
  const said = rest.flatMap((side) => anthropicSegments(side, { pairing, report }));
  const whole = startWithUser(dropFinalThinking(said, report), input, { writer, report });
  const segments = trimPrefill(whole, report);
  const tools = (input.tools ?? []).map(toTool);
  const marked = markBreakpoints({ system: spoken, segments, tools }, input, report);
  const request: AnthropicRequest = {
    ...(marked.system.length === 0 ? {} : { system: marked.system.map(({ block }) => block) }),
    messages: mergeRoles(marked.segments, isResult, report).map(({ role, blocks }) => ({ role, content: blocks })),
    ...(marked.tools.length === 0 ? {} : { tools: [...marked.tools] }),
  };
  return { request, notes: report.notes, problems: report.problems };
}

/** A message may not end with thinking: it is kept only where the assistant goes on. */
function dropFinalThinking(segments: readonly AnthropicSegment[], report: WireReport): AnthropicSegment[] {
  const kept: AnthropicSegment[] = [];
  for (const said of segments.toReversed()) {
    if (isThinking(said) && kept.at(-1)?.role !== "assistant") report.noteMessage(said.message, "reasoning-left-out");
    else kept.push(said);
  }
  return kept.reverse();
}

function trimPrefill(segments: readonly AnthropicSegment[], report: WireReport): readonly AnthropicSegment[] {
  const last = segments.at(-1);
  if (last?.role !== "assistant" || last.block.type !== "text") return segments;
  const text = last.block.text.trimEnd();
  if (text === last.block.text) return segments;
  report.noteMessage(last.message, "trailing-space-trimmed");
  return [...segments.slice(0, -1), { ...last, block: { ...last.block, text } }];
}

function toTool({ name, description, inputSchema }: ToolSpec): AnthropicTool {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    // Whether it is an object's schema is the validator's to say.
    input_schema: inputSchema as AnthropicTool["input_schema"],
  };
}

type SystemSegment = Sourced<AnthropicText>;

interface Marked {
  readonly system: readonly SystemSegment[];
  readonly segments: readonly AnthropicSegment[];
  readonly tools: readonly AnthropicTool[];
}

const mark: { readonly cache_control: AnthropicCacheControl } = { cache_control: { type: "ephemeral" } };

/**
 * Marks the end of each stable prefix: the last block of which it and everything before it comes from messages up to the
 * breakpoint. Thinking cannot be marked; the block before it is. Without such a block the tools are marked.
 */
function markBreakpoints(parts: Marked, input: WireInput, report: WireReport): Marked {
  const stops = new Set<number>();
  const blocks = [...parts.system, ...parts.segments];
  for (const [index, breakpoint] of (input.cacheBreakpoints ?? []).entries()) {
    if (Number.isInteger(breakpoint) && breakpoint >= 0 && breakpoint < input.messages.length) {
      stops.add(stopOf(blocks, breakpoint));
    } else {
      report.refuseAt(
        `cacheBreakpoints[${index}]`,
        `Message ${breakpoint}, which should end a cached prefix, does not exist.`,
        "Give indexes of messages, counted from 0.",
      );
    }
  }
  const offset = parts.system.length;
  return {
    system: parts.system.map((said, index) =>
      stops.has(index) ? { ...said, block: { ...said.block, ...mark } } : said,
    ),
    segments: parts.segments.map((said, index) =>
      stops.has(index + offset) ? { ...said, block: { ...said.block, ...mark } } : said,
    ),
    tools: parts.tools.map((tool, index) =>
      stops.has(-1) && index === parts.tools.length - 1 ? { ...tool, ...mark } : tool,
    ),
  };
}

function stopOf(blocks: readonly (SystemSegment | AnthropicSegment)[], breakpoint: number): number {
  const after = blocks.findIndex(({ message }) => message > breakpoint);
  let stop = (after < 0 ? blocks.length : after) - 1;
  while (isThinking(blocks[stop])) stop -= 1;
  return stop;
}

function isThinking(said: SystemSegment | AnthropicSegment | undefined): boolean {
  return said?.block.type === "thinking" || said?.block.type === "redacted_thinking";
}

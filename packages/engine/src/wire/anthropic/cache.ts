import type { AnthropicCacheControl, AnthropicText, AnthropicTool } from "./types.ts";
import type { AnthropicSegment } from "./blocks.ts";
import type { Sourced } from "../shared/segments.ts";
import type { WireInput } from "../shared/wire-input.ts";
import type { WireReport } from "../shared/wire-report.ts";

type SystemSegment = Sourced<AnthropicText>;

export interface Marked {
  readonly system: readonly SystemSegment[];
  readonly segments: readonly AnthropicSegment[];
  readonly tools: readonly AnthropicTool[];
}

const mark: { readonly cache_control: AnthropicCacheControl } = { cache_control: { type: "ephemeral" } };

/**
 * Marks the end of each stable prefix: the last block of which it and everything before it comes from messages up to the
 * breakpoint. Thinking cannot be marked; the block before it is. Without such a block the tools are marked.
 */
export function markBreakpoints(parts: Marked, input: WireInput, report: WireReport): Marked {
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

import { explain, fieldsCheck, functionCheck, listCheck, numberCheck, textCheck } from "../../model/check-input.ts";
import { messageCheck } from "../../model/message-schema.ts";
import type { CompactionRequest, Compactor } from "./compactor.ts";
import { linesOfMessages } from "./messages.ts";
import { findReplies } from "./replies.ts";
import type { ExtractiveLine } from "./score.ts";
import { labelLanguage, linesOfSummary, renderLine, renderSummary, sectionLabel } from "./summary.ts";

/** Shorter lines are no longer looked for after this many were too long for the rest of the budget. */
const maxMisses = 40;

/** No text has longer tokens on the whole: one that is far too long need not be counted. */
const maxCharactersPerToken = 32;

/**
 * A compactor without a model: it picks the lines that matter (requests, decisions, facts, tool calls, errors, open
 * questions) and carries those of the summary before on. The same request always gives the same summary.
 */
export function extractiveCompactor(options: ExtractiveCompactorOptions = {}): Compactor {
  optionsCheck(options, "options");
  const { pause = () => undefined } = options;
  return {
    id: "extractive",
    async compact(request) {
      const work = extract(request);
      for (;;) {
        const step = work.next();
        if (step.done) return step.value;
        const pausing = pause();
        if (pausing) await pausing;
      }
    },
  };
}

const optionsCheck = fieldsCheck({ pause: functionCheck });

const requestCheck = fieldsCheck(
  {
    messages: listCheck(messageCheck),
    previousSummary: textCheck,
    maxTokens: numberCheck,
    countTokens: functionCheck,
  },
  ["messages", "maxTokens", "countTokens"],
);

/** How an extractive compactor works. */
export interface ExtractiveCompactorOptions {
  /** Called again and again during long work; a host that serves others gives them their turn here. */
  readonly pause?: () => Promise<void> | undefined;
}

/** Yields wherever it may pause. */
function* extract(request: CompactionRequest): Generator<undefined, string> {
  try {
    const { messages, previousSummary = "" } = request;
    const replies = findReplies(messages);
    yield;
    const told = linesOfSummary(previousSummary, replies);
    const said = yield* linesOfMessages(messages, replies);
    return fitLines(yield* dedupeLines([...told, ...said]), request);
  } catch (error) {
    throw explain(error, () => requestCheck(request, ""));
  }
}

/** Equal for lines that say the same, also where different people say it. */
function keyOf({ text }: ExtractiveLine): string {
  const said = text.replace(/^(?:user|assistant): /u, "").toLowerCase();
  return said.replace(/[^\p{L}\p{N}]+/gu, " ").trim() || said;
}

/** Each thing once, at its newest place and with its highest score. Lines come in and go out oldest first. */
function* dedupeLines(lines: readonly ExtractiveLine[]): Generator<undefined, ExtractiveLine[]> {
  const byKey = new Map<string, ExtractiveLine>();
  for (const line of lines.toReversed()) {
    yield;
    const key = keyOf(line);
    const newer = byKey.get(key);
    if (!newer || line.score > newer.score) byKey.set(key, line);
  }
  return [...byKey.values()].reverse();
}

/** Drops the least important lines first, and of equally important ones the oldest. */
function fitLines(lines: readonly ExtractiveLine[], request: CompactionRequest): string {
  const { maxTokens } = request;
  const language = labelLanguage(lines);
  const whole = renderSummary(lines, language);
  if (whole.length <= maxTokens * maxCharactersPerToken && request.countTokens(whole) <= maxTokens) return whole;
  const chosen = chooseLines(
    lines,
    (line, isFirst) => {
      const label = isFirst ? `${sectionLabel(line.section, language)}\n` : "";
      return request.countTokens(`${label}${renderLine(line)}\n`);
    },
    maxTokens,
  );
  // The parts need not add up to the whole: tokenizers merge across lines, and some count in steps.
  for (let count = chosen.length; count > 0; count -= Math.ceil(count / 20)) {
    const kept = new Set(chosen.slice(0, count));
    const text = renderSummary(
      lines.filter((_, index) => kept.has(index)),
      language,
    );
    if (request.countTokens(text) <= maxTokens) return text;
  }
  return "";
}

/** The indexes of the lines that fit, the most important first. */
function chooseLines(
  lines: readonly ExtractiveLine[],
  cost: (line: ExtractiveLine, isFirst: boolean) => number,
  maxTokens: number,
): number[] {
  const ranked = lines
    .map((line, index) => ({ line, index }))
    .sort((a, b) => b.line.score - a.line.score || b.index - a.index);
  const chosen: number[] = [];
  const opened = new Set<string>();
  let left = maxTokens;
  let misses = 0;
  for (const { line, index } of ranked) {
    if (left <= 0 || misses > maxMisses) break;
    const tokens = cost(line, !opened.has(line.section));
    if (tokens > left) {
      misses += 1;
      continue;
    }
    left -= tokens;
    opened.add(line.section);
    chosen.push(index);
  }
  return chosen;
}

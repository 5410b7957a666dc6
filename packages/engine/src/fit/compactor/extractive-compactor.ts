import { explain, fieldsCheck, functionCheck, listCheck, numberCheck, textCheck } from "../../model/check/input.ts";
import type { Language } from "../../model/text-language.ts";
import { messageCheck } from "../../model/message-schema.ts";
import { chooseLines } from "./choose-lines.ts";
import type { CompactionRequest, Compactor } from "./compactor.ts";
import { readMessages } from "./messages.ts";
import { findReplies } from "./replies.ts";
import { runPaused } from "./run-paused.ts";
import { isTold } from "./same-lines.ts";
import type { ExtractiveLine } from "./score.ts";
import { languageOf, linesOfSummary, renderLine, renderSummary, sectionLabel } from "./summary.ts";

/** Most lines of calls and of what they gave cost more: no summary has room for more of them. */
const minToolTokens = 12;

/**
 * A compactor without a model: it picks the lines that matter (requests, decisions, facts, tool calls, errors, open
 * questions) and carries those of the summary before on. The same request always gives the same summary.
 */
export function extractiveCompactor(options: ExtractiveCompactorOptions = {}): Compactor {
  optionsCheck(options, "options");
  const { pause = () => undefined } = options;
  return {
    id: "extractive",
    pause,
    compact: (request) => runPaused(extract(request), pause),
  };
}

const optionsCheck = fieldsCheck({ pause: functionCheck });

const requestCheck = fieldsCheck(
  {
    messages: listCheck(messageCheck),
    previousSummary: textCheck,
    maxTokens: numberCheck,
    countTokens: functionCheck,
    atLeast: functionCheck,
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
    const read = yield* readMessages(messages, replies);
    const some = yield* read.withoutFacts(Math.ceil(request.maxTokens / minToolTokens));
    const lines = [...told, ...some];
    const language = languageOf(lines);
    const fitted = yield* fitLines(lines, language, request);
    // What results say besides is for where all else has room: mostly it has not, and results are most of a session.
    if (!fitted.isWhole) return fitted.text;
    const all = [...told, ...(yield* read.all())].filter((line) => !isTold(line));
    return (yield* fitLines(all, language, request)).text;
  } catch (error) {
    throw explain(error, () => requestCheck(request, ""));
  }
}

/** Drops the least important lines first, and of equally important ones the oldest. */
function* fitLines(
  lines: readonly ExtractiveLine[],
  language: Language,
  request: CompactionRequest,
): Generator<undefined, { readonly text: string; readonly isWhole: boolean }> {
  const { maxTokens, atLeast = () => 0 } = request;
  const { chosen, isWhole } = yield* chooseLines(
    lines,
    (line, isFirst, left) => {
      const text = `${isFirst ? `${sectionLabel(line.section, language)}\n` : ""}${renderLine(line)}\n`;
      const least = atLeast(text);
      return least > left ? least : request.countTokens(text);
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
    if (request.countTokens(text) <= maxTokens) return { text, isWhole: isWhole && count === chosen.length };
  }
  return { text: "", isWhole };
}

import { explain, fieldsCheck, functionCheck, listCheck, numberCheck, textCheck } from "../../model/check/input.ts";
import type { Language } from "../../model/text-language.ts";
import { messageCheck } from "../../model/message-schema.ts";
import { chooseLines } from "./choose-lines.ts";
import type { CompactionRequest, Compactor } from "./compactor.ts";
import { readMessages } from "./messages.ts";
import { findReplies } from "./replies.ts";
import { runPaused } from "./run-paused.ts";
import { isTold, keyOf } from "./same-lines.ts";
import type { ExtractiveLine } from "./score.ts";
import { languageOf, linesOfSummary, renderLine, renderSummary, sectionLabel } from "./summary.ts";

/** Most lines of calls and of what they gave cost more: no summary has room for more of them. */
const minToolTokens = 12;
/** Nearly all calls cost more with what they gave. */
const minCallTokens = 6;
/** Lines between two pauses. */
const linesPerPause = 128;

/** Lines of words have shorter tokens: what is far too long need not be counted. */
const maxCharactersPerToken = 6;

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
    // What results say besides is for where all else has room: mostly it has not, and results are most of a session.
    const language = languageOf(lines);
    if ((yield* wholeSummary(lines, language, request)) === undefined) return yield* fitLines(lines, language, request);
    const all = [...told, ...(yield* read.all())];
    return (yield* wholeSummary(all, language, request)) ?? (yield* fitLines(all, language, request));
  } catch (error) {
    throw explain(error, () => requestCheck(request, ""));
  }
}

/** Drops the least important lines first, and of equally important ones the oldest. */
function* fitLines(
  lines: readonly ExtractiveLine[],
  language: Language,
  request: CompactionRequest,
): Generator<undefined, string> {
  const { maxTokens, atLeast = () => 0 } = request;
  const chosen = yield* chooseLines(
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
    if (request.countTokens(text) <= maxTokens) return text;
  }
  return "";
}

/** All lines as text, each thing once, where they fit. */
function* wholeSummary(
  lines: readonly ExtractiveLine[],
  language: Language,
  request: CompactionRequest,
): Generator<undefined, string | undefined> {
  const { maxTokens, atLeast = () => 0 } = request;
  let least = 0;
  for (const line of lines) {
    // Lines of calls would have to be written first.
    const isCall = line.section === "actions";
    least += isCall ? minCallTokens : Math.max(atLeast(line.text), line.text.length / maxCharactersPerToken);
    if (least > maxTokens) return undefined;
  }
  const whole = renderSummary(yield* onceEach(lines), language);
  return request.countTokens(whole) <= maxTokens ? whole : undefined;
}

/** Each thing once, with its highest score and at its newest place with it. */
function* onceEach(lines: readonly ExtractiveLine[]): Generator<undefined, readonly ExtractiveLine[]> {
  const byKey = new Map<number | string, ExtractiveLine>();
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    if (index % linesPerPause === 0) yield;
    const line = lines[index] as ExtractiveLine;
    if (isTold(line)) continue;
    const key = keyOf(line);
    const newer = byKey.get(key);
    if (!newer || line.score > newer.score) byKey.set(key, line);
  }
  const once = new Set(byKey.values());
  return lines.filter((line) => once.has(line));
}

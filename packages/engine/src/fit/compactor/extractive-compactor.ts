import { explain, fieldsCheck, functionCheck, listCheck, numberCheck, textCheck } from "../../model/check-input.ts";
import type { Language } from "../../model/text-language.ts";
import { messageCheck } from "../../model/message-schema.ts";
import { chooseLines } from "./choose-lines.ts";
import type { CompactionRequest, Compactor } from "./compactor.ts";
import { readMessages } from "./messages.ts";
import { findReplies } from "./replies.ts";
import { runPaused } from "./run-paused.ts";
import type { ExtractiveLine } from "./score.ts";
import { isQuiet } from "./traits.ts";
import { labelLanguage, linesOfSummary, renderLine, renderSummary, sectionLabel } from "./summary.ts";

/** Most lines of calls and of what they gave cost more: no summary has room for more of them. */
const minToolTokens = 12;
/** Lines between two pauses. */
const linesPerPause = 128;

/** Lines of words have shorter tokens: what is far too long need not be counted. */
const maxCharactersPerToken = 12;

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
    const lines = yield* dedupeLines([...told, ...some]);
    // What results say besides is for where all else has room: mostly it has not, and results are most of a session.
    const language = labelLanguage(lines);
    if (wholeSummary(lines, language, request) === undefined) return fitLines(lines, language, request);
    const all = yield* dedupeLines([...told, ...(yield* read.all())]);
    return wholeSummary(all, language, request) ?? fitLines(all, language, request);
  } catch (error) {
    throw explain(error, () => requestCheck(request, ""));
  }
}

/** Equal for lines that say the same, also where different people say it. */
function keyOf({ text }: ExtractiveLine): number | string {
  const start = text.startsWith("user: ") ? 6 : text.startsWith("assistant: ") ? 11 : 0;
  const key = wordsHash(text, start);
  if (key !== undefined) return key;
  const said = text.slice(start).toLowerCase();
  const words = said.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
  return wordsHash(words, 0) ?? (words || said);
}

/** A number for the words of a text of ASCII letters, in either case and whatever stands between them; nothing where there are none. */
function wordsHash(text: string, start: number): number | undefined {
  let [high, low, isApart] = [0, 0, false];
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f && !isQuiet(code)) return undefined;
    const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
    if (!isLetter && (code < 0x30 || code > 0x39)) {
      isApart = true;
      continue;
    }
    if (isApart && low !== 0) low = Math.imul(low ^ 0x20, 0x01_00_01_93);
    isApart = false;
    high = (Math.imul(high, 31) + (code | 0x20)) | 0;
    low = Math.imul(low ^ (code | 0x20), 0x01_00_01_93) || 1;
  }
  // 53 bits: two different lines of a summary never meet.
  return low === 0 ? undefined : (high >>> 0) * 0x20_00_00 + ((low >>> 0) & 0x1f_ff_ff);
}

/** Each thing once, at its newest place and with its highest score. Lines come in and go out oldest first. */
function* dedupeLines(lines: readonly ExtractiveLine[]): Generator<undefined, ExtractiveLine[]> {
  const byKey = new Map<number | string, ExtractiveLine>();
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    if (index % linesPerPause === 0) yield;
    const line = lines[index] as ExtractiveLine;
    const key = keyOf(line);
    const newer = byKey.get(key);
    if (!newer || line.score > newer.score) byKey.set(key, line);
  }
  return [...byKey.values()].reverse();
}

/** Drops the least important lines first, and of equally important ones the oldest. */
function fitLines(lines: readonly ExtractiveLine[], language: Language, request: CompactionRequest): string {
  const { maxTokens, atLeast = () => 0 } = request;
  const chosen = chooseLines(
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

/** All lines as text, where they fit. */
function wholeSummary(
  lines: readonly ExtractiveLine[],
  language: Language,
  request: CompactionRequest,
): string | undefined {
  let length = 0;
  for (const { text } of lines) length += text.length;
  if (length > request.maxTokens * maxCharactersPerToken) return undefined;
  const whole = renderSummary(lines, language);
  return request.countTokens(whole) <= request.maxTokens ? whole : undefined;
}

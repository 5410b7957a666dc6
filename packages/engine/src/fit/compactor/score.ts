import { type Pattern, cues } from "./cues.ts";
import type { Sentence } from "./sentences.ts";
import { everything, trait } from "./cue-tables.ts";
import type { Reply } from "./replies.ts";
import { isSure } from "./traits.ts";

/** What a line of the summary is about, in the order in which the sections are written. */
export type Section = "earlier" | "requests" | "decisions" | "facts" | "actions" | "errors" | "questions";

/** One line of the summary that may be kept or dropped. */
export interface ExtractiveLine {
  readonly section: Section;
  readonly text: string;
  /** How much would be lost without it; above zero. */
  readonly score: number;
  /** Of what a result says: the line of its call, which may say the same, and where behind the tool's name it begins. */
  readonly of?: { readonly call: ExtractiveLine; readonly from: number };
}

interface Signal {
  readonly section: Section;
  readonly weight: number;
  /** Without it, the pattern need not be tried. */
  readonly needs: number;
  readonly pattern: Pattern;
}

function signal(section: Section, weight: number, needs: number, pattern: Pattern): Signal {
  return { section, weight, needs, pattern };
}

/** What is asked, decided, wrong or open cannot be found again by a name: it ranks before facts, however many a line has. */
const maxFacts = 3;
const requestWeight = 2;
const maxExcuse = 50;
const failureWeight = 5;
/** Nothing that a tool says has a higher score. */
export const maxToolScore = failureWeight + maxFacts - 1;

// The first that fits names the section; the weights of all that fit are added up, those of facts up to a limit.
export const signals: readonly Signal[] = [
  signal("questions", 4, trait.open, cues.open),
  signal("decisions", 5, trait.decision, cues.decision),
  signal("errors", failureWeight, trait.failure, cues.failure),
  signal("facts", 2, trait.number, /\p{Nd}|[零一二三四五六七八九十百千万亿两]+[个天年月日元次点人台条分秒%]/u),
  // URLs, paths, file names.
  signal("facts", 2, trait.slash, /[a-z][a-z+.-]*:\/\/\S|(?:^|[\s`"'(（：])[~.]{0,2}\/?[\w@-][\w.@-]*\/[\w.@-]/iu),
  signal("facts", 1, trait.suffix, /[\w-]\.[a-z][a-z\d]{0,4}(?![\w.])|[a-z]:\\\w/iu),
  // Commands and other literal text.
  signal("facts", 1, trait.literal, /`[^`]{2,}`|^\$ \S|\s--?[a-z][\w-]+/iu),
  // Identifiers: camelCase, snake_case, CONSTANT_CASE, KEY-1, handles and addresses.
  signal("facts", 1, trait.identifier, /\p{Ll}\p{Lu}|\w_\w|\p{Lu}{2,}|@\p{L}/u),
  // Names: capitals inside a sentence, and quoted titles.
  signal("facts", 1, trait.name, /[\p{Ll}\d,;:)] \p{Lu}\p{Ll}|《[^》]+》|「[^」]+」/u),
  signal("facts", 1, trait.naming, cues.naming),
];

/** By the traits that a sentence has, the most that its signals can weigh: those of facts, and the others. */
const likelyFacts = new Uint8Array(everything + 1);
const likelyOthers = new Uint8Array(everything + 1);

/** Filled with the first sentence. Each sum is that of the traits without the lowest, and what needs that one. */
function fillWeights(): void {
  for (let traits = 1; traits <= everything; traits += 1) {
    const rest = traits & (traits - 1);
    likelyFacts[traits] = likelyFacts[rest] ?? 0;
    likelyOthers[traits] = likelyOthers[rest] ?? 0;
    for (const { section, weight, needs } of signals) {
      if (needs !== (traits ^ rest)) continue;
      const table = section === "facts" ? likelyFacts : likelyOthers;
      table[traits] = (table[traits] ?? 0) + weight;
    }
  }
}
let isFilled = false;

type Speaker = "user" | "assistant" | "system" | "tool";

export interface SaidBy {
  readonly speaker: Speaker;
  /** What the other side said to it. Asked for questions only. */
  readonly reply: () => Reply;
  /** What is written before the sentence. */
  readonly prefix: string;
  readonly of?: ExtractiveLine["of"];
}

export function isQuestion(text: string): boolean {
  return /(?:[?？؟]["'”」』）)*_`]*|[吗呢][。.]?)$/u.test(text);
}

/** "I do not know yet" asks for nothing and decides nothing. */
function putsOff(text: string, traits: number): boolean {
  if ((traits & trait.deferral) === 0 || text.length > maxExcuse) return false;
  return isSure(traits, trait.deferral) || cues.deferral.test(text);
}

/** Behind a question that was put off: its cue tells the next compaction that it stays open whatever is said next. */
function putOffMark(question: string): string {
  return /\p{Script=Han}/u.test(question) ? "（待定）" : " (put off)";
}

/** With fewer words nothing is asked for; behind a greeting or thanks, with fewer than these. */
const [fewWords, politeWords] = [4, 7] as const;
const courtesy =
  /^(?:hi|hello|hey|thanks|thank you|ok|okay|yes|no|sure|great|good|please|danke|hallo|merci|bonjour|gracias|hola|你好|您好|谢谢|好的|嗯|是的|可以)(?!\p{L}{3})/iu;

/**
 * The sentence as a line of the summary, or nothing when it is not worth more than `bar`. The first sentence of what a user
 * said may be a request.
 */
export function scoreSentence(
  { text, isCode, traits }: Sentence,
  { speaker, reply, prefix, of }: SaidBy,
  isFirst: boolean,
  bar: number,
): ExtractiveLine | undefined {
  if (!isFilled) fillWeights();
  isFilled = true;
  const asks = speaker !== "tool" && !isCode && (traits & trait.question) !== 0 && isQuestion(text);
  const answer = asks ? reply() : undefined;
  if (answer === "none") return { text: prefix + text, section: "questions", score: 8 };
  if (answer === "put off") return { text: prefix + text + putOffMark(text), section: "questions", score: 6 };
  const isExcuse = putsOff(text, traits);
  const isRequest = speaker === "user" && isFirst && !isCode && !isExcuse && isSubstantial(text);
  const base =
    (speaker === "user" ? 1 : 0) + (isRequest ? requestWeight : 0) - (speaker === "tool" ? 1 : 0) - (isCode ? 2 : 0);
  // "Should we …?" decides nothing, and tools neither decide nor ask.
  const isDeciding = speaker !== "tool" && !asks && !isCode && !isExcuse;
  const likely = traits & everything & ~(isDeciding ? 0 : trait.decision) & ~(speaker === "tool" ? trait.open : 0);
  let facts = likelyFacts[likely] ?? 0;
  let others = likelyOthers[likely] ?? 0;
  let first: Section | undefined;
  for (const { section, weight, needs, pattern } of signals) {
    if (base + others + Math.min(maxFacts, facts) <= bar) return undefined;
    if ((likely & needs) === 0) continue;
    if (isSure(traits, needs) || pattern.test(text)) first ??= section;
    else if (section === "facts") facts -= weight;
    else others -= weight;
  }
  const score = base + others + Math.min(maxFacts, facts);
  if ((!first && !isRequest) || score <= bar) return undefined;
  const section = !first || (first === "facts" && isRequest) ? "requests" : first;
  return of ? { text: prefix + text, section, score, of } : { text: prefix + text, section, score };
}

/** True for a text of some words. It ends where enough were counted: nearly all requests have them, in ASCII. */
function isSubstantial(text: string): boolean {
  let words = 0;
  let isInWord = false;
  for (let index = 0; index < text.length && words < politeWords; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) {
      words = text.match(/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{L}+/gu)?.length ?? 0;
      break;
    }
    const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
    if (isLetter && !isInWord) words += 1;
    isInWord = isLetter;
  }
  return words >= politeWords || (words >= fewWords && !courtesy.test(text));
}

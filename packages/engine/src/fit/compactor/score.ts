import { type Pattern, cues } from "./cues.ts";
import type { Sentence } from "./sentences.ts";
import { everything, trait } from "./cue-tables.ts";
import type { Reply } from "./replies.ts";
import { hasManyWords, isCourtesy, isIntention, isSubstantial } from "./small-talk.ts";
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
/** What was proposed and agreed to is decided. */
const agreedBonus = 2;
const agreedPrefix = "agreed: ";
const maxExcuse = 50;
const failureWeight = 5;
/** What else stands in a failure are mostly times and places, which the index of names has too. */
const maxFailedFacts = 1;
/** Nothing that a tool says has a higher score. */
export const maxToolScore = failureWeight + maxFailedFacts - 1;

/** 一个 and 两个 are said as "a" and "a couple of" are. */
const number = /\p{Nd}|(?![一两]个)[零一二三四五六七八九十百千万亿两]+[个天年月日元次点人台条分秒%]/u;

// The first that fits names the section; the weights of all that fit are added up, those of facts up to a limit.
export const signals: readonly Signal[] = [
  signal("questions", 4, trait.open, cues.open),
  signal("decisions", 5, trait.decision, cues.decision),
  signal("errors", failureWeight, trait.failure, cues.failure),
  signal("errors", 3, trait.finding, cues.finding),
  // What is to be kept to holds on; what is to be done next is done.
  signal("requests", 3, trait.wish, cues.wish),
  signal("facts", 2, trait.number, number),
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

/** Traits are looked up in two halves. */
const half = 7;
const lowTraits = (1 << half) - 1;

/** By the traits that a sentence has, the most that its signals can weigh: those of facts, and the others. */
class Weights {
  readonly #low = new Uint8Array(1 << half);
  readonly #high = new Uint8Array((everything >> half) + 1);

  /** Each sum is that of the traits without the lowest, and what needs that one. */
  constructor(isOfFacts: boolean) {
    for (const [table, shift] of [
      [this.#low, 0],
      [this.#high, half],
    ] as const) {
      for (let traits = 1; traits < table.length; traits += 1) {
        const rest = traits & (traits - 1);
        table[traits] = table[rest] ?? 0;
        for (const { section, weight, needs } of signals) {
          if (needs !== (traits ^ rest) << shift || (section === "facts") !== isOfFacts) continue;
          table[traits] = (table[traits] ?? 0) + weight;
        }
      }
    }
  }

  of(traits: number): number {
    return (this.#low[traits & lowTraits] ?? 0) + (this.#high[traits >> half] ?? 0);
  }
}
/** Made with the first sentence. */
let weights: readonly [facts: Weights, others: Weights] | undefined;

/** Tools decide nothing, leave nothing open, and neither wish nor explain. */
const toolsNever = trait.decision | trait.open | trait.wish | trait.finding;

const proposing = trait.decision | trait.wish;

/** None of these is told by a model that says what it is about to do. */
const intended = trait.decision | trait.failure | trait.wish | trait.finding | trait.open;

type Speaker = "user" | "assistant" | "system" | "tool";

export interface SaidBy {
  readonly speaker: Speaker;
  /** What the other side said to it. Asked for questions and proposals only. */
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
  if ((traits & trait.deferral) === 0 || text.length > (isHan(text) ? maxExcuse / 2 : maxExcuse)) return false;
  return isSure(traits, trait.deferral) || cues.deferral.test(text);
}

/** In which one sign says about as much as two letters. */
function isHan(text: string): boolean {
  return /\p{Script=Han}/u.test(text);
}

/** Behind a question that was put off: its cue tells the next compaction that it stays open whatever is said next. */
function putOffMark(question: string): string {
  return isHan(question) ? "（待定）" : " (put off)";
}

/**
 * The sentence as a line of the summary, or nothing when it is not worth more than `bar`. What a user said may be
 * a request, above all its first sentence.
 */
export function scoreSentence(
  { text, isCode, traits }: Sentence,
  { speaker, reply, prefix, of }: SaidBy,
  isFirst: boolean,
  bar: number,
): ExtractiveLine | undefined {
  const [ofFacts, ofOthers] = (weights ??= [new Weights(true), new Weights(false)]);
  const asks = speaker !== "tool" && !isCode && (traits & trait.question) !== 0 && isQuestion(text);
  const answer = asks ? reply() : undefined;
  if (answer === "none") return { text: prefix + text, section: "questions", score: 8 };
  if (answer === "put off") return { text: prefix + text + putOffMark(text), section: "questions", score: 6 };
  const isExcuse = putsOff(text, traits);
  const isRequest = speaker === "user" && !isCode && !isExcuse && (isFirst || !asks) && isSubstantial(text);
  const base =
    (speaker === "user" ? 1 : 0) +
    (isRequest ? (isFirst ? requestWeight : 1) : 0) -
    (speaker === "tool" ? 1 : 0) -
    (isCode ? 2 : 0);
  // "Should we …?" decides nothing, and neither does a mere yes.
  const isDeciding = !asks && !isCode && !isExcuse && !(speaker === "user" && isCourtesy(text));
  const isAgreed = isDeciding && speaker === "assistant" && (traits & proposing) !== 0 && reply() === "agreed";
  const isIntended = speaker === "assistant" && !isAgreed && (traits & intended) !== 0 && isIntention(text);
  const never = speaker === "tool" ? toolsNever : isIntended ? intended : 0;
  const open = isExcuse && !hasManyWords(text) ? trait.open : 0;
  const likely = traits & everything & ~(never | open | (isDeciding ? 0 : trait.decision));
  let facts = ofFacts.of(likely);
  let others = ofOthers.of(likely);
  let first: Section | undefined;
  for (const { section, weight, needs, pattern } of signals) {
    if (base + weigh(others, facts, speaker) <= bar) return undefined;
    if ((likely & needs) === 0) continue;
    if (isSure(traits, needs) || pattern.test(text)) first ??= section;
    else if (section === "facts") facts -= weight;
    else others -= weight;
  }
  const score = base + weigh(others, facts, speaker);
  if ((!first && !isRequest) || score <= bar) return undefined;
  if (isAgreed && (first === "decisions" || first === "requests")) {
    return { text: agreedPrefix + text, section: "decisions", score: score + agreedBonus };
  }
  const section = !first || (first === "facts" && isRequest) ? "requests" : first;
  return of ? { text: prefix + text, section, score, of } : { text: prefix + text, section, score };
}

function weigh(others: number, facts: number, speaker: Speaker): number {
  return others + Math.min(speaker === "tool" && others > 0 ? maxFailedFacts : maxFacts, facts);
}

/** What the signs of facts in a sentence weigh. */
export function weighFacts({ text, traits }: Sentence): number {
  let facts = 0;
  for (const { section, weight, needs, pattern } of signals) {
    if (section === "facts" && (traits & needs) !== 0 && (isSure(traits, needs) || pattern.test(text))) facts += weight;
  }
  return facts;
}

export function isOpen({ text, traits }: Sentence): boolean {
  return (traits & trait.open) !== 0 && (isSure(traits, trait.open) || cues.open.test(text));
}

export function isFinding({ text, traits }: Sentence): boolean {
  return (traits & trait.finding) !== 0 && (isSure(traits, trait.finding) || cues.finding.test(text));
}

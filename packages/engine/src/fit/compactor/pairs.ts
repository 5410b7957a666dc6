import { type ExtractiveLine, isFinding, weighFacts } from "./score.ts";
import type { Sentence } from "./sentences.ts";
import { isIntention } from "./small-talk.ts";
import { traitsOf } from "./traits.ts";

/** What failed and what was said to it are one line: `shell: TypeError: … → assistant: It only happens where …`. */
const arrow = " → ";
const answer = / → (?:user|assistant): /u;

/** As much as a decision. */
const pairWeight = 5;
const findingWeight = 2;
const maxFacts = 2;
/** In characters. */
const [minTold, maxTold] = [12, 180] as const;

/** A place in the code says less than what went wrong there, and so does how much went wrong. */
const place = /: (?:at |File "|from |\d+: |#\d+ )/u;
const tally =
  /(?:[(|,:;=✖✗×] ?|\b(?:tests?|files|found|with) )\d+ (?:tests? |files? )?(?:fail|error|problem)|: FAIL(?:ED)? [^:>]*$/iu;
/** Of two messages that cite nothing, the first says more. */
const quote = /['"`“]/u;
const [placeCost, quoteBonus, tallyCost] = [3, 1, 2] as const;

interface Told {
  readonly pair: ExtractiveLine;
  /** How many of the sentences it tells. */
  readonly count: number;
}

/** The first sentences that were said to a failure, together with it; nothing where they only say what comes next. */
export function pairOf(failed: ExtractiveLine, sentences: readonly Sentence[], prefix: string): Told | undefined {
  let count = 0;
  let told = "";
  for (const { text, isCode } of sentences) {
    if (isCode || isIntention(text) || (told !== "" && told.length + text.length > maxTold)) break;
    told += `${told === "" ? "" : " "}${text}`;
    count += 1;
  }
  if (told.length < minTold) return undefined;
  return { pair: pairLine(failed.text, `${arrow}${prefix}`, told), count };
}

/** The same from an earlier summary, scored as it was. */
export function pairIn(text: string): ExtractiveLine | undefined {
  const found = answer.exec(text);
  return found ? pairLine(text.slice(0, found.index), found[0], text.slice(found.index + found[0].length)) : undefined;
}

function pairLine(failed: string, between: string, told: string): ExtractiveLine {
  const sentence = { text: told, isCode: false, traits: traitsOf(told) };
  const facts = Math.min(maxFacts, weighFacts(sentence)) + (isFinding(sentence) ? findingWeight : 0);
  const score = pairWeight + facts - (saysWhere(failed) ? tallyCost : 0);
  return { section: "errors", text: failed + between + told, score };
}

/** Where or how much something failed, and not what. */
function saysWhere(failed: string): boolean {
  return place.test(failed) || tally.test(failed);
}

/** The messages among what failed, without places in the code and tallies, unless there is nothing else. */
export function withoutPlaces(failures: readonly ExtractiveLine[]): readonly ExtractiveLine[] {
  const messages = failures.filter(({ text }) => !saysWhere(text));
  return messages.length > 0 ? messages : failures;
}

/** The line that tells best what failed. */
export function tellingLine(failures: readonly ExtractiveLine[]): ExtractiveLine | undefined {
  let best: ExtractiveLine | undefined;
  let most = 0;
  for (const line of failures) {
    const worth = line.score + (quote.test(line.text) ? quoteBonus : 0) - (saysWhere(line.text) ? placeCost : 0);
    if (best && worth <= most) continue;
    [best, most] = [line, worth];
  }
  return best;
}

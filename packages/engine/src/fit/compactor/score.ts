import { cues } from "./cues.ts";
import type { ExtractiveLine, Section } from "./line.ts";
import type { Sentence } from "./sentences.ts";

interface Signal {
  readonly section: Section;
  readonly weight: number;
  readonly pattern: RegExp;
}

// The first that fits names the section; the weights of all that fit are added up.
const signals: readonly Signal[] = [
  { section: "questions", weight: 4, pattern: cues.open },
  { section: "decisions", weight: 4, pattern: cues.decision },
  { section: "errors", weight: 3, pattern: cues.failure },
  { section: "facts", weight: 2, pattern: /\p{Nd}|[零一二三四五六七八九十百千万亿两]+[个天年月日元次点人台条分秒%]/u },
  // URLs, paths, file names.
  {
    section: "facts",
    weight: 2,
    pattern: /[a-z][a-z+.-]*:\/\/\S|(?:^|[\s`"'(（：])[~.]{0,2}\/?[\w@-][\w.@-]*\/[\w.@-]/iu,
  },
  { section: "facts", weight: 1, pattern: /[\w-]\.[a-z][a-z\d]{0,4}(?![\w.])|[a-z]:\\\w/iu },
  // Commands and other literal text.
  { section: "facts", weight: 1, pattern: /`[^`]{2,}`|^\$ \S|\s--?[a-z][\w-]+/iu },
  // Identifiers: camelCase, snake_case, CONSTANT_CASE, KEY-1, handles and addresses.
  { section: "facts", weight: 1, pattern: /\p{Ll}\p{Lu}|\w_\w|\p{Lu}{2,}|@\p{L}/u },
  // Names: capitals inside a sentence, and quoted titles.
  { section: "facts", weight: 1, pattern: /[\p{Ll}\d,;:)] \p{Lu}\p{Ll}|《[^》]+》|「[^」]+」/u },
  { section: "facts", weight: 1, pattern: cues.naming },
];

type Speaker = "user" | "assistant" | "system" | "tool";

export interface SaidBy {
  readonly speaker: Speaker;
  /** The first sentence of what was said. */
  readonly isFirst: boolean;
  /** It was not answered. */
  readonly isUnanswered: boolean;
  /** What is written before the sentence. */
  readonly prefix: string;
}

function isQuestion(text: string): boolean {
  return /(?:[?？؟]["'”」』）)*_`]*|[吗呢][。.]?)$/u.test(text);
}

const courtesy =
  /^(?:hi|hello|hey|thanks|thank you|ok|okay|yes|no|sure|great|good|please|danke|hallo|merci|bonjour|gracias|hola|你好|您好|谢谢|好的|嗯|是的|可以)(?!\p{L}{3})/iu;

/** The sentence as a line of the summary, or nothing when it is not worth keeping. */
export function scoreSentence({ text, isCode }: Sentence, said: SaidBy): ExtractiveLine | undefined {
  const line = { text: said.prefix + text };
  const asks = isQuestion(text) && said.speaker !== "tool" && !isCode;
  if (asks && said.isUnanswered) return { ...line, section: "questions", score: 6 };
  const found = signals.filter(({ pattern, section }) => {
    // "Should we …?" decides nothing, and tools neither decide nor ask.
    if (section === "decisions" && (asks || isCode)) return false;
    if (said.speaker === "tool" && (section === "decisions" || section === "questions")) return false;
    return pattern.test(text);
  });
  const isRequest = said.speaker === "user" && said.isFirst && !isCode && isSubstantial(text);
  const [first] = found;
  if (!first && !isRequest) return undefined;
  const bonus = (said.speaker === "user" ? 1 : 0) + (isRequest ? 1 : 0);
  const malus = (said.speaker === "tool" ? 1 : 0) + (isCode ? 2 : 0);
  const score = found.reduce((sum, { weight }) => sum + weight, 0) + bonus - malus;
  if (score <= 0) return undefined;
  const section = !first || (first.section === "facts" && isRequest) ? "requests" : first.section;
  return { ...line, section, score };
}

function isSubstantial(text: string): boolean {
  const letters = text.match(/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{L}+/gu)?.length ?? 0;
  return letters >= (courtesy.test(text) ? 7 : 4);
}

import type { ArchiveDocument } from "../packages/host/src/search/archive-search.ts";

/** Archived contexts of our own making, half of them Chinese, the same every time. */
export interface GeneratedArchive extends ArchiveDocument {
  readonly isChinese: boolean;
  /** Everything that can be found, as it was written. */
  readonly text: string;
}

type Next = () => number;

const signs = Array.from({ length: 2500 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)));
const chineseGrammar = "的了是我在有不这他们就也和说要会可以对".split("");
const englishGrammar =
  "the a of and to in is that it was for on with as we you this be at by not are from or have".split(" ");
const onsets = "b c d f g h j k l m n p r s t v w br cl dr fl gr pl pr sh st th tr".split(" ");
const vowels = "a e i o u ai ea io ou".split(" ");

/** Words are drawn as in real texts: a few are everywhere, most are rare. */
export function generateArchives(count: number, messagesEach = 22): GeneratedArchive[] {
  const next = numbers(11);
  const words = { chinese: chineseWords(12_000, next), english: englishWords(12_000, next) };
  return Array.from({ length: count }, (_, index) => generateArchive(index, messagesEach, words, next));
}

function generateArchive(
  index: number,
  messagesEach: number,
  { chinese, english }: Readonly<Record<"chinese" | "english", readonly string[]>>,
  next: Next,
): GeneratedArchive {
  const isChinese = index % 2 === 0;
  const [own, other] = isChinese ? [chinese, english] : [english, chinese];
  const topic = Array.from({ length: 8 }, () => pick(own, next, 1));
  const word = (): string => {
    const dice = next();
    if (dice < 0.3) return pick(isChinese ? chineseGrammar : englishGrammar, next, 2);
    if (dice < 0.4) return pick(topic, next, 1);
    return isChinese && dice < 0.44 ? pick(other, next, 2) : pick(own, next, 2.5);
  };
  const write = (words: number): string => {
    const list = Array.from({ length: Math.ceil(words) }, word);
    return isChinese ? joinChinese(list, next) : `${list.join(" ")}.`;
  };
  const messages = Array.from({ length: messagesEach }, (_, turn) => {
    return turn % 2 === 0
      ? { role: "user", content: write(10 + next() * 30) }
      : { role: "assistant", content: write(40 + next() * 120) };
  });
  const title = isChinese ? topic.slice(0, 3).join("") : topic.slice(0, 4).join(" ");
  const summary = next() < 0.5 ? write(25) : undefined;
  const archivedAt = new Date(Date.UTC(2026, 0, 1) + index * 600_000).toISOString();
  const text = [title, summary ?? "", ...messages.map(({ content }) => content)].join("\n");
  const contextId = `c_${archivedAt.slice(0, 10).replaceAll("-", "")}_${index.toString(36).padStart(6, "0")}`;
  return { contextId, title, ...(summary ? { summary } : {}), archivedAt, messages, isChinese, text };
}

function joinChinese(words: readonly string[], next: Next): string {
  return `${words.map((word) => word + (next() < 0.1 ? "，" : "")).join("")}。`;
}

function chineseWords(count: number, next: Next): string[] {
  return Array.from({ length: count }, () => {
    const length = next() < 0.8 ? 2 : 3;
    return Array.from({ length }, () => pick(signs, next, 1.5)).join("");
  });
}

function englishWords(count: number, next: Next): string[] {
  return Array.from({ length: count }, () => {
    const syllables = 2 + Math.floor(next() * 3);
    return Array.from({ length: syllables }, () => pick(onsets, next, 1) + pick(vowels, next, 1)).join("");
  });
}

/** With a skew above 1 the first ones come more often. */
export function pick<Item>(list: readonly Item[], next: Next, skew: number): Item {
  return list[Math.floor(next() ** skew * list.length)] as Item;
}

export function numbers(seed: number): Next {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // The low bits of this sequence repeat soon.
    return (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) >>> 0) / 2 ** 32;
  };
}

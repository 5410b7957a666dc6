import { type Language, labelLanguage } from "../../model/text-language.ts";
import { pairIn } from "./pairs.ts";
import type { Replies } from "./replies.ts";
import { type ExtractiveLine, type Section, isQuestion, scoreSentence } from "./score.ts";
import { cleanLine, clipEnd, clipMiddle, sentencesOf } from "./sentences.ts";
import { traitsOf } from "./traits.ts";

const labels: Record<Section, Record<Language, string>> = {
  earlier: { en: "Earlier:", zh: "此前：" },
  requests: { en: "Requests:", zh: "请求：" },
  decisions: { en: "Decisions and requirements:", zh: "决定与要求：" },
  facts: { en: "Facts:", zh: "事实：" },
  actions: { en: "Tool calls:", zh: "工具调用：" },
  errors: { en: "Errors:", zh: "错误：" },
  questions: { en: "Open questions:", zh: "未决问题：" },
};
const sections = Object.keys(labels) as Section[];

const sectionOf: ReadonlyMap<string, Section> = new Map(
  sections.flatMap((name) => [[labels[name].en, name] as const, [labels[name].zh, name] as const]),
);

export function sectionLabel(section: Section, language: Language): string {
  return labels[section][language];
}

/** The newest lines tell the language that people speak now. */
const languageLines = 40;

/** The language of what was said; what tools say is in the language of the tools. */
export function languageOf(lines: readonly ExtractiveLine[]): Language {
  const said = lines.filter(({ section }) => section !== "actions" && section !== "errors").slice(-languageLines);
  return labelLanguage(said.map(({ text }) => text));
}

/** Lines oldest first, as text with labelled sections. */
export function renderSummary(lines: readonly ExtractiveLine[], language: Language): string {
  const blocks = sections.flatMap((section) => {
    const own = lines.filter((line) => line.section === section);
    if (own.length === 0) return [];
    return [[sectionLabel(section, language), ...own.map(renderLine)].join("\n")];
  });
  return blocks.join("\n");
}

export function renderLine({ text }: ExtractiveLine): string {
  return `- ${text}`;
}

/**
 * The lines of an earlier summary, ours or not: those under our own labels keep their section, all others are what is
 * known from earlier.
 */
export function linesOfSummary(summary: string, replies: Replies): ExtractiveLine[] {
  let section: Section = "earlier";
  const lines: ExtractiveLine[] = [];
  for (const raw of clipMiddle(summary, 40_000, 20_000).split("\n")) {
    const known = carriedBefore.get(raw);
    if (known?.section === section) {
      lines.push(known);
      continue;
    }
    const line = cleanLine(raw);
    const isItem: boolean = section !== "earlier" && line.startsWith("- ");
    const labelled: Section | undefined = isItem ? undefined : sectionOf.get(line);
    if (labelled) section = labelled;
    else if (isItem) lines.push(remembered(raw, carried(clipEnd(line.slice(2), 600), section, replies)));
    else lines.push(...sentencesOf(line).map(({ text }) => carried(text, "earlier", replies)));
  }
  return lines;
}

// Most lines are carried on from summary to summary, and read as they were read before.
const carriedBefore = new Map<string, ExtractiveLine>();
const maxRemembered = 500;

function remembered(raw: string, line: ExtractiveLine): ExtractiveLine {
  // What became of a question depends on what was said since.
  if (line.section === "questions" || line.section === "earlier") return line;
  if (carriedBefore.size >= maxRemembered) carriedBefore.clear();
  carriedBefore.set(raw, line);
  return line;
}

/** Scored as it was when it was said. It was worth keeping before, so it never counts for nothing. */
function carried(text: string, section: Section, replies: Replies): ExtractiveLine {
  if (section === "actions") return { section, text, score: text.includes("→ error: ") ? 4 : 2 };
  const pair = section === "errors" ? pairIn(text) : undefined;
  if (pair) return pair;
  const speaker = /^(user|assistant|agreed): /u.exec(text)?.[1] as "user" | "assistant" | "agreed" | undefined;
  const asker = speaker === "agreed" ? "assistant" : speaker;
  const said = speaker === undefined ? text : text.slice(speaker.length + 2);
  // What somebody called open is not settled by the next thing that is said, as a question is.
  const isAsked = section === "questions" && asker !== undefined && isQuestion(said);
  const isSettled = isAsked && ["answered", "agreed"].includes(replies.toEarlier(asker));
  const line = scoreSentence(
    { text: said, isCode: false, traits: traitsOf(said) },
    {
      speaker: asker ?? (section === "earlier" ? "assistant" : "tool"),
      reply: () => (section === "questions" && !isSettled ? "none" : speaker === "agreed" ? "agreed" : "answered"),
      prefix: "",
    },
    section === "requests",
    0,
  );
  return { section: isSettled ? "earlier" : section, text, score: line?.score ?? 1 };
}

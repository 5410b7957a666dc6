import type { ExtractiveLine, Section } from "./extractive-line.ts";
import type { Replies } from "./extractive-replies.ts";
import { scoreSentence } from "./extractive-score.ts";
import { cleanLine, clipEnd, clipMiddle, sentencesOf } from "./extractive-sentences.ts";

interface Labels {
  readonly english: string;
  readonly chinese: string;
}

export type LabelLanguage = keyof Labels;

const labels: Record<Section, Labels> = {
  earlier: { english: "Earlier:", chinese: "此前：" },
  requests: { english: "Requests:", chinese: "请求：" },
  decisions: { english: "Decisions and requirements:", chinese: "决定与要求：" },
  facts: { english: "Facts:", chinese: "事实：" },
  actions: { english: "Tool calls:", chinese: "工具调用：" },
  errors: { english: "Errors:", chinese: "错误：" },
  questions: { english: "Open questions:", chinese: "未决问题：" },
};
const sections = Object.keys(labels) as Section[];

export function sectionLabel(section: Section, language: LabelLanguage): string {
  return labels[section][language];
}

/** Chinese where Chinese characters prevail and no kana says that it is Japanese. */
export function labelLanguage(lines: readonly ExtractiveLine[]): LabelLanguage {
  let chinese = 0;
  let latin = 0;
  for (const { text, section } of lines.slice(-200)) {
    // What tools say is in the language of the tools.
    if (section === "actions" || section === "errors") continue;
    if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return "english";
    chinese += text.match(/\p{Script=Han}/gu)?.length ?? 0;
    latin += text.match(/\p{Script=Latin}+/gu)?.length ?? 0;
  }
  return chinese > latin ? "chinese" : "english";
}

/** Lines oldest first, as text with labelled sections. */
export function renderSummary(lines: readonly ExtractiveLine[], language: LabelLanguage): string {
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
 * The lines of an earlier summary, whoever made it: those under our own labels keep their section, all others are what is
 * known from earlier.
 */
export function linesOfSummary(summary: string, replies: Replies): ExtractiveLine[] {
  let section: Section = "earlier";
  const lines: ExtractiveLine[] = [];
  for (const raw of clipMiddle(summary, 40_000, 20_000).split("\n")) {
    const line = cleanLine(raw);
    const labelled = sections.find((name) => labels[name].english === line || labels[name].chinese === line);
    if (labelled) section = labelled;
    else if (section !== "earlier" && line.startsWith("- "))
      lines.push(carried(clipEnd(line.slice(2), 600), section, replies));
    else lines.push(...sentencesOf(line).map(({ text }) => carried(text, "earlier", replies)));
  }
  return lines;
}

/** Scored as it was when it was said. It was worth keeping before, so it never counts for nothing. */
function carried(text: string, section: Section, replies: Replies): ExtractiveLine {
  if (section === "actions") return { section, text, score: text.includes("→ error: ") ? 4 : 2 };
  const asker = /^(user|assistant): /u.exec(text)?.[1] as "user" | "assistant" | undefined;
  const isSettled = section === "questions" && asker !== undefined && !replies.isOpenBefore(asker);
  const line = scoreSentence(
    { text: asker === undefined ? text : text.slice(asker.length + 2), isCode: false },
    {
      speaker: asker ?? (section === "earlier" ? "assistant" : "tool"),
      isFirst: section === "requests",
      isUnanswered: section === "questions" && !isSettled,
      prefix: "",
    },
  );
  return { section: isSettled ? "earlier" : section, text, score: line?.score ?? 1 };
}

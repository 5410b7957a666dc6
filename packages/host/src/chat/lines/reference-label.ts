import { type AssistantMessage, type Language, textLanguage } from "@galley/engine";
import type { ChatMessage, RecalledLine, TranscriptLine } from "./chat-line.ts";
import { textOf } from "./read-window.ts";

const labels: Readonly<Record<"recalled" | "transcript", Readonly<Record<Language, string>>>> = {
  recalled: {
    en: "The following was recalled from an archived context, for reference only; it may not fit the present question:",
    zh: "以下是历史归档 context（仅供参考，可能与当前问题不一致）：",
  },
  transcript: {
    en: "The following is the end of the chat's transcript, for reference only; it may not fit the present question:",
    zh: "以下是对话历史记录（仅供参考，可能与当前问题不一致）：",
  },
};

const noteLabels: Readonly<Record<Language, string>> = {
  en: "Note, written when it was put away:",
  zh: "归档时写下的笔记：",
};

/** What stands before a context that was recalled, so that old instructions are not taken for present ones [W4]. */
export function recallNotice({
  from,
  mode,
  language,
  note,
}: Pick<RecalledLine, "from" | "mode" | "language" | "note">): AssistantMessage {
  const lines = [labels.recalled[language], `- contextId: ${from}`, `- mode: ${mode}`];
  if (note !== undefined) lines.push("", noteLabels[language], note);
  return { role: "assistant", content: lines.join("\n") };
}

/** The end of a transcript as one message, for a chat that has no working context yet [W12]. */
export function transcriptNotice({ language, said }: TranscriptLine): AssistantMessage {
  const lines = [labels.transcript[language], ...said.map(({ role, text }) => `${role}: ${text}`)];
  return { role: "assistant", content: lines.join("\n") };
}

type Said = Pick<ChatMessage, "role" | "content">;

/** The language of the newest message of the user that shows one. */
export function newestLanguage(messages: readonly Said[]): Language {
  for (const message of messages.toReversed()) {
    const language = message.role === "user" ? textLanguage([textOf(message)]) : undefined;
    if (language) return language;
  }
  return "en";
}

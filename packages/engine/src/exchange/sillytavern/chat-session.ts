import { variableLookup } from "../../compose/macros/placeholders.ts";
import { tavernMacros } from "../../compose/macros/tavern-macros.ts";
import type { SessionEntry } from "../../model/entries.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { normalizeNames } from "./example-dialogue.ts";
import type { ImportReport } from "../files/import-report.ts";
import type { TavernLine } from "./tavern-files.ts";
import type { TavernScene } from "./tavern-layout.ts";

interface SessionOptions {
  readonly now?: string;
}

/** The chat as a session; without one, the card's greeting. Macros are filled in, for what was said has been said. */
export function chatSession(
  scene: TavernScene,
  variables: Readonly<Record<string, string>>,
  { now }: SessionOptions,
  report: ImportReport,
): SessionEntry[] {
  const { card, chat } = scene;
  const lines = chat?.lines ?? (card.greeting === "" ? [] : [greeting(card.name, card.greeting)]);
  const sent = lines.filter((line) => !line.isHidden);
  const lookup = variableLookup({ variables: [variables] });
  const expand = tavernMacros({ lookup, chat: sent, ...(now === undefined ? {} : { now }) });
  const swiped = lines.filter((line) => line.swipes.length > 0).length;
  if (swiped > 0)
    report.kept("chat", `Messages with other versions, which stay beside them in the session: ${swiped}.`);
  const hidden = lines.length - sent.length;
  if (hidden > 0) report.kept("chat", `Hidden messages, which stay in the session and are not sent: ${hidden}.`);
  return lines.flatMap((line, index): SessionEntry[] => {
    const text = expand(normalizeNames(spoken(line, scene)), () => {}).replaceAll("\r", "");
    const base = { id: `st-${index + 1}`, ts: line.ts };
    const more = { name: line.name, ...(line.swipes.length > 0 ? { swipes: line.swipes } : {}) };
    if (line.isHidden)
      return [{ ...base, type: "custom", sillytavern: { ...more, hidden: { role: line.role, text } } }];
    if (text.trim() === "") return [];
    const message = messageOf(line, text, scene);
    return [{ ...base, type: "message", message, ...(line.name === "" ? {} : { sillytavern: more }) }];
  });
}

/** The text with the speaker's name before it, where the preset wants that. */
function spoken(line: TavernLine, { preset, user }: TavernScene): string {
  const isOther = line.hasAvatar && line.name !== user && !line.isNarrator;
  const isNamed = preset.namesBehavior === 2 ? !line.isNarrator : preset.namesBehavior === 0 && isOther;
  const text = isNamed ? `${line.name}: ${line.text}` : line.text;
  return line.role === "user" && preset.isQuoted ? `"${text}"` : text;
}

function messageOf(line: TavernLine, content: string, { preset }: TavernScene): ModelMessage {
  const name = line.name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64);
  if (preset.namesBehavior !== 1 || name === "") return { role: line.role, content };
  return { role: line.role, content, providerOptions: { openai: { name } } };
}

function greeting(name: string, text: string): TavernLine {
  return {
    name,
    text,
    role: "assistant",
    isUser: false,
    isHidden: false,
    isNarrator: false,
    hasAvatar: false,
    ts: 0,
    swipes: [],
  };
}

import { variableLookup } from "../../compose/macros/placeholders.ts";
import { tavernMacros } from "../../compose/macros/tavern-macros.ts";
import type { Said, SessionEntry } from "../../model/entries.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { readFields } from "../files/read-fields.ts";
import { normalizeNames } from "./example-dialogue.ts";
import { readMessage } from "./read/read-tavern-chat.ts";
import type { TavernLine, TavernScene } from "./tavern-files.ts";

/** The chat as a session; without one, the card's greeting. Macros are filled in, for what was said has been said. */
export function chatSession(
  scene: TavernScene,
  variables: Readonly<Record<string, string>>,
  { now, greeting: number = 0 }: { readonly now?: string | undefined; readonly greeting?: number | undefined } = {},
): SessionEntry[] {
  const { card, chat, report } = scene;
  const first = number === 0 ? card.greeting : (card.otherGreetings[number - 1] ?? card.greeting);
  const lines =
    chat?.lines ??
    (first === "" ? [] : [{ ...readMessage(readFields({ name: card.name, mes: first }), 0, 0), source: undefined }]);
  const sent = lines.filter((line) => !line.isHidden);
  const lookup = variableLookup({ variables: [variables] });
  const expand = tavernMacros({ lookup, chat: sent, now });
  const isTimed = chat?.timed && [chat.timed.sticky, chat.timed.cooldown].some((own) => Object.keys(own).length > 0);
  const swiped = lines.filter((line) => line.swipes.length > 0).length;
  if (swiped > 0)
    report.kept("chat", `Messages with other versions, which stay beside them in the session: ${swiped}.`);
  const hidden = lines.length - sent.length;
  if (hidden > 0) report.kept("chat", `Hidden messages, which stay in the session and are not sent: ${hidden}.`);
  const entries = lines.map((line): SessionEntry => {
    const text = expand(normalizeNames(spoken(line, scene)), () => {}).replaceAll("\r", "");
    const base = { id: `st-${line.index + 1}`, ts: line.ts };
    const more = { name: line.name, ...(line.swipes.length > 0 ? { swipes: line.swipes } : {}) };
    if (line.isHidden) {
      const kept = line.source ? { line: line.source } : {};
      return { ...base, type: "custom", sillytavern: { ...more, hidden: { role: line.role, text }, ...kept } };
    }
    const kept = line.source ? { line: line.text === text ? { ...line.source, mes: true } : line.source } : {};
    const message = messageOf(line, text, scene);
    // The first message has its macros filled in before it is read.
    const raw = line.index === 0 ? expand(normalizeNames(line.text), () => {}) : line.text;
    const said: Said = {
      ...(line.name === "" ? {} : { by: line.name }),
      ...(raw === text ? {} : { text: raw }),
      line: line.index,
    };
    const memory = { sillytavern: { ...more, ...kept } };
    return { ...base, type: "message", message, said, ...memory };
  });
  const timed: SessionEntry[] =
    chat?.timed && isTimed ? [{ id: "st-timed", ts: lines.at(-1)?.ts ?? 0, type: "activation", ...chat.timed }] : [];
  return [...entries, ...timed];
}

/** The text with the speaker's name before it, where the preset wants that. */
function spoken(line: TavernLine, { preset, user, group }: TavernScene): string {
  const isOther = (line.hasAvatar || group.length > 0) && line.name !== user && !line.isNarrator;
  const isNamed = preset.namesBehavior === 2 ? !line.isNarrator : preset.namesBehavior === 0 && isOther;
  const text = isNamed ? `${line.name}: ${line.text}` : line.text;
  return line.role === "user" && preset.isQuoted ? `"${text}"` : text;
}

function messageOf(line: TavernLine, content: string, { preset }: TavernScene): ModelMessage {
  const name = line.name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64);
  if (preset.namesBehavior !== 1 || name === "") return { role: line.role, content };
  return { role: line.role, content, providerOptions: { openai: { name } } };
}

import { groupBy } from "../../model/group-by.ts";
import { variableLookup } from "../../compose/macros/placeholders.ts";
import type { MessageTemplate } from "../../compose/preset/preset.ts";
import { tavernMacros } from "../../compose/macros/tavern-macros.ts";
import { readKey } from "../../compose/activation/keys.ts";
import { counted } from "../files/counted.ts";
import type { ImportReport } from "../files/import-report.ts";
import { isJsonObject } from "../../model/parse-json.ts";
import type { TavernChat, TavernScene } from "./tavern-files.ts";
import type { Piece } from "./tavern-pieces.ts";

/** What was found, one note for each kind of thing. */
export function reportFiles({ card, preset, chat, persona, note, entries, report }: TavernScene): void {
  const { kind: _kind, name: _name, book: _book, tags: _tags, source: _source, ...said_ } = card;
  const { otherGreetings, depthPrompt, ...texts } = said_;
  const said = Object.entries({ ...texts, depthPrompt: depthPrompt.text }).filter(([, text]) => text !== "");
  if (otherGreetings.length > 0) {
    const choice = "A chat begins with the first; another one can be chosen (--greeting).";
    report.kept(`card ${card.name}`, `${otherGreetings.length + 1} greetings. ${choice}`);
  }
  if (said.length > 0) report.kept(`card ${card.name}`, said.map(([name]) => name).join(", "));
  report.kept(
    `preset ${preset.name}`.trim(),
    `${counted(preset.prompts.length, "prompts")}, ${preset.order.length} in the order.`,
  );
  const settings = Object.keys(preset.source).filter((key) => !builtFrom.has(key));
  const where = `preset ${preset.name}`.trim();
  const changing = settings.filter((key) => changesInput.has(key) && isSet(preset.source[key]));
  if (changing.length > 0)
    report.unsupported(where, `These change what SillyTavern sends, and nothing here: ${changing.join(", ")}.`);
  const others = settings.filter((key) => !changesInput.has(key));
  if (others.length > 0) {
    report.unsupported(
      where,
      `Settings of the model call and of the program are kept for an export and have no effect: ${others.join(", ")}.`,
    );
  }
  if (chat) report.converted("chat", `A session with ${counted(chat.lines.length, "messages")}; macros are filled in.`);
  if (chat) reportLines(chat, report);
  if (chat && chat.ignored.length > 0)
    report.unsupported("chat: chat_metadata", `These have no effect: ${chat.ignored.join(", ")}.`);
  if (persona && persona.text !== "") report.kept("persona", persona.text.slice(0, 60));
  if (note && note.text !== "") {
    const often = note.interval === 1 ? "" : ` (every ${note.interval} messages of the user)`;
    report.kept("authors-note", `${note.text.slice(0, 60)}${often}`);
  }
  for (const [name, own] of groupBy(entries, ({ book }) => book.name)) {
    const off = own.filter((one) => !one.isEnabled).length;
    const waiting = own.filter(({ entry, isEnabled }) => isEnabled && !entry.isConstant).length;
    report.kept(`book ${name}`, `${counted(own.length, "entries")}: ${waiting} waiting for keys, ${off} switched off.`);
  }
}

/** What lines of a chat say besides who said what. */
function reportLines({ lines }: TavernChat, report: ImportReport): void {
  const counts = new Map<string, number>();
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const { source } of lines) {
    const extra = source?.["extra"];
    if (isJsonObject(extra))
      for (const [key, value] of Object.entries(extra)) if (key !== "type" && isSet(value)) count(`extra.${key}`);
  }
  if (counts.size === 0) return;
  const named = [...counts].map(([name, number]) => `${name} (${number})`).join(", ");
  report.unsupported("chat", `Kept for an export and not sent: ${named}.`);
}

function isSet(value: unknown): boolean {
  const isEmpty = Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
  return Boolean(value) && !isEmpty;
}

/** Fields of a preset that change what SillyTavern sends, and that have no counterpart here. */
const changesInput = new Set([
  "assistant_prefill",
  "assistant_impersonation",
  "claude_use_sysprompt",
  "use_sysprompt",
  "use_makersuite_sysprompt",
  "human_sysprompt_message",
  "custom_prompt_post_processing",
  "image_inlining",
  "video_inlining",
  "audio_inlining",
  "media_inlining",
  "function_calling",
  "enable_web_search",
  "extensions",
]);

/** Fields of a preset that say what is sent. */
const builtFrom = new Set([
  "new_chat_prompt",
  "new_example_chat_prompt",
  "wi_format",
  "scenario_format",
  "personality_format",
  "continue_nudge_prompt",
  "continue_prefill",
  "impersonation_prompt",
  "new_group_chat_prompt",
  "group_nudge_prompt",
  "send_if_empty",
  "openai_max_context",
  "openai_max_tokens",
  "names_behavior",
  "squash_system_messages",
  "wrap_in_quotes",
  "main_prompt",
  "nsfw_prompt",
  "jailbreak_prompt",
  "nsfw_toggle",
  "jailbreak_system",
]);

/** What becomes of each entry that cannot come as it does in its book. */
export function reportEntries({ entries, idleBooks, report }: TavernScene): void {
  for (const { book, entry, isEnabled } of entries) {
    const path = `${book.name}/${entry.uid}${entry.comment === "" ? "" : ` ${entry.comment}`}`;
    if (idleBooks.includes(book))
      report.converted(path, "The book inside the card is switched off, as SillyTavern has it before it is imported.");
    else if (isEnabled && entry.position === undefined)
      report.unsupported(path, "It has no position; SillyTavern does not send it either before it is saved again.");
    else if (entry.source["vectorized"] === true && entry.keys.length === 0)
      report.unsupported(path, "It is found by vectors only, which Galley does not have: it never comes by itself.");
    const unknown = unknownDecorators(entry.prefix);
    if (unknown.length > 0)
      report.unsupported(
        path,
        `SillyTavern does not know these decorators, and neither does Galley: ${unknown.join(", ")}.`,
      );
    for (const key of entry.keys) {
      const options = { isExact: true, isWord: true, likeTavern: true };
      if (isEnabled && readKey(key, options).kind === "refused")
        report.unsupported(path, `The key ${key.slice(0, 80)} could take for ever to look for and is never found.`);
    }
  }
}

function unknownDecorators(prefix: string): string[] {
  const names = prefix.split("\n").flatMap((line) => /^@@@?([a-z_]+)/i.exec(line)?.[1] ?? []);
  return [...new Set(names)]
    .filter((name) => name !== "activate" && name !== "dont_activate")
    .map((name) => `@@${name}`);
}

/** What these stand for is a matter of the moment and of the program's window. */
const liveMacros = new Set(["hasextension", "maxprompt"]);

/** Tells which macros will stay as they are when the preset is built. */
export function reportMacros(
  pieces: readonly Piece[],
  variables: Readonly<Record<string, string>>,
  report: ImportReport,
): void {
  const lookup = variableLookup({ variables: [variables] });
  const known = new Set(["model", "injected", "replyprompt"]);
  const where = new Map<string, MessageTemplate[]>();
  const expand = tavernMacros({ lookup, now: "2000-01-01T00:00:00Z", chat: [] });
  for (const { template, isEnabled } of pieces) {
    if (!isEnabled) continue;
    expand(template.content ?? "", (name) => {
      if (known.has(name.toLowerCase())) return;
      const templates = where.get(name) ?? [];
      templates.push(template);
      where.set(name, templates);
    });
  }
  for (const [name, templates] of where) {
    const names = [...new Set(templates.map((template) => template.name ?? template.id))].slice(0, 3).join(", ");
    const why = liveMacros.has(name.toLowerCase()) ? "is known only to a running SillyTavern" : "has no value here";
    report.unsupported(names, `{{${name.slice(0, 80)}}} ${why} and is sent as it is; a build can be given a value.`);
  }
}

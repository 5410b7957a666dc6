import type { JsonObject, JsonValue } from "../../../model/messages.ts";
import { type ImportReport, importReport } from "../../files/import-report.ts";
import { type FieldReader, readFields } from "../../files/read-fields.ts";
import { type TavernPreset, type TavernPrompt, readRole } from "../tavern-files.ts";

/** SillyTavern keeps an order for each character; this one stands for all of them. */
export const globalOrderId = 100_001;

/** The prompts that every preset has, as people know them, in the order in force where a preset has none for all characters. */
const stock = {
  main: { name: "Main Prompt", isEnabled: true, isMarker: false },
  worldInfoBefore: { name: "World Info (before)", isEnabled: true, isMarker: true },
  personaDescription: { name: "Persona Description", isEnabled: true, isMarker: true },
  charDescription: { name: "Char Description", isEnabled: true, isMarker: true },
  charPersonality: { name: "Char Personality", isEnabled: true, isMarker: true },
  scenario: { name: "Scenario", isEnabled: true, isMarker: true },
  enhanceDefinitions: { name: "Enhance Definitions", isEnabled: false, isMarker: false },
  nsfw: { name: "Auxiliary Prompt", isEnabled: true, isMarker: false },
  worldInfoAfter: { name: "World Info (after)", isEnabled: true, isMarker: true },
  dialogueExamples: { name: "Chat Examples", isEnabled: true, isMarker: true },
  chatHistory: { name: "Chat History", isEnabled: true, isMarker: true },
  jailbreak: { name: "Post-History Instructions", isEnabled: true, isMarker: false },
};
const stockOrder = Object.entries(stock).map(([identifier, { isEnabled }]) => ({ identifier, isEnabled }));

/** True for a prompt that every preset has. */
export function isStock(identifier: string): boolean {
  return Object.hasOwn(stock, identifier);
}

/** What people call a prompt that does not say it. */
function nameOf(identifier: string): string {
  return isStock(identifier) ? stock[identifier as keyof typeof stock].name : identifier;
}

/** True for a prompt that stands for what other files say. */
export function isMarker(identifier: string): boolean {
  return isStock(identifier) && stock[identifier as keyof typeof stock].isMarker;
}

/** Said where a preset does not say it. The words are ours. */
const ownMain = "Write the next reply of {{char}} in the conversation of {{char}} and {{user}}.";

/** A chat-completion preset, also one of the years before prompts had a list. */
export function readTavernPreset(value: unknown, name: string, report: ImportReport = importReport()): TavernPreset {
  const preset = readFields(value, report);
  const prompts = firstOfEach(
    preset.each("prompts").map(({ fields }) => readPrompt(fields)),
    report,
  );
  const whole = withoutSecrets(preset.source, report);
  const { prompts: listed, prompt_order: _order, ...source } = whole;
  return {
    kind: "preset",
    name,
    prompts: withStock(prompts, preset, report),
    order: readOrder(preset, report),
    newChat: preset.text("new_chat_prompt", "[Start a new Chat]"),
    newExample: preset.text("new_example_chat_prompt", "[Example Chat]"),
    worldInfoFormat: readFormat(preset, report),
    scenarioFormat: preset.text("scenario_format", "{{scenario}}"),
    personalityFormat: preset.text("personality_format", "{{personality}}"),
    isContinuePrefilled: preset.flag("continue_prefill", false),
    impersonation: preset.text(
      "impersonation_prompt",
      "[Write the next message as {{user}}, in the style of {{user}} so far.]",
    ),
    newGroupChat: preset.text("new_group_chat_prompt", "[Start a new group chat. Group members: {{group}}]"),
    groupNudge: preset.text("group_nudge_prompt", "[Write the next reply only as {{char}}.]"),
    sendIfEmpty: preset.text("send_if_empty"),
    continueNudge: preset.text("continue_nudge_prompt", "[Go on with your last message where it ends.]"),
    namesBehavior: preset.number("names_behavior") ?? (preset.flag("names_in_completion", false) ? 1 : 0),
    isSquashed: preset.flag("squash_system_messages", false),
    isQuoted: preset.flag("wrap_in_quotes", false),
    source,
    document: Array.isArray(listed) ? { ...whole, prompts: withIdentifiers(listed, prompts) } : whole,
  };
}

/** The prompt that an item of a list names. */
export function identifierIn(item: JsonValue): string {
  return readFields(item).text("identifier");
}

/** The list of prompts with an identifier for each that is read; what is not read stays as it is. */
function withIdentifiers(listed: readonly JsonValue[], prompts: readonly TavernPrompt[]): JsonValue[] {
  const waiting = new Set(prompts.map(({ identifier }) => identifier));
  return listed.map((item) => {
    const identifier = identifierIn(item);
    return waiting.delete(identifier) ? identifier : item;
  });
}

/** What stands around world info; `{0}` is its place. */
function readFormat(preset: FieldReader, report: ImportReport): string {
  const format = preset.text("wi_format", "{0}");
  if (format.trim() === "" || format.includes("{0}")) return format.trim() === "" ? "{0}" : format;
  report.unsupported("wi_format", "It has no {0}, so that the entries would get lost; they are sent without it.");
  return "{0}";
}

/** Fields in which people keep passwords and keys: an imported preset is a file that people share. */
const secretFields = new Set(["proxy_password", "reverse_proxy", "custom_include_headers", "custom_include_body"]);

function withoutSecrets(source: JsonObject, report: ImportReport): JsonObject {
  const kept = Object.entries(source).map(([key, value]) => {
    if (!secretFields.has(key) || value === "") return [key, value];
    report.unsupported(key, "It may hold a secret and is left out.");
    return [key, ""];
  });
  return Object.fromEntries(kept) as JsonObject;
}

export function readPrompt(fields: FieldReader): TavernPrompt {
  const { source } = fields;
  const identifier = fields.text("identifier");
  return {
    identifier,
    name: fields.text("name", nameOf(identifier)),
    role: readRole(fields.source["role"]),
    content: fields.text("content"),
    isMarker: isMarker(identifier),
    injection:
      fields.number("injection_position") === 1
        ? { depth: fields.number("injection_depth") ?? 4, order: fields.number("injection_order") ?? 100 }
        : undefined,
    forbidsOverrides: fields.flag("forbid_overrides", false),
    isSent: isStock(identifier) || isSentCustom(fields),
    triggers: fields.texts("injection_trigger"),
    source: typeof source["content"] === "string" ? { ...source, content: true } : source,
  };
}

/** A prompt of one's own is sent if it says that it is not the program's, and in the chat only with a depth that is a number. */
function isSentCustom({ source }: FieldReader): boolean {
  if (source["injection_position"] === 1) return typeof source["injection_depth"] === "number";
  return source["system_prompt"] === false;
}

function firstOfEach(prompts: readonly TavernPrompt[], report: ImportReport): TavernPrompt[] {
  const byId = new Map<string, TavernPrompt>();
  for (const prompt of prompts) {
    if (prompt.identifier === "") report.repaired("prompts", "A prompt has no identifier and is left out.");
    else if (byId.has(prompt.identifier)) {
      report.repaired("prompts", `Two prompts are called ${JSON.stringify(prompt.identifier)}; the first one counts.`);
    } else byId.set(prompt.identifier, prompt);
  }
  return [...byId.values()];
}

/** Where presets of the first years have the text of a prompt. */
export const oldFields: Readonly<Record<string, string>> = {
  main: "main_prompt",
  nsfw: "nsfw_prompt",
  jailbreak: "jailbreak_prompt",
};

/** The prompts that every preset has, where this one lacks them; old presets have their texts in fields of their own. */
function withStock(prompts: readonly TavernPrompt[], preset: FieldReader, report: ImportReport): TavernPrompt[] {
  const isUnused: Readonly<Record<string, boolean>> = {
    nsfw: !preset.flag("nsfw_toggle", true),
    jailbreak: !preset.flag("jailbreak_system", true),
  };
  const all = [...prompts];
  for (const identifier of Object.keys(stock)) {
    if (prompts.some((prompt) => prompt.identifier === identifier)) continue;
    const old = oldFields[identifier];
    const isOld = old !== undefined && preset.has(old);
    if (isOld) report.converted(old, `It becomes the prompt ${identifier}.`);
    else if (identifier === "main")
      report.repaired("prompts", "There is no main prompt; Galley's own stands in for it.");
    const text = isOld ? preset.text(old) : identifier === "main" ? ownMain : "";
    all.push({
      ...readPrompt(readFields({ identifier })),
      content: isUnused[identifier] ? "" : text,
      source: { identifier, system_prompt: true, ...(isMarker(identifier) ? { marker: true } : { role: "system" }) },
    });
  }
  return all;
}

export function readOrder(preset: FieldReader, report: ImportReport = importReport()): TavernPreset["order"] {
  const lists = preset.each("prompt_order").map(({ fields }) => fields);
  const list = lists.find((fields) => fields.number("character_id") === globalOrderId);
  if (!list) {
    if (lists.length > 0)
      report.converted("prompt_order", `None is for all characters (${globalOrderId}); the stock order is used.`);
    return stockOrder;
  }
  const seen = new Set<string>();
  return list.each("order").flatMap(({ fields }) => {
    const identifier = fields.text("identifier");
    if (identifier === "" || seen.has(identifier)) {
      report.repaired(
        "prompt_order",
        `${JSON.stringify(identifier)} stands in the order twice or has no name; it is left out.`,
      );
      return [];
    }
    seen.add(identifier);
    return [{ identifier, isEnabled: fields.flag("enabled", false) }];
  });
}

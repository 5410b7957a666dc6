import type { JsonObject } from "../../model/messages.ts";
import type { ImportReport } from "../files/import-report.ts";
import { type FieldReader, readFields } from "../files/read-fields.ts";
import { type TavernBook, type TavernEntry, readRole } from "./tavern-files.ts";

/** A world info file. `name` is the file's own where the book does not say one. */
export function readWorldInfo(value: unknown, name: string, report: ImportReport): TavernBook {
  const book = readFields(value, report);
  const entries = book.each("entries").map(({ key, fields }, index) => readEntry(fields, numberOr(key, index)));
  const { entries: _entries, ...source } = book.source;
  return { kind: "world-info", name, entries: lastOfEach(entries, report), source };
}

function readEntry(fields: FieldReader, uid: number): TavernEntry {
  const { content: raw, ...source } = fields.source;
  const { content, decorators } = readDecorators(typeof raw === "string" ? raw : fields.text("content"));
  const depth = fields.source["depth"] === null ? null : fields.number("depth");
  return {
    uid: fields.number("uid") ?? uid,
    keys: fields.texts("key"),
    comment: fields.text("comment"),
    content,
    isConstant: fields.flag("constant", false) || decorators.includes("@@activate"),
    isDisabled: fields.flag("disable", false) || decorators.includes("@@dont_activate"),
    order: fields.number("order") ?? 100,
    position: fields.number("position"),
    depth,
    role: readRole(fields.source["role"]),
    outlet: fields.text("outletName").trim(),
    source: decorators.length > 0 ? { ...source, decorators } : source,
  };
}

/** Leading lines that begin with `@@` steer the entry and are not sent. */
function readDecorators(content: string): { readonly content: string; readonly decorators: readonly string[] } {
  if (!content.startsWith("@@")) return { content, decorators: [] };
  const lines = content.split("\n");
  const first = lines.findIndex((line) => !line.startsWith("@@"));
  const decorators = lines.slice(0, first < 0 ? lines.length : first);
  return { content: lines.slice(decorators.length).join("\n"), decorators };
}

/** Two entries of one uid: the later one counts, where the earlier one stood. */
function lastOfEach(entries: readonly TavernEntry[], report: ImportReport): TavernEntry[] {
  const byUid = new Map<number, TavernEntry>();
  for (const entry of entries) {
    if (byUid.has(entry.uid))
      report.repaired("entries", `Two entries have the uid ${entry.uid}; the later one counts.`);
    byUid.set(entry.uid, entry);
  }
  return [...byUid.values()];
}

const extensionNames: Readonly<Record<string, string>> = {
  position: "position",
  depth: "depth",
  role: "role",
  selectiveLogic: "selectiveLogic",
  probability: "probability",
  useProbability: "useProbability",
  exclude_recursion: "excludeRecursion",
  prevent_recursion: "preventRecursion",
  delay_until_recursion: "delayUntilRecursion",
  group: "group",
  group_override: "groupOverride",
  group_weight: "groupWeight",
  scan_depth: "scanDepth",
  case_sensitive: "caseSensitive",
  match_whole_words: "matchWholeWords",
  use_group_scoring: "useGroupScoring",
  automation_id: "automationId",
  vectorized: "vectorized",
  sticky: "sticky",
  cooldown: "cooldown",
  delay: "delay",
  display_index: "displayIndex",
  outlet_name: "outletName",
  triggers: "triggers",
  ignore_budget: "ignoreBudget",
  match_persona_description: "matchPersonaDescription",
  match_character_description: "matchCharacterDescription",
  match_character_personality: "matchCharacterPersonality",
  match_character_depth_prompt: "matchCharacterDepthPrompt",
  match_scenario: "matchScenario",
  match_creator_notes: "matchCreatorNotes",
};

/** The book inside a card, as SillyTavern converts it when it is imported. */
export function readCharacterBook(value: unknown, name: string, report: ImportReport): TavernBook {
  const book = readFields(value, report);
  const entries = book.each("entries").map(({ fields }, index) => {
    const converted = readFields(convertEntry(fields), report.at(`entries[${index}].`));
    return readEntry(converted, index);
  });
  for (const field of ["scan_depth", "token_budget", "recursive_scanning"]) {
    if (book.has(field)) report.unsupported(field, "SillyTavern does not read it either.");
  }
  return { kind: "world-info", name, entries: lastOfEach(entries, report), source: {} };
}

function convertEntry(fields: FieldReader): JsonObject {
  const extensions = fields.fields("extensions").source;
  const converted: Record<string, JsonObject[string]> = {
    uid: fields.source["id"],
    key: fields.source["keys"],
    keysecondary: fields.source["secondary_keys"],
    comment: fields.source["comment"],
    content: fields.source["content"],
    constant: fields.source["constant"],
    selective: fields.source["selective"] ?? false,
    order: fields.source["insertion_order"],
    disable: !fields.flag("enabled", false),
    position: fields.source["position"] === "before_char" ? 0 : 1,
  };
  for (const [from, to] of Object.entries(extensionNames)) {
    const own = extensions[from];
    // A `null` position would hide where the entry stands; a `null` depth means something.
    if (own !== undefined && (own !== null || from === "depth")) converted[to] = own;
  }
  return converted;
}

function numberOr(text: string, otherwise: number): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : otherwise;
}

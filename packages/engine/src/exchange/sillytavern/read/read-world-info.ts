import type { JsonObject } from "../../../model/messages.ts";
import type { ImportReport } from "../../files/import-report.ts";
import { isJsonObject } from "../../../model/parse-json.ts";
import { type FieldReader, readFields } from "../../files/read-fields.ts";
import { type TavernBook, type TavernEntry, readRole } from "../tavern-files.ts";

/** A world info file. `name` is the file's own where the book does not say one. */
export function readWorldInfo(value: unknown, name: string, report: ImportReport): TavernBook {
  const book = readFields(value, report);
  const entries = book
    .each("entries")
    .map(({ key, fields }, index) => readEntry(fields, key, /^\d{1,15}$/.test(key) ? Number(key) : index, name));
  reportRepeats(entries, report);
  reportUnread(entries, report);
  return { kind: "world-info", name, entries, source: withoutEntries(book.source) };
}

/** A book with, in the place of its entries, how they are listed: `list`, `numbers` as keys, or the keys themselves. */
function withoutEntries(source: JsonObject): JsonObject {
  const { entries } = source;
  if (Array.isArray(entries)) return { ...source, entries: "list" };
  if (!isJsonObject(entries)) return source;
  const keys = Object.keys(entries);
  return { ...source, entries: keys.every((key) => /^(?:0|[1-9]\d{0,8})$/.test(key)) ? "numbers" : keys };
}

export function readEntry(fields: FieldReader, key: string, uid: number, book: string): TavernEntry {
  const raw = fields.source["content"];
  const whole = typeof raw === "string" ? raw : fields.text("content");
  const { content, decorators } = readDecorators(whole);
  const rawDepth = fields.source["depth"];
  const depth = rawDepth === null ? null : fields.number("depth");
  const rawPosition = fields.source["position"];
  const { uid: ownUid, ...rest } = fields.source;
  return {
    key,
    uid: fields.number("uid") ?? uid,
    // A text instead of a list never matches.
    keys: Array.isArray(fields.source["key"]) ? fields.texts("key") : [],
    comment: fields.text("comment"),
    content,
    // Whatever JavaScript takes for true, the text "false" too.
    isConstant: Boolean(fields.source["constant"]),
    isDisabled: Boolean(fields.source["disable"]),
    order: fields.number("order"),
    // A position in quotes is one that SillyTavern does not know.
    position: typeof rawPosition === "number" ? rawPosition : undefined,
    depth,
    isDepthText: typeof rawDepth === "string",
    role: readRole(fields.source["role"]),
    outlet: fields.text("outletName").trim(),
    forced: decorators.includes("@@activate") ? true : decorators.includes("@@dont_activate") ? false : undefined,
    hash: textHash(JSON.stringify({ uid: ownUid, world: book, ...rest, decorators, content })),
    prefix: whole.slice(0, whole.length - content.length),
    source: typeof raw === "string" ? { ...fields.source, content: true } : fields.source,
  };
}

const knownDecorators = ["@@activate", "@@dont_activate"];

/**
 * Leading lines that begin with `@@` steer the entry and are not sent. Where there is nothing else, they are the content. A
 * line with three signs says what counts where the one before it is not known.
 */
function readDecorators(content: string): { readonly content: string; readonly decorators: readonly string[] } {
  if (!content.startsWith("@@")) return { content, decorators: [] };
  const lines = content.split("\n");
  const decorators: string[] = [];
  let isUnknown = false;
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith("@@")) return { content: lines.slice(index).join("\n"), decorators };
    if (line.startsWith("@@@") && !isUnknown) continue;
    const name = line.startsWith("@@@") ? line.slice(1) : line;
    const isKnown = knownDecorators.some((known) => name.startsWith(known));
    if (isKnown) decorators.push(name);
    isUnknown = !isKnown;
  }
  return { content, decorators };
}

/** Two entries of one uid are both looked for; what the second says replaces what the first says. */
function reportRepeats(entries: readonly TavernEntry[], report: ImportReport): void {
  const seen = new Set<number>();
  for (const { uid } of entries) {
    if (seen.has(uid)) report.kept("entries", `Two entries have the uid ${uid}; the one looked at last counts.`);
    seen.add(uid);
  }
}

/** Fields of entries that say nothing about what is sent, or that are looked at elsewhere. */
const aside =
  "uid key keysecondary comment content constant selective order disable addMemo displayIndex characterFilter vectorized";

/** Fields that entries have and that nothing here reads, with how many have them. */
function reportUnread(entries: readonly TavernEntry[], report: ImportReport): void {
  const known = new Set([...aside.split(" "), ...Object.values(extensionNames)]);
  known.delete("automationId");
  const counts = new Map<string, number>();
  for (const { source } of entries) {
    for (const [field, value] of Object.entries(source)) {
      const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
      if (!known.has(field) && value && !isEmpty) counts.set(field, (counts.get(field) ?? 0) + 1);
    }
  }
  if (counts.size === 0) return;
  const named = [...counts].map(([field, count]) => `${field} (${count})`).join(", ");
  report.unsupported("entries", `These are kept for an export and have no effect: ${named}.`);
}

/** The hash under which SillyTavern records effects: two of 32 bits, put together to one of 53. */
function textHash(text: string): number {
  let a = 0xde_ad_be_ef;
  let b = 0x41_c6_ce_57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & b) + (a >>> 0);
}

export const extensionNames: Readonly<Record<string, string>> = {
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
  const entries = book.each("entries").map(({ key, fields }, index): TavernEntry => {
    const converted = readFields(convertEntry(fields), report.at(`entries[${index}].`));
    const inCard = typeof fields.source["content"] === "string" ? { ...fields.source, content: true } : fields.source;
    return { ...readEntry(converted, key, index, name), inCard };
  });
  for (const field of ["scan_depth", "token_budget", "recursive_scanning"]) {
    if (book.has(field)) report.unsupported(field, "SillyTavern does not read it either.");
  }
  reportRepeats(entries, report);
  return { kind: "world-info", name, entries, source: withoutEntries(book.source) };
}

/** An entry of the book inside a card, as SillyTavern's own books have it. */
export function convertEntry(fields: FieldReader): JsonObject {
  const extensions = fields.fields("extensions").source;
  const converted: Record<string, JsonObject[string]> = {
    uid: fields.source["id"],
    key: fields.source["keys"],
    keysecondary: fields.source["secondary_keys"],
    comment: fields.source["comment"],
    content: fields.source["content"],
    constant: fields.source["constant"],
    selective: fields.source["selective"] ?? false,
    characterFilter: null,
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

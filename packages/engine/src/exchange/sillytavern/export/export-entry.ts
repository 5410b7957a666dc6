import { type Activation, replyKinds, secondaryLogics } from "../../../compose/activation/activation.ts";
import type { JsonObject, JsonValue } from "../../../model/messages.ts";
import type { ImportReport } from "../../files/import-report.ts";
import { readFields } from "../../files/read-fields.ts";
import { activationOf } from "../entry-activation.ts";
import type { ExportItem } from "./export-items.ts";
import { extensionNames, readEntry } from "../read/read-world-info.ts";

/** Rules that one field of SillyTavern's files says: its name there, and its value for a rule that was taken away. */
const plainRules: { readonly [Name in keyof Activation]?: readonly [field: string, without: JsonValue] } = {
  keys: ["key", []],
  constant: ["constant", false],
  scanDepth: ["scanDepth", null],
  caseSensitive: ["caseSensitive", null],
  wholeWords: ["matchWholeWords", null],
  order: ["order", 100],
  group: ["group", ""],
  groupOverride: ["groupOverride", false],
  groupWeight: ["groupWeight", null],
  groupScoring: ["useGroupScoring", null],
  sticky: ["sticky", null],
  cooldown: ["cooldown", null],
  delay: ["delay", null],
  excludeRecursion: ["excludeRecursion", false],
  preventRecursion: ["preventRecursion", false],
  delayUntilRecursion: ["delayUntilRecursion", 0],
  ignoreBudget: ["ignoreBudget", false],
  replies: ["triggers", []],
};

/** The others: as they are written, and what stands for one that was taken away. */
const otherRules: Readonly<Record<string, readonly [write: (value: never) => JsonObject, without?: JsonObject]>> = {
  secondaryKeys: [(value) => ({ keysecondary: value, selective: true }), { keysecondary: [] }],
  logic: [(value) => ({ selectiveLogic: secondaryLogics.indexOf(value) }), { selectiveLogic: 0 }],
  probability: [(value) => ({ probability: value, useProbability: true }), { probability: 100, useProbability: false }],
  characters: [
    ({ names = [], tags = [], exclude = false }: NonNullable<Activation["characters"]>) => ({
      characterFilter: { isExclude: exclude, names, tags },
    }),
    { characterFilter: null },
  ],
  outlet: [(value) => ({ outletName: value })],
};

/** A rule in the words of SillyTavern's files; `undefined` stands for one that was taken away. */
function written(name: string, value: unknown): JsonObject {
  const [field, without] = plainRules[name as keyof Activation] ?? [];
  if (field !== undefined) return { [field]: value === undefined ? without : (value as JsonValue) };
  const [write, taken] = otherRules[name] ?? [];
  return (value === undefined ? taken : write?.(value as never)) ?? {};
}

const ruleNames = [...Object.keys(plainRules), ...Object.keys(otherRules)] as (keyof Activation)[];

/** The fields of an entry whose rules were edited here; empty for one that is as it was imported. */
export function editedRules(item: ExportItem, kept: JsonObject, content: string): JsonObject {
  const now: Activation = item.template.activation ?? {};
  const entry = readEntry(readFields({ ...kept, content }), "", Number(now.uid ?? 0), now.book ?? "");
  const before: Activation = {
    ...activationOf(now.book ?? "", entry),
    ...(now.outlet === undefined ? {} : { outlet: entry.outlet }),
  };
  const changed: Record<string, JsonValue | undefined> = {};
  for (const name of ruleNames) {
    if (JSON.stringify(now[name]) !== JSON.stringify(before[name])) Object.assign(changed, written(name, now[name]));
  }
  return changed;
}

const cardNames: Readonly<Record<string, string>> = {
  key: "keys",
  keysecondary: "secondary_keys",
  comment: "comment",
  content: "content",
  constant: "constant",
  selective: "selective",
  order: "insertion_order",
};
const extensionOf = new Map(Object.entries(extensionNames).map(([theirs, ours]) => [ours, theirs]));

/** Fields of an entry as the book inside a card has them; `before` is what it says there. */
export function cardFields(fields: JsonObject, before: JsonObject, path: string, report: ImportReport): JsonObject {
  const changed: Record<string, JsonValue | undefined> = {};
  const extensions: Record<string, JsonValue | undefined> = {};
  for (const [field, value] of Object.entries(fields)) {
    const own = cardNames[field];
    const extension = extensionOf.get(field);
    if (own !== undefined) changed[own] = value;
    else if (field === "disable") changed["enabled"] = value !== true;
    else if (extension !== undefined) extensions[extension] = value;
    else if (field !== "uid" && value !== null) report.unsupported(path, `A book inside a card cannot say ${field}.`);
    if (field === "position") changed["position"] = value === 0 ? "before_char" : "after_char";
  }
  if (Object.keys(extensions).length === 0) return changed;
  return {
    ...changed,
    extensions: { ...readFields(before).fields("extensions").source, ...extensions },
  };
}

/** The rules of an entry that was written here, as SillyTavern's files have them. */
export function newRules(activation: Activation): JsonObject {
  const fields: Record<string, JsonValue | undefined> = {
    key: [],
    keysecondary: [],
    constant: false,
    selective: true,
    selectiveLogic: 0,
    order: 100,
    disable: false,
  };
  for (const name of ruleNames) {
    if (activation[name] !== undefined) Object.assign(fields, written(name, activation[name]));
  }
  return fields;
}

/** Rules that SillyTavern's files cannot say. */
export function foreignRules({ when, sources, replies, forced }: Activation): string[] {
  const known = new Set<string>(replyKinds);
  return [
    ...(when === undefined ? [] : ["when"]),
    ...(sources === undefined ? [] : ["sources"]),
    ...(replies?.every((reply) => known.has(reply)) === false ? ["replies"] : []),
    ...(forced === undefined ? [] : ["forced"]),
  ];
}

import { type Activation, type ReplyKind, replyKinds, secondaryLogics } from "../../compose/activation/activation.ts";
import { readFields } from "../files/read-fields.ts";
import { normalizeNames } from "./example-dialogue.ts";
import type { TavernEntry } from "./tavern-files.ts";

/** Texts that an entry may have read besides the chat, by the field that asks for it and the variable that holds it. */
const sources = [
  ["matchPersonaDescription", "persona"],
  ["matchCharacterDescription", "description"],
  ["matchCharacterPersonality", "personality"],
  ["matchCharacterDepthPrompt", "chardepthprompt"],
  ["matchScenario", "scenario"],
  ["matchCreatorNotes", "creatornotes"],
] as const;

/** When an entry comes, in the words of presets. What SillyTavern would not read is left out. */
export function activationOf(book: string, entry: TavernEntry): Activation {
  const fields = readFields(entry.source);
  const raw = entry.source;
  const isOn = (key: string): boolean => Boolean(raw[key]);
  const flag = (key: string): boolean | undefined => (typeof raw[key] === "boolean" ? raw[key] : undefined);
  const positive = (key: string): number | undefined => {
    const value = fields.number(key);
    return value !== undefined && value >= 1 ? whole(value) : undefined;
  };
  const secondary = isOn("selective") && Array.isArray(raw["keysecondary"]) ? fields.texts("keysecondary") : [];
  const logic = secondaryLogics[fields.number("selectiveLogic") ?? 0];
  const level = raw["delayUntilRecursion"] === true ? 1 : positive("delayUntilRecursion");
  const scanDepth = fields.number("scanDepth");
  const weight = fields.number("groupWeight");
  const triggers = fields
    .texts("triggers")
    .filter((name): name is ReplyKind => replyKinds.some((kind) => kind === name));
  const filter = fields.fields("characterFilter");
  const [names, tags] = [filter.texts("names"), filter.texts("tags")];
  const read = sources.flatMap(([field, variable]) => (isOn(field) ? [variable] : []));
  return dropUndefined({
    book,
    uid: entry.uid,
    keys: entry.keys.length > 0 ? entry.keys.map(normalizeNames) : undefined,
    secondaryKeys: secondary.length > 0 ? secondary.map(normalizeNames) : undefined,
    logic: logic === "and-any" ? undefined : logic,
    constant: entry.isConstant || undefined,
    scanDepth: scanDepth === undefined ? undefined : whole(scanDepth),
    caseSensitive: flag("caseSensitive"),
    wholeWords: flag("matchWholeWords"),
    order: entry.order,
    probability: isOn("useProbability") ? (fields.number("probability") ?? 0) : undefined,
    group: fields.text("group") || undefined,
    groupOverride: isOn("groupOverride") || undefined,
    groupWeight: weight,
    groupScoring: flag("useGroupScoring"),
    sticky: positive("sticky"),
    cooldown: positive("cooldown"),
    delay: positive("delay"),
    excludeRecursion: isOn("excludeRecursion") || undefined,
    preventRecursion: isOn("preventRecursion") || undefined,
    delayUntilRecursion: level,
    ignoreBudget: isOn("ignoreBudget") || undefined,
    replies: triggers.length > 0 ? triggers : undefined,
    characters:
      names.length + tags.length > 0 ? { names, tags, exclude: Boolean(filter.source["isExclude"]) } : undefined,
    sources: read.length > 0 ? read : undefined,
    forced: entry.forced,
    hash: entry.hash,
  });
}

/** Any count of messages is lower. */
const maxCount = 1_000_000_000;

/** A whole number that is safe to count with. */
export function whole(value: number): number {
  return Math.min(Math.max(Math.trunc(value), -maxCount), maxCount);
}

type Loose<Value> = { readonly [Key in keyof Value]: Value[Key] | undefined };

function dropUndefined(activation: Loose<Activation>): Activation {
  return Object.fromEntries(Object.entries(activation).filter(([, value]) => value !== undefined));
}

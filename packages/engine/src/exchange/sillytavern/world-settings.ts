import type { ActivationSettings } from "../../compose/activation/activation.ts";
import type { JsonObject } from "../../model/messages.ts";
import { readFields } from "../files/read-fields.ts";
import { whole } from "./entry-activation.ts";

const strategies = ["evenly", "character-first", "global-first"] as const;

interface WorldInput {
  /** As SillyTavern's settings file has them; nothing for those of a fresh installation. */
  readonly worldInfo: JsonObject | undefined;
  readonly books: ActivationSettings["books"];
  /** The character's file name, and its tags. */
  readonly avatar: string;
  readonly tags: readonly string[];
  /** Texts that are read besides the chat. */
  readonly reads: readonly string[];
  readonly given: ActivationSettings["given"];
}

/** What holds for all entries. A settings file that does not say whether entries wake each other means that they do not. */
export function worldSettings({ worldInfo, books, avatar, tags, reads, given }: WorldInput): ActivationSettings {
  const fields = readFields(worldInfo ?? fresh);
  const count = (key: string): number => Math.max(0, whole(fields.number(`world_info_${key}`) ?? 0));
  const flag = (key: string): boolean => fields.flag(`world_info_${key}`, false);
  const strategy = strategies[fields.number("world_info_character_strategy") ?? 1] ?? "character-first";
  return {
    like: "sillytavern",
    scanDepth: fields.has("world_info_depth") ? count("depth") : 2,
    ...optional("minActivations", count("min_activations")),
    ...optional("maxScanDepth", count("min_activations_depth_max")),
    budgetPercent: fields.has("world_info_budget") ? count("budget") : 25,
    ...optional("budgetTokens", count("budget_cap")),
    readsNames: fields.flag("world_info_include_names", true),
    recursive: flag("recursive"),
    ...optional("maxRounds", count("max_recursion_steps")),
    caseSensitive: flag("case_sensitive"),
    wholeWords: flag("match_whole_words"),
    groupScoring: flag("use_group_scoring"),
    strategy,
    books,
    character: { name: avatar, tags },
    ...(reads.length > 0 ? { reads } : {}),
    ...(given ? { given } : {}),
  };
}

function optional<Key extends string>(key: Key, value: number): { readonly [Name in Key]?: number } {
  return value > 0 ? ({ [key]: value } as { [Name in Key]: number }) : {};
}

const fresh: JsonObject = { world_info_recursive: true, world_info_match_whole_words: true };

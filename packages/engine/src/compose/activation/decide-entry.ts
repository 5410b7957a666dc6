import type { ActiveReason, EntryRule, KeyFound } from "../../model/ledger.ts";
import type { Activation, ActivationCondition, ActivationSettings, CharacterFilter, ReplyKind } from "./activation.ts";
import type { Candidate, CompiledEntry } from "./compile-keys.ts";
import type { ScanChat, ScanRound, ScanTexts } from "./scan-text.ts";
import type { Timing } from "./timed.ts";

/** Why an entry did not come: by its own rules, or because another book has it already. */
export type InactiveRule = EntryRule | "duplicate";

/** What one round of a scan looks at. */
export interface RoundState extends ScanRound {
  readonly round: number;
  readonly isRecursion: boolean;
  /** The level of delay that is reached. */
  readonly level: number;
}

export interface CheckInput {
  readonly settings: ActivationSettings;
  readonly chat: ScanChat;
  readonly reply: ReplyKind;
  readonly model: string | undefined;
  readonly timing: Timing;
  readonly texts: ScanTexts;
}

export type Checked = { readonly why: ActiveReason } | { readonly rule: InactiveRule };

/** Whether an entry comes in a round: the first rule that decides. */
export function decideEntry(entry: CompiledEntry, state: RoundState, input: CheckInput): Checked {
  const { candidate } = entry;
  const { activation } = candidate;
  const { settings, timing } = input;
  const isSticky = timing.isSticky(candidate);
  const held = heldBack(candidate, state, input, isSticky);
  if (held) return { rule: held };
  const { round } = state;
  if (activation.forced === true) return { why: { by: "decorator", round } };
  if (activation.forced === false) return { rule: "decorator" };
  if (activation.constant) return { why: { by: "constant", round } };
  if (isSticky) return { why: { by: "sticky", round } };
  if (isConditional(activation)) return { why: { by: "condition", round } };
  return checkKeys(entry, state, input.texts, settings.like === "sillytavern");
}

/** True for a message that waits for a condition and for no key. */
export function isConditional({ book, keys, constant, forced, when, replies, characters }: Activation): boolean {
  if ((keys?.length ?? 0) > 0 || constant || forced !== undefined) return false;
  // An entry of a book without keys waits for nothing, whatever else it says.
  return when !== undefined || (book === undefined && (replies ?? characters) !== undefined);
}

/** Why a message that waits for no key is not there; nothing when it is. */
export function unmetBy(
  { when, replies, characters }: Activation,
  { settings, chat, reply, model }: Pick<CheckInput, "settings" | "chat" | "reply" | "model">,
): InactiveRule | undefined {
  if (replies && replies.length > 0 && !replies.includes(reply)) return "reply";
  if (characters && !isFor(characters, settings)) return "character";
  return when && !isMet(when, settings, chat, model) ? "condition" : undefined;
}

function heldBack(
  candidate: Candidate,
  { isRecursion, level }: RoundState,
  input: CheckInput,
  isSticky: boolean,
): InactiveRule | undefined {
  const { activation } = candidate;
  const { settings, chat, timing } = input;
  const unmet = unmetBy(activation, input);
  if (unmet) return unmet;
  if (activation.delay && chat.length < activation.delay) return "delay";
  if (isSticky) return undefined;
  if (timing.cooldownEnd(candidate) !== undefined) return "cooldown";
  const delayed = activation.delayUntilRecursion ?? 0;
  if (delayed > 0 && (!isRecursion || delayed > level)) return "recursion";
  if (isRecursion && (settings.recursive ?? true) && activation.excludeRecursion) return "recursion";
  return undefined;
}

function isFor(
  { names = [], tags = [], exclude = false }: CharacterFilter,
  { character }: ActivationSettings,
): boolean {
  if (names.length > 0 && names.includes(character?.name ?? "") === exclude) return false;
  const own = character?.tags ?? [];
  return tags.length === 0 || tags.some((tag) => own.includes(tag)) !== exclude;
}

/** Whether chat, model and character are as a condition wants them. */
function isMet(
  condition: ActivationCondition,
  settings: ActivationSettings,
  chat: ScanChat,
  model: string | undefined,
): boolean {
  const { minMessages = 0, maxMessages = Infinity, everyUserMessages = 1, models, tags } = condition;
  if (chat.length < minMessages || chat.length > maxMessages) return false;
  if (everyUserMessages !== 1) {
    const count = chat.userMessages();
    if (everyUserMessages === 0 || count === 0 || count % everyUserMessages !== 0) return false;
  }
  if (condition.lastRole !== undefined && chat.newest(0)?.role !== condition.lastRole) return false;
  if (models && !models.some((pattern) => matchesPattern(pattern, model ?? ""))) return false;
  return !tags || tags.some((tag) => settings.character?.tags?.includes(tag));
}

/**
 * Whether a text is as a pattern says, in which `*` stands for any text. Piece by piece instead of by a regular expression,
 * which a hostile pattern could make slow.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const [first = "", ...pieces] = pattern.split("*");
  const last = pieces.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let from = first.length;
  for (const piece of pieces) {
    const at = text.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return from <= text.length - last.length;
}

function checkKeys(entry: CompiledEntry, state: RoundState, texts: ScanTexts, likeTavern: boolean): Checked {
  let found: KeyFound | undefined;
  const key = entry.keys.find((own) => (found = texts.find(entry, own, state)) !== undefined);
  if (!key || !found) return { rule: "no-key" };
  // A blank secondary key says nothing; SillyTavern takes it for one that was not found.
  const secondary = likeTavern ? entry.secondary : entry.secondary.filter(({ source }) => source.trim() !== "");
  if (secondary.length > 0) {
    const hits = secondary.filter((own) => texts.find(entry, own, state) !== undefined).length;
    if (!isWanted(entry.candidate.activation, hits, secondary.length)) return { rule: "secondary" };
  }
  return { why: { by: "key", key: key.source, found, round: state.round } };
}

function isWanted({ logic = "and-any" }: Activation, hits: number, count: number): boolean {
  switch (logic) {
    case "and-any":
      return hits > 0;
    case "not-all":
      return hits < count;
    case "not-any":
      return hits === 0;
    case "and-all":
      return hits === count;
  }
}

/** How many keys of an entry were found, for the groups that choose by it. Macros in keys are not filled in for it. */
export function scoreOf(entry: CompiledEntry, state: RoundState, texts: ScanTexts): number {
  const { logic = "and-any" } = entry.candidate.activation;
  const count = (keys: CompiledEntry["keys"]): number =>
    keys.filter((key) => texts.find(entry, key, state, true) !== undefined).length;
  if (entry.keys.length === 0) return 0;
  const primary = count(entry.keys);
  if (entry.secondary.length === 0) return primary;
  const secondary = count(entry.secondary);
  if (logic === "and-any") return primary + secondary;
  return logic === "and-all" && secondary === entry.secondary.length ? primary + secondary : primary;
}

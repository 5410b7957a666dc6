import { type ActivationSettings, type ReplyKind, type TimedEffects, effectKey } from "./activation.ts";
import { orderComparer, sequenceOf } from "./entry-order.ts";
import { type CheckInput, type InactiveRule, isConditional, unmetBy } from "./decide-entry.ts";
import type { Candidate } from "./compile-keys.ts";
import { type ActiveEntry, type RoundsInput, runRounds } from "./rounds.ts";
import { type ScanChat, openScanTexts } from "./scan-text.ts";
import { openTiming } from "./timed.ts";

/** Everything that decides which entries come. The same input always gives the same entries [K2]. */
export interface ActivateInput extends Omit<RoundsInput, "sequence" | "checks" | "inactive"> {
  /** Those that are switched on, in the order of the preset. */
  readonly candidates: readonly Candidate[];
  readonly chat: ScanChat;
  readonly reply: ReplyKind;
  /** What a quiet reply is asked for; it is read as well. */
  readonly prompt: string | undefined;
  readonly model: string | undefined;
  readonly timed: TimedEffects;
  /** The ids of those that were there when the chat was just as it is: they are there again, and nothing is read. */
  readonly recorded?: readonly string[] | undefined;
  /** Fills the macros of any other text. */
  readonly fillText: (text: string) => string;
  /** The value of a variable. */
  readonly source: (name: string) => string;
}

export interface ActivateResult {
  /** In the order in which they came. */
  readonly active: readonly ActiveEntry[];
  readonly inactive: ReadonlyMap<Candidate, { readonly rule: InactiveRule; readonly until?: number }>;
  readonly timed: TimedEffects;
}

/** Decides which entries come, and why [K1]. */
export function activate(input: ActivateInput): ActivateResult {
  const { candidates, settings, chat } = input;
  if (input.recorded) return activateRecorded(input, input.recorded);
  const [conditional, entries] = partition(candidates, ({ activation }) => isConditional(activation));
  const inactive = new Map<Candidate, { rule: InactiveRule; until?: number }>();
  const active: ActiveEntry[] = [];
  for (const candidate of conditional) {
    const rule = unmetBy(candidate.activation, input);
    if (rule) inactive.set(candidate, { rule });
    else active.push({ candidate, text: "", why: { by: "condition", round: 0 } });
  }
  if (settings.given) {
    const given = activateGiven(entries, settings.given, input, inactive);
    return { active: [...active, ...given], inactive, timed: input.timed };
  }
  const timing = openTiming(input.timed, entries, chat.length);
  const texts = openScanTexts({
    ...input,
    reads: [
      ...(settings.reads ?? []).map(input.fillText),
      ...(input.reply === "quiet" && input.prompt !== undefined ? [input.prompt] : []),
    ].filter((text) => text !== ""),
    fillKey: input.fillText,
  });
  const checks: CheckInput = { settings, chat, reply: input.reply, model: input.model, timing, texts };
  const came = runRounds({ ...input, sequence: sequenceOf(entries, settings), checks, inactive });
  for (const { candidate } of came) inactive.delete(candidate);
  for (const [candidate, out] of inactive) {
    const until = out.rule === "cooldown" ? timing.cooldownEnd(candidate) : undefined;
    if (until !== undefined) out.until = until;
    else if (out.rule === "delay" && candidate.activation.delay !== undefined) out.until = candidate.activation.delay;
  }
  return { active: [...active, ...came], inactive, timed: timing.finish(came.map(({ candidate }) => candidate)) };
}

function activateRecorded({ candidates, timed, fill }: ActivateInput, ids: readonly string[]): ActivateResult {
  const byId = new Map(candidates.map((candidate) => [candidate.id, candidate]));
  const chosen = new Set(ids.flatMap((id) => byId.get(id) ?? []));
  const out = candidates.filter((candidate) => !chosen.has(candidate));
  return {
    active: [...chosen].map((candidate) => {
      const text = isConditional(candidate.activation) ? "" : fill(candidate);
      return { candidate, text, why: { by: "given", round: 0 } };
    }),
    inactive: new Map(out.map((candidate) => [candidate, { rule: "not-given" }])),
    timed,
  };
}

function activateGiven(
  entries: readonly Candidate[],
  given: NonNullable<ActivationSettings["given"]>,
  { fill, settings }: ActivateInput,
  inactive: Map<Candidate, { rule: InactiveRule }>,
): ActiveEntry[] {
  // Of two entries with one number the last in falling order counts.
  const byKey = new Map(
    entries.toSorted(orderComparer(settings)).map((candidate) => [effectKey(candidate), candidate]),
  );
  const chosen = new Set(given.flatMap(({ book, uid }) => byKey.get(`${book}.${uid}`) ?? []));
  for (const candidate of entries) if (!chosen.has(candidate)) inactive.set(candidate, { rule: "not-given" });
  return [...chosen].map((candidate) => ({ candidate, text: fill(candidate), why: { by: "given", round: 0 } }));
}

function partition<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

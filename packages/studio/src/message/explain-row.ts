import type { LedgerRow } from "@galley/engine";
import type { Language } from "../i18n/dictionary.ts";
import { type Reason, type RowWords, rowWords } from "../i18n/explain-row.ts";

/** A row of the ledger in plain words. */
export interface ExplainedRow {
  readonly isSent: boolean;
  /** Who it is: "Step claude_cot of recipe claude-recipe". */
  readonly who: string;
  /** A few words for a list: "Depth: 0", "Session history". */
  readonly label: string;
  /** One or two whole sentences: whether it was sent, who it is, where it stands. */
  readonly sentence: string;
  /** Why it was not sent, or not whole. */
  readonly because?: string;
  /** What a person can do to have it sent whole. */
  readonly toKeep?: string;
}

export interface ExplainOptions {
  /** The recipe in force. */
  readonly recipe?: string | undefined;
  /** What people call a step, by its id. */
  readonly names?: ReadonlyMap<string, string>;
}

/** Says what became of one input of a build, and what to do where it was left out. */
export function explainRow(row: LedgerRow, language: Language, options: ExplainOptions = {}): ExplainedRow {
  const words = rowWords[language];
  const who = nameOf(row, words, options);
  const what = words.join(who, row.kind === "step" && row.place ? words.place(row.place) : undefined);
  const base = { who, label: labelOf(row, words), isSent: row.position !== undefined };
  const outcome = outcomeOf(row, what, words);
  const notes = [...(row.movedBy ? [words.moved(row.movedBy)] : []), ...(row.roleChanged ? [words.roleChanged] : [])];
  const gap = language === "en" ? " " : "";
  return { ...base, ...outcome, sentence: [outcome.sentence, ...notes].join(gap) };
}

type Outcome = Pick<ExplainedRow, "sentence" | "because" | "toKeep">;

function outcomeOf(row: LedgerRow, what: string, words: RowWords): Outcome {
  const left = (reason: Reason): Outcome => ({ sentence: words.notSent(what, reason.because), ...reason });
  switch (row.fate) {
    case "kept":
      return { sentence: words.sent(what) };
    case "generated":
      return row.position === undefined ? left(reasonOf(row, words)) : { sentence: words.sent(what) };
    case "merged":
      return { sentence: words.merged(what, (row.position ?? 0) + 1, row.rule ? words.rules[row.rule] : "") };
    case "masked":
      return words.masked(what);
    case "shrunk":
      return words.shrunk(what);
    case "anchor":
      return { sentence: words.anchor(what) };
    case "disabled":
      return left(words.disabled);
    case "summarised":
      return left(words.summarised);
    case "dropped":
    case "unmatched":
      return left(reasonOf(row, words));
  }
}

function reasonOf({ kind, rule, place }: LedgerRow, words: RowWords): Reason {
  switch (rule) {
    case "limit":
      return kind === "step" || kind === "fragment" ? words.reasons.limitStep : words.reasons.limit;
    case "duplicate":
    case "empty":
    case "orphan":
    case "redacted":
      return words.reasons[rule];
    case "unresolved-anchor":
      return words.unresolvedAnchor(place?.kind === "anchor" ? place.target : "?");
    case "no-place":
      return words.noPlace;
    case "omitHistory":
      return words.omitHistory;
    case "mergeInjected":
    case "continueLast":
    case "squashSystem":
    case "mergeSystemToHead":
    case "mergeNeighbours":
    case "forceAlternation":
    case undefined:
      return words.other;
  }
}

function nameOf({ kind, id, rule, count }: LedgerRow, words: RowWords, { recipe, names }: ExplainOptions): string {
  switch (kind) {
    case "step":
      return words.step(names?.get(id) ?? id, recipe);
    case "fragment":
      if (id === "systemPrompt") return words.systemPrompt;
      return id === "runtimeInit" ? words.runtimeInit : words.fragment(id);
    case "profile":
      return words.profile;
    case "hint":
      return words.hint;
    case "message":
      return words.message(shortId(id));
    case "earlier":
      return words.earlier(count ?? 1);
    case "generated":
      if (id === "summary") return words.summary;
      if (rule === "continueLast") return words.continueLast;
      return rule === "forceAlternation" ? words.filler : words.repair;
  }
}

// Ids that programs make are long hashes; a few characters tell them apart as well.
const maxIdLength = 16;
const shownOfLong = 8;

function shortId(id: string): string {
  return id.length <= maxIdLength ? id : `${id.slice(0, shownOfLong)}…`;
}

function labelOf(row: LedgerRow, words: RowWords): string {
  switch (row.kind) {
    case "step":
      return words.placeLabel(row.place ?? { kind: "list" });
    case "fragment":
    case "profile":
    case "hint":
      return nameOf(row, words, {});
    case "message":
      return words.historyLabel;
    case "earlier":
      return words.earlierLabel;
    case "generated":
      return words.generatedLabel;
  }
}

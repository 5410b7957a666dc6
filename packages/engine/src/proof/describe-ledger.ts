import type { Build } from "../fit/types.ts";
import { fieldsCheck, mapCheck, oneOfCheck, textCheck } from "../model/check/input.ts";
import { type ActiveReason, type KeyFound, type LedgerRow, ledgerCheck, rowCheck } from "../model/ledger.ts";
import { type LedgerReason, type LedgerWords, ledgerWords } from "./i18n/ledger-words.ts";

/** A row of the ledger in plain words. */
export interface DescribedRow {
  readonly row: LedgerRow;
  readonly isSent: boolean;
  /** The name that people gave the step, or the id. */
  readonly name: string;
  /** What it is: "Step claude_cot of recipe claude-recipe". */
  readonly who: string;
  /** A few words for a list: "Depth: 0", "Session history". */
  readonly label: string;
  /** The label, and what was done to a message that is sent: "Depth: 2; sent as user". */
  readonly note: string;
  /** One or two whole sentences: whether it was sent, what it is, where it stands. */
  readonly sentence: string;
  /** Why it was not sent, or not whole, as a word for programs and as a part of a sentence. */
  readonly reason?: LedgerReason;
  readonly because?: string;
  /** What a person can do to have it sent whole. */
  readonly toKeep?: string;
  /** Why an entry of a lorebook is there: `key "keep" in message m3`. */
  readonly came?: string;
}

export interface DescribeOptions {
  /** The recipe in force. */
  readonly recipe?: string | undefined;
  /** What people call a step, and how a message of the history begins, by id. */
  readonly names?: ReadonlyMap<string, string> | undefined;
}

/** What `describeLedger` needs of a build. */
export type DescribedBuild = Pick<Build, "ledger"> & Partial<Pick<Build, "recipe">>;

/** The languages of `describeLedger`. */
export type LedgerLanguage = keyof typeof ledgerWords;

const languageCheck = oneOfCheck(Object.keys(ledgerWords));
const optionsCheck = fieldsCheck({ recipe: textCheck, names: mapCheck });
const buildCheck = fieldsCheck(
  { ledger: ledgerCheck, recipe: fieldsCheck({ recipe: fieldsCheck({ id: textCheck }) }, ["recipe"]) },
  ["ledger"],
);

/** Says of every input of a build what became of it, and what to do where it was left out: what `galley explain` prints. */
export function describeLedger(
  build: DescribedBuild,
  language: LedgerLanguage = "en",
  options: DescribeOptions = {},
): readonly DescribedRow[] {
  buildCheck(build, "build");
  optionsCheck(options, "options");
  const { ledger, recipe } = build;
  return ledger.map((row) => describeRow(row, language, { recipe: recipe?.recipe.id, ...options }));
}

/** The same of one row. */
export function describeRow(
  row: LedgerRow,
  language: LedgerLanguage = "en",
  options: DescribeOptions = {},
): DescribedRow {
  rowCheck(row, "row");
  languageCheck(language, "language");
  optionsCheck(options, "options");
  const words = ledgerWords[language];
  const came = row.why && words.entry.came(withNames(row.why, options.names));
  const who = whoOf(row, words, options);
  const place = withAnchorName(row.place, options.names);
  const label = labelOf({ ...row, ...(place && { place }) }, words);
  const merge = mergeOf(row, words);
  const changes = [...(came === undefined ? [] : [came]), ...changesOf(row, words)];
  const what = [words.join(who, row.kind === "step" && place ? words.place(place) : undefined), ...changes];
  const reason = reasonOf(row);
  const cause = reason && causeOf({ place, until: row.until }, reason, words);
  return {
    row,
    isSent: row.position !== undefined,
    name: (row.kind === "step" && options.names?.get(row.id)) || row.id,
    who,
    label,
    // Of a message that many entries went into, why each came would fill pages.
    note: [
      row.kind === "generated" ? who : label,
      ...(merge ? [merge] : []),
      ...(merge ? changesOf(row, words) : changes),
    ].join(words.gap),
    sentence: sentenceOf(row, what.join(words.gap), words, merge, cause?.because),
    ...(reason && { reason, ...cause }),
    ...(came !== undefined && { came }),
  };
}

/** The anchor that something is tied to, by the name that people know. */
function withAnchorName(place: LedgerRow["place"], names: DescribeOptions["names"]): LedgerRow["place"] {
  const name = place?.kind === "anchor" ? names?.get(place.target) : undefined;
  return place?.kind !== "anchor" || name === undefined ? place : { ...place, target: name };
}

/** Where a key was found, by the name that people know. */
function withNames(why: ActiveReason, names: DescribeOptions["names"]): ActiveReason {
  const { found } = why;
  const name = found && "id" in found ? names?.get(found.id) : undefined;
  return found === undefined || name === undefined ? why : { ...why, found: { ...found, id: name } as KeyFound };
}

function sentenceOf(
  row: LedgerRow,
  what: string,
  words: LedgerWords,
  merge: string | undefined,
  because: string | undefined,
): string {
  if (row.fate === "anchor") return words.anchor(what);
  if (merge !== undefined) return words.merged(what, (row.position ?? 0) + 1, merge);
  if (because === undefined || row.fate === "masked" || row.fate === "shrunk") return words.sent(what);
  return words.notSent(what, because);
}

function mergeOf({ fate, rule }: LedgerRow, words: LedgerWords): string | undefined {
  if (fate !== "merged") return undefined;
  return rule !== undefined && rule in words.merges ? words.merges[rule as keyof LedgerWords["merges"]] : "";
}

function changesOf({ kind, fate, movedBy, roleChanged, isPinned }: LedgerRow, words: LedgerWords): string[] {
  return [
    ...(movedBy ? [words.moved(movedBy)] : []),
    ...(fate === "masked" || fate === "shrunk" ? [words[fate]] : []),
    ...(roleChanged ? [words.sentAsUser] : []),
    ...(isPinned && kind === "message" ? [words.pinned] : []),
  ];
}

function reasonOf({ kind, fate, rule, position }: LedgerRow): LedgerReason | undefined {
  switch (fate) {
    case "kept":
    case "merged":
    case "anchor":
      return undefined;
    case "masked":
    case "shrunk":
    case "disabled":
    case "summarised":
      return fate;
    case "generated":
    case "dropped":
    case "inactive":
    case "unmatched":
      if (fate === "generated" && position !== undefined) return undefined;
      if (rule === "limit" && (kind === "step" || kind === "fragment")) return "priority";
      return rule !== undefined && rule in ledgerWords.en.reasons ? (rule as LedgerReason) : "other";
  }
}

interface Cause {
  readonly because: string;
  readonly toKeep: string;
}

function causeOf(
  { place, until }: Pick<LedgerRow, "place" | "until">,
  reason: LedgerReason,
  words: LedgerWords,
): Cause {
  const { because, toKeep } = words.reasons[reason];
  const fill = (text: string): string =>
    text.replaceAll("{anchor}", () => (place?.kind === "anchor" ? place.target : "?"));
  const end = until === undefined ? undefined : words.entry.until(until);
  return { because: words.join(fill(because), end), toKeep: fill(toKeep) };
}

function whoOf(
  { kind, id, rule, count, tokens, handle }: LedgerRow,
  words: LedgerWords,
  { recipe, names }: DescribeOptions,
): string {
  switch (kind) {
    case "step":
      return words.step(names?.has(id) ? words.said(names.get(id) ?? "") : id, recipe);
    case "fragment":
      if (id === "systemPrompt") return words.systemPrompt;
      return id === "runtimeInit" ? words.runtimeInit : words.fragment(id);
    case "entries":
      return words.entry.entries(id, count ?? 1);
    case "profile":
      return words.profile;
    case "hint":
      return words.hint;
    case "pin":
      return words.pin;
    case "message":
      return withHandle(names?.has(id) ? words.said(names.get(id) ?? "") : words.message(shortId(id)), handle);
    case "earlier":
      return withHandle(words.earlier(count ?? 1), handle);
    case "generated":
      if (id === "summary") return words.summary;
      if (rule === "continueLast") return words.continueLast;
      if (rule === "tools-changed") return words.toolsChanged(tokens ?? 0);
      if (rule === "memory-ignored") return words.memory;
      return rule === "forceAlternation" ? words.filler : words.repair;
  }
}

/** By the handle a person reads it with `galley recall`, and a model with its tool. */
function withHandle(who: string, handle: string | undefined): string {
  return handle === undefined ? who : `${who} (${handle})`;
}

// Ids that programs make are long hashes; a few characters tell them apart as well.
const maxIdLength = 16;
const shownOfLong = 8;

function shortId(id: string): string {
  return id.length <= maxIdLength ? id : `${id.slice(0, shownOfLong)}…`;
}

function labelOf(row: LedgerRow, words: LedgerWords): string {
  switch (row.kind) {
    case "step":
      return words.placeLabel(row.place ?? { kind: "list" });
    case "entries":
      return words.entry.entriesLabel;
    case "fragment":
    case "profile":
    case "hint":
    case "pin":
      return whoOf(row, words, {});
    case "message":
      return words.historyLabel;
    case "earlier":
      return words.earlierLabel;
    case "generated":
      return words.generatedLabel;
  }
}

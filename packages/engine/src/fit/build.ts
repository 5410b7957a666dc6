import { countRows } from "../compose/compose-preset.ts";
import {
  type DraftRow,
  type Insert,
  type Placement,
  isFrozen,
  placeItems,
  rowOfItem,
} from "../compose/place/place-items.ts";
import { hasPostProcessing, postProcess } from "../compose/post-process.ts";
import type { ResolvedItem } from "../compose/preset/resolve-preset.ts";
import type { CompactionEntry, MessageEntry, SessionEntry, Tally } from "../model/entries.ts";
import { isOfUser } from "../model/message-entry.ts";
import type { Fate, LedgerRow, Rule } from "../model/ledger.ts";
import { type Applied, applyDecision, asInForce, changesAnything } from "./apply-decision.ts";
import { type BuildRequest, requestCheck } from "./window/build-request.ts";
import { activationEntries, compactionEntry, injectionEntries } from "./decision-entries.ts";
import { summaryOf } from "./fixed-parts.ts";
import { handleOf } from "../model/handle.ts";
import type { SessionView } from "./log/view.ts";
import type { ModelMessage } from "../model/messages.ts";
import { lastOwnEntry } from "./log/repeats.ts";
import { type Plan, overflowError, planPrepared } from "./plan.ts";
import { type Prepared, hasCut, isLeaving, prepare } from "./prepare.ts";
import { frameOf, extendBuild } from "./extend-build.ts";
import type { Build, BuildStats } from "./types.ts";
import { recallWindow, rememberWindow } from "./window/window-memory.ts";

/**
 * Builds without a model: what does not fit is masked, dropped or shrunk, and recorded [F2].
 *
 * @example
 * const account = tokenAccount(await loadTokenizer("o200k_base"));
 * const entries = [{ id: "m1", ts: 0, type: "message", message: { role: "user", content: "Hello" } }];
 * const { messages, stats } = build({ entries, account, config: { maxInputTokens: 8000 } });
 * messages; // → [{ role: "user", content: "Hello" }]
 * stats.inputTokens; // → 8
 */
export function build(request: BuildRequest): Build {
  requestCheck(request, "");
  const window = recallWindow(request);
  const again = window && extendBuild(request, window);
  if (again) return again;
  const prepared = prepare(request, window);
  return finish(prepared, planPrepared(prepared));
}

/** Places what the plan keeps. If post-processing brings it over the limit, more goes, and the last steps run again [F3]. */
export function finish(prepared: Prepared, first: Plan): Build {
  const { limit } = first;
  let tighterBy = 0;
  for (let plan = first; ; plan = planPrepared(prepared, tighterBy)) {
    const decision = plan.drop;
    if (decision && decision.excess > 0) throw overflowError(prepared, decision.excess, limit);
    const isNew = decision !== undefined && changesAnything(prepared, decision);
    const built = place(prepared, isNew ? applyDecision(prepared, decision) : asInForce(prepared));
    const excess = built.stats.inputTokens - limit;
    // When nothing more can go, a hint that the input was too long is served as well as it can be.
    if (excess <= 0 || (prepared.request.overflowHint && !isNew)) return built;
    tighterBy += excess;
    if (tighterBy >= limit) throw overflowError(prepared, excess, limit);
  }
}

function place(prepared: Prepared, applied: Applied): Build {
  const { request, resolved, window } = prepared;
  const isPostProcessed = hasPostProcessing(resolved.postProcessing);
  const { leftOut, inserts } = findPlaces(prepared, applied);
  const compaction = applied.isNew ? [compactionEntry(prepared, applied)] : [];
  const placement = placeItems({
    resolved,
    arrangement: prepared.arrangement,
    head: prepared.normalized.head,
    pinned: prepared.pinned,
    pinnedIds: prepared.view.pins.ids,
    history: applied.sent,
    historyTokens: applied.tokens,
    // Post-processing writes to the rows, so that it needs its own.
    known: applied.isNew || isPostProcessed ? undefined : window.known,
    made: prepared.normalized.made,
    historyFates: applied.fates,
    summary: applied.isNew ? summaryMessage(compaction) : prepared.summary,
    keepsBlank: request.preset?.postProcessing?.keepBlank,
    leftOut,
    inserts,
  });
  const historyTo = placement.historyFrom + applied.sent.length;
  for (const { row, isNew } of inserts) if (isNew) placement.ledger.push(row);
  countRows(placement, request.account, applied.sent.length);
  const frozenNow = injectionEntries(prepared, placement, applied);
  const inputTokens = isPostProcessed ? undefined : sumRows(placement, applied, prepared);
  const { messages, ledger } = postProcess(placement, resolved.postProcessing, resolved.isContinued);
  const stablePrefix = firstMoving(ledger, messages.length, prepared, placement.historyFrom, historyTo);
  const rest = rowsBeside(prepared, applied);
  for (const row of rest) ledger.push(row);
  const built: Build = {
    messages,
    tools: request.tools ?? [],
    stats: {
      inputTokens: inputTokens ?? request.account.countInput(messages, request.tools).tokens,
      messageCount: messages.length,
      droppedMessagesCount: rest.reduce((sum, row) => sum + (row.count ?? 1), 0),
      exactness: exactnessOf(prepared, applied),
      tokenizer: request.account.tokenizer.id,
    },
    ledger,
    recipe: resolved.recipe,
    entriesToAppend: onBranch(
      [...(request.added ?? []), ...compaction, ...frozenNow, ...activationEntries(prepared, applied)],
      request,
    ),
    stablePrefix,
    problems: [...resolved.problems, ...prepared.view.problems],
  };
  if (!applied.isNew) {
    const known = isPostProcessed ? undefined : placement;
    rememberWindow(prepared, applied, known, known && frameOf(prepared, applied, known, built));
  }
  return built;
}

/** As the next build will read it from the entry. */
function summaryMessage([entry]: readonly CompactionEntry[]): ModelMessage | undefined {
  const content = entry && summaryOf(entry);
  return content === undefined ? undefined : { role: "user", content };
}

/** On another branch than the log's last one, the first entry has to say what it follows [M6]. */
function onBranch(appended: readonly SessionEntry[], { entries, leafId }: BuildRequest): readonly SessionEntry[] {
  const [first, ...rest] = appended;
  if (!first || leafId === undefined || leafId === lastOwnEntry(entries)?.id) return appended;
  if (first.parentId !== undefined) return appended;
  return [{ ...first, parentId: leafId }, ...rest];
}

/** A picture's size only its provider knows; presets have none. */
function exactnessOf({ request, window }: Prepared, { sent, isNew }: Applied): BuildStats["exactness"] {
  const known = isNew ? undefined : window.known;
  const hasBinary = known?.hasBinary ?? sent.some((entry) => request.account.isEstimated(entry.message));
  return hasBinary ? "estimated" : request.account.tokenizer.exactness;
}

interface Places {
  readonly leftOut: ReadonlyMap<ResolvedItem, DraftRow>;
  /** New ones have a row that no item of the preset has. */
  readonly inserts: readonly (Insert & { readonly isNew: boolean })[];
}

const nowhereElse: Places = { leftOut: new Map(), inserts: [] };

/** Items that do not float: those that had to go, and those that are frozen among the messages that are sent. */
function findPlaces(prepared: Prepared, { sent, cut, decision }: Applied): Places {
  const { resolved, frozen, hint } = prepared;
  const isCut = cut.length > 0 || hasCut(prepared.view);
  const counted = sent.length - (resolved.isPrefilled ? 1 : 0);
  const left = isCut ? resolved.items.filter((item) => isLeaving(item) && item.place.depth > counted) : [];
  if (decision.droppedSteps.length === 0 && frozen.size === 0 && !hint && left.length === 0) return nowhereElse;
  const leftOut = new Map<ResolvedItem, DraftRow>();
  for (const item of left)
    if (item.enabled) leftOut.set(item, { ...rowOfItem(item, false), fate: "dropped", rule: "limit" });
  const inserts: (Insert & { isNew: boolean })[] = [];
  const dropped = new Set(decision.droppedSteps);
  const items = new Map(resolved.items.map((item) => [item.id, item]));
  for (const id of dropped) {
    const item = items.get(id);
    if (item) leftOut.set(item, { ...rowOfItem(item, false), fate: "dropped", rule: "limit" });
  }
  for (const [stepId, { before, message }] of frozen) {
    const found = before === null ? sent.length : sent.findIndex((entry) => entry.id === before);
    if (found < 0 || dropped.has(stepId)) continue;
    const item = items.get(stepId);
    const row: DraftRow = item
      ? { ...rowOfItem(item, false), fate: "kept" }
      : { kind: "step", id: stepId, role: message.role, fate: "kept" };
    row.rule = undefined;
    if (item) leftOut.set(item, row);
    inserts.push({ at: found, isBehindInjections: false, row, message, isNew: !item });
  }
  if (hint) {
    const lastUser = sent.findLastIndex(isOfUser);
    const row: DraftRow = { kind: "hint", id: "runtimeHints", role: hint.role, fate: "kept" };
    inserts.push({
      at: lastUser < 0 ? sent.length : lastUser,
      isBehindInjections: true,
      row,
      message: hint,
      isNew: true,
    });
  }
  return { leftOut, inserts: inserts.sort((a, b) => a.at - b.at) };
}

/** Where the first thing stands that will stand elsewhere once messages are appended: what floats, and what follows them. */
function firstMoving(
  ledger: readonly LedgerRow[],
  length: number,
  { resolved }: Prepared,
  from: number,
  to: number,
): number {
  const frozen = new Set(resolved.items.filter(isFrozen).map((item) => item.id));
  const quoting = new Set(resolved.items.filter((item) => item.quotesChat).map((item) => item.id));
  const lastHistory = to > from ? (ledger[to - 1]?.position ?? -1) : -1;
  let first = length;
  for (const row of besideHistory(ledger, from, to)) {
    if (row.position === undefined || frozen.has(row.id)) continue;
    const moves =
      row.kind === "hint" ||
      row.place?.kind === "depth" ||
      (to > from && row.position > lastHistory) ||
      (row.kind === "step" && quoting.has(row.id)) ||
      (row.kind === "profile" && resolved.quotesChat);
    if (moves) first = Math.min(first, row.position);
  }
  return first;
}

function sumRows(
  { ledger, historyFrom }: Placement,
  { tokens: sizes, isNew }: Applied,
  { request, window }: Prepared,
): number {
  const known = isNew ? undefined : window.known;
  let tokens = request.account.countOverhead(request.tools ?? []);
  if (known) tokens += known.total;
  else for (const size of sizes) tokens += size;
  for (const row of besideHistory(ledger, historyFrom, historyFrom + sizes.length)) {
    if (row.position !== undefined) tokens += row.tokens ?? 0;
  }
  return tokens;
}

function besideHistory(ledger: readonly LedgerRow[], from: number, to: number): readonly LedgerRow[] {
  return to === ledger.length ? ledger.slice(0, from) : [...ledger.slice(0, from), ...ledger.slice(to)];
}

/** Rows for the messages of the view that are not sent, and one for all that lies behind the last compaction [P1]. */
function rowsBeside({ view, normalized, history, ordinalOf }: Prepared, { cut }: Applied): DraftRow[] {
  const rows: DraftRow[] = [];
  for (const { entry, rule } of normalized.removed) rows.push(messageRow(entry, rule));
  for (const index of cut) {
    const entry = history.entries[index] as MessageEntry;
    if (!normalized.made.has(entry.id))
      rows.push({ ...messageRow(entry, "limit"), handle: handleOf(ordinalOf(entry.id)) });
  }
  for (const { id } of view.duplicates)
    rows.push({ kind: "message", id, role: "user", fate: "dropped", rule: "duplicate" });
  for (const { id } of view.redacted)
    rows.push({ kind: "message", id, role: "user", fate: "dropped", rule: "redacted" });
  if (view.compaction) rows.push(...earlierRows(view));
  return rows;
}

function messageRow({ id, message }: MessageEntry, rule: Rule): DraftRow {
  return { kind: "message", id, role: message.role, fate: "dropped", rule };
}

function earlierRows({ compaction, summarised, dropped }: SessionView): DraftRow[] {
  const { id = "", ordinals } = compaction ?? {};
  const from = (ordinals?.before ?? 0) + 1;
  const handle = ordinals && ordinals.first > from ? { handle: handleOf(from, ordinals.first - 1) } : {};
  const row = (tally: Tally, fate: Fate): DraftRow => ({
    kind: "earlier",
    id,
    role: "user",
    fate,
    ...tally,
    ...handle,
  });
  return [
    ...(summarised.count > 0 ? [row(summarised, "summarised")] : []),
    ...(dropped.count > 0 ? [{ ...row(dropped, "dropped"), rule: "limit" as const }] : []),
  ];
}

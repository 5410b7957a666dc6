import type { MessageEntry } from "../../model/entries.ts";
import { lastWhere } from "../../model/last.ts";
import { groupFinder } from "../../model/groups.ts";
import type { LedgerRow, Shortened } from "../../model/ledger.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { inactiveRows } from "./inactive-rows.ts";
import { type Arrangement, type DepthBlock, arrange } from "./arrange.ts";
import type { ResolvedItem, ResolvedPreset } from "../preset/resolve-preset.ts";

/** Rows are open while a build is put together: merging and counting still write to them. */
export type DraftRow = { -readonly [Field in keyof LedgerRow]: LedgerRow[Field] };

export interface Placement {
  readonly messages: ModelMessage[];
  /** One row for every input; the position in it says which message it is behind. */
  readonly ledger: DraftRow[];
  /** Index of the first history message's row; the others follow it in order. */
  readonly historyFrom: number;
}

/** Something that stands among the history without being part of it: a frozen injection, a hint. */
export interface Insert {
  /** The index of the history message that it stands before. */
  readonly at: number;
  /** Whether it stands behind the injections that land at the same place, or before them. */
  readonly isBehindInjections: boolean;
  readonly row: DraftRow;
  readonly message: ModelMessage;
}

export interface PlaceInput {
  readonly resolved: ResolvedPreset;
  /** Of all items, where it is known. */
  readonly arrangement?: Arrangement | undefined;
  /** The system messages that the session begins with: in front of its summary and of all that has a depth [C5]. */
  readonly head?: readonly MessageEntry[];
  /** Sentences that are pinned, behind those [R6]. */
  readonly pinned?: readonly { readonly id: string; readonly message: ModelMessage }[];
  /** Ids of messages that are. */
  readonly pinnedIds?: ReadonlySet<string>;
  /** What follows them, oldest first. */
  readonly history: readonly MessageEntry[];
  /** What each of them costs, where that is known. */
  readonly historyTokens?: readonly number[];
  /** Ids of messages that the build made up. */
  readonly made?: ReadonlySet<string>;
  /** By index, what became of those that are not sent whole. */
  readonly historyFates?: ReadonlyMap<number, Shortened>;
  /** From an earlier build of the same history: rows whose position is still right are used again. */
  readonly known?: { readonly messages: readonly ModelMessage[]; readonly rows: readonly LedgerRow[] } | undefined;
  /** What stands for the history that is not sent any more; the rest of the history follows it. */
  readonly summary?: ModelMessage | undefined;
  /** Items that are not arranged, with the row that says why. */
  readonly leftOut?: ReadonlyMap<ResolvedItem, DraftRow>;
  /** Whether texts of white space only are sent. */
  readonly keepsBlank?: boolean | undefined;
  /** By `at`, ascending. */
  readonly inserts?: readonly Insert[];
}

/** Puts skeleton, injections and history into one list [C4–C9]. */
export function placeItems(input: PlaceInput): Placement {
  const { resolved, head = [], pinned = [], history, summary, leftOut, inserts = [] } = input;
  // An anchor that is left out keeps its place: what is bound to it is not left out.
  const items = leftOut?.size
    ? resolved.items.filter((item) => item.anchorId !== undefined || !leftOut.has(item))
    : resolved.items;
  const arrangement = leftOut?.size || !input.arrangement ? arrange(items) : input.arrangement;
  const writer = placementWriter(input, arrangement);
  writer.writeItems(arrangement.before);
  for (const entry of head) writer.write(rowOfMessage(entry, 0, 0, {}), entry.message);
  for (const { id, message } of pinned) {
    writer.write({ kind: "pin", id, role: message.role, fate: "kept", isPinned: true }, message);
  }
  if (summary) writer.write({ kind: "generated", id: "summary", role: summary.role, fate: "generated" }, summary);
  const historyFrom = writer.rowCount();
  let from = 0;
  // A message that is to be gone on with counts for no depth and stands behind everything.
  const end = resolved.isPrefilled && history.length > 0 ? history.length - 1 : history.length;
  const counted = end === history.length ? history : history.slice(0, end);
  for (const { at, movedBy, items, insert } of landings(arrangement.atDepth, counted, inserts)) {
    writer.writeHistory(from, at);
    if (insert) writer.writeInsert(insert);
    else writer.writeItems(items, movedBy);
    from = at;
  }
  writer.writeHistory(from, end);
  writer.writeItems(arrangement.after);
  writer.writeHistory(end, history.length);
  return { ...writer.finish(), historyFrom };
}

interface Landing {
  /** The index of the history message that it stands before. */
  readonly at: number;
  /** What comes first at one place: what stays there for good before what floats, so that more of the prefix is stable. */
  readonly rank: number;
  /** How much further back the depth alone would have put it. */
  readonly movedBy: number;
  readonly items: readonly ResolvedItem[];
  readonly insert: Insert | undefined;
}

/** N messages follow; deeper than the history means its front [C5]; inside a group means before that group [C6]. */
function landings(
  blocks: readonly DepthBlock[],
  history: readonly MessageEntry[],
  inserts: readonly Insert[],
): Landing[] {
  const groupStart = groupFinder(history, (entry) => entry.message);
  const all = inserts.map((insert): Landing => {
    return { at: insert.at, rank: insert.isBehindInjections ? 3 : 0, movedBy: 0, items: [], insert };
  });
  let isSorted = all.length === 0;
  for (const { depth, items } of blocks) {
    const wanted = Math.max(0, history.length - depth);
    const at = wanted === history.length ? wanted : groupStart(wanted);
    const toFreeze = items.filter(isFrozen);
    const floating = toFreeze.length > 0 ? items.filter((item) => !isFrozen(item)) : items;
    if (toFreeze.length > 0) {
      all.push({ at, rank: 1, movedBy: wanted - at, items: toFreeze, insert: undefined });
      isSorted = false;
    }
    if (floating.length > 0) all.push({ at, rank: 2, movedBy: wanted - at, items: floating, insert: undefined });
  }
  return isSorted ? all : all.sort((a, b) => a.at - b.at || a.rank - b.rank);
}

/** True for an injection that gets its place among the messages for good as soon as it is sent [C14]. */
export function isFrozen({ strategy, place, kind }: ResolvedItem): boolean {
  return strategy?.mode === "frozen" && place.kind === "depth" && kind === "message";
}

interface PlacementWriter {
  rowCount(): number;
  writeItems(items: readonly ResolvedItem[], movedBy?: number): void;
  writeHistory(from: number, to: number): void;
  /** What has a row of its own in the ledger. */
  write(row: DraftRow, message: ModelMessage): void;
  writeInsert(insert: Insert): void;
  finish(): Pick<Placement, "messages" | "ledger">;
}

function placementWriter(input: PlaceInput, { unresolved }: Arrangement): PlacementWriter {
  const { resolved, leftOut, history, known, keepsBlank = false } = input;
  let messages: ModelMessage[] = [];
  const rows = rowsOfItems(input, unresolved);
  let ledger: DraftRow[] = [...rows.values(), ...inactiveRows(resolved.items.filter((item) => !leftOut?.has(item)))];
  const profile = resolved.userProfile === undefined ? undefined : rowOfProfile(resolved.userProfile);
  if (profile) ledger.push(profile);

  const send = (row: DraftRow, message: ModelMessage): void => {
    row.fate = "kept";
    // Not deleted: an object that loses a field is slow from then on.
    row.rule = undefined;
    row.position = messages.length;
    messages.push(message);
  };

  return {
    rowCount: () => ledger.length,
    writeItems(items, movedBy = 0) {
      for (const item of items) {
        const row = rows.get(item);
        if (!row) continue;
        if (leftOut?.has(item)) {
          if (item.kind === "user_profile" && profile) Object.assign(profile, { fate: row.fate, rule: row.rule });
          continue;
        }
        if (movedBy > 0) row.movedBy = movedBy;
        // One row, so that one message: an unchecked preset may have the place twice.
        const isProfile = item.kind === "user_profile" && profile?.position === undefined;
        if (isProfile && profile && resolved.userProfile?.trim()) {
          profile.role = item.role;
          send(profile, { role: item.role, content: resolved.userProfile });
        } else if (isSaid(item, keepsBlank)) send(row, messageOf(item));
      }
    },
    writeHistory(from, to) {
      let start = from;
      const end = known ? lastRight(known.rows, start, to, messages.length - start) : start;
      if (known && end > start) {
        // The messages of the whole stretch are known, also where their rows are not.
        const offset = messages.length - start;
        messages = messages.concat(stretch(known.messages, start, to));
        ledger = ledger.concat(stretch(known.rows, start, end));
        for (start = end; start < to; start += 1) {
          ledger.push(rowOfMessage(history[start] as MessageEntry, start, start + offset, input));
        }
      }
      for (let index = start; index < to; index += 1) {
        const entry = history[index] as MessageEntry;
        ledger.push(rowOfMessage(entry, index, messages.length, input));
        messages.push(entry.message);
      }
    },
    writeInsert({ row, message }) {
      row.position = messages.length;
      messages.push(message);
    },
    write(row, message) {
      row.position = messages.length;
      ledger.push(row);
      messages.push(message);
    },
    finish: () => ({ messages, ledger }),
  };
}

function isSaid({ text, keepsLine, isNowhere }: ResolvedItem, keepsBlank: boolean): boolean {
  if (isNowhere) return false;
  return keepsLine || (keepsBlank ? text !== "" : text.trim() !== "");
}

function messageOf({ role, text, speaker }: ResolvedItem): ModelMessage {
  if (speaker === undefined) return { role, content: text };
  return { role, content: text, providerOptions: { openai: { name: speaker } } };
}

function rowsOfItems(
  { resolved, leftOut }: PlaceInput,
  unresolved: ReadonlySet<ResolvedItem>,
): Map<ResolvedItem, DraftRow> {
  const rows = new Map<ResolvedItem, DraftRow>();
  const isBare = bareProfile(resolved);
  for (const item of resolved.items) {
    const left = leftOut?.get(item);
    if (item.inactive && !left) continue;
    const row = left ?? rowOfItem(item, unresolved.has(item));
    if (row.fate === "anchor" && isBare(item)) Object.assign(row, { fate: "dropped", rule: "empty" });
    rows.set(item, row);
  }
  return rows;
}

/** Says of an item whether it is a place for the user's profile with nothing to fill it and nothing bound to it [T4]. */
function bareProfile({ items, userProfile }: ResolvedPreset): (item: ResolvedItem) => boolean {
  if (userProfile?.trim()) return () => false;
  const isBound = ({ enabled, place }: ResolvedItem): boolean =>
    enabled && place.kind === "anchor" && place.target === "user_profile";
  const hasBound = items.some(isBound);
  return ({ kind, text }) => kind === "user_profile" && !hasBound && text.trim() === "";
}

/** The end of the rows from `from` on whose position is their index plus the offset. Positions ascend, so that it can be halved. */
function lastRight(rows: readonly LedgerRow[], from: number, to: number, offset: number): number {
  if (rows[from]?.position !== from + offset) return from;
  return lastWhere(from, Math.min(to, rows.length) + 1, (end) => rows[end - 1]?.position === end - 1 + offset);
}

function stretch<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  return from === 0 && to === items.length ? items : items.slice(from, to);
}

/** An item's row as it stands until the item is sent. */
export function rowOfItem(item: ResolvedItem, isUnresolved: boolean): DraftRow {
  const { source, id, role, place, path } = item;
  const nowhere = item.activation?.outlet === undefined ? "no-place" : "outlet";
  const rule = isUnresolved ? "unresolved-anchor" : item.isNowhere ? nowhere : "empty";
  const row: DraftRow =
    item.enabled && (isUnresolved || item.kind === "message")
      ? { kind: source, id, role, fate: "dropped", place, path, rule }
      : { kind: source, id, role, fate: item.enabled ? "anchor" : "disabled", place, path };
  if (item.keepApart) row.keepApart = true;
  if (item.strategy?.group !== undefined) row.group = item.strategy.group;
  if (item.strategy?.block !== undefined) row.block = item.strategy.block;
  if (item.why) row.why = item.why;
  return row;
}

/** A message that the build made up is its own. */
export function rowOfMessage(
  { id, message: { role } }: MessageEntry,
  index: number,
  position: number,
  input: Pick<PlaceInput, "made" | "historyFates" | "historyTokens" | "pinnedIds">,
): DraftRow {
  const { made, historyFates, historyTokens, pinnedIds } = input;
  const tokens = historyTokens?.[index];
  if (made !== undefined && made.size > 0 && made.has(id)) {
    return { kind: "generated", id, role, fate: "generated", position, tokens };
  }
  const shortened = historyFates?.get(index);
  const row: DraftRow = { kind: "message", id, role, fate: shortened?.fate ?? "kept", position, tokens };
  if (shortened?.handle !== undefined) row.handle = shortened.handle;
  if (pinnedIds !== undefined && pinnedIds.size > 0 && pinnedIds.has(id)) row.isPinned = true;
  return row;
}

function rowOfProfile(text: string): DraftRow {
  const row = { kind: "profile", id: "userProfile", role: "system" } as const;
  return text.trim() ? { ...row, fate: "unmatched", rule: "no-place" } : { ...row, fate: "dropped", rule: "empty" };
}

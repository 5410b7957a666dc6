import type { MessageEntry } from "../model/entries.ts";
import { groupFinder } from "../model/groups.ts";
import type { LedgerRow } from "../model/ledger.ts";
import type { ModelMessage } from "../model/messages.ts";
import { type Arrangement, type DepthBlock, arrange } from "./arrange.ts";
import type { ResolvedItem, ResolvedPreset } from "./resolve-preset.ts";

/** Rows are open while a build is put together: merging and counting still write to them. */
export type DraftRow = { -readonly [Field in keyof LedgerRow]: LedgerRow[Field] };

export interface Placement {
  readonly messages: ModelMessage[];
  /** One row for every input; the position in it says which message it is behind. */
  readonly ledger: DraftRow[];
}

export interface PlaceInput {
  readonly resolved: ResolvedPreset;
  /** Oldest first. */
  readonly history: readonly MessageEntry[];
  /** What stands for the history that is not sent any more; it is the history's first message. */
  readonly summary?: ModelMessage;
}

/** Puts skeleton, injections and history into one list [C4–C9]. */
export function placeItems({ resolved, history, summary }: PlaceInput): Placement {
  const arrangement = arrange(resolved.items);
  const writer = placementWriter(resolved, arrangement);
  writer.writeItems(arrangement.before);
  if (summary) writer.writeGenerated("summary", summary);
  let from = 0;
  for (const { block, at, wanted } of landings(arrangement.atDepth, history)) {
    writer.writeHistory(history, from, at);
    writer.writeItems(block.items, wanted - at);
    from = at;
  }
  writer.writeHistory(history, from, history.length);
  writer.writeItems(arrangement.after);
  return writer.placement;
}

interface Landing {
  readonly block: DepthBlock;
  /** The index of the history message that it stands before. */
  readonly at: number;
  /** Where the depth alone would have put it. */
  readonly wanted: number;
}

/** N messages follow; deeper than the history means its front [C5]; inside a group means before that group [C6]. */
function landings(blocks: readonly DepthBlock[], history: readonly MessageEntry[]): Landing[] {
  const groupStart = groupFinder(history, (entry) => entry.message);
  return blocks.map((block) => {
    const wanted = Math.max(0, history.length - block.depth);
    const at = wanted === history.length ? wanted : groupStart(wanted);
    return { block, at, wanted };
  });
}

interface PlacementWriter {
  readonly placement: Placement;
  writeItems(items: readonly ResolvedItem[], movedBy?: number): void;
  writeHistory(history: readonly MessageEntry[], from: number, to: number): void;
  writeGenerated(id: string, message: ModelMessage): void;
}

function placementWriter(resolved: ResolvedPreset, { unresolved }: Arrangement): PlacementWriter {
  const placement: Placement = { messages: [], ledger: [] };
  const { messages, ledger } = placement;
  const rows = new Map<ResolvedItem, DraftRow>();
  for (const item of resolved.items) {
    const row = rowOfItem(item, unresolved.has(item));
    rows.set(item, row);
    ledger.push(row);
  }
  const profile = resolved.userProfile === undefined ? undefined : rowOfProfile(resolved.userProfile);
  if (profile) ledger.push(profile);

  const send = (row: DraftRow, message: ModelMessage): void => {
    row.fate = "kept";
    delete row.rule;
    row.position = messages.length;
    messages.push(message);
  };

  return {
    placement,
    writeItems(items, movedBy = 0) {
      for (const item of items) {
        const row = rows.get(item);
        if (!row) continue;
        if (movedBy > 0) row.movedBy = movedBy;
        if (item.kind === "user_profile" && profile && resolved.userProfile?.trim()) {
          profile.role = item.role;
          send(profile, { role: item.role, content: resolved.userProfile });
        } else if (item.text.trim()) send(row, { role: item.role, content: item.text });
      }
    },
    writeHistory(history, from, to) {
      for (let index = from; index < to; index += 1) {
        const { id, message } = history[index] as MessageEntry;
        ledger.push({ kind: "message", id, role: message.role, fate: "kept", position: messages.length });
        messages.push(message);
      }
    },
    writeGenerated(id, message) {
      ledger.push({ kind: "generated", id, role: message.role, fate: "generated", position: messages.length });
      messages.push(message);
    },
  };
}

/** An item's row as it stands until the item is sent. */
function rowOfItem(item: ResolvedItem, isUnresolved: boolean): DraftRow {
  const { id, role, place, path } = item;
  const rule = isUnresolved ? "unresolved-anchor" : "empty";
  if (item.enabled && (isUnresolved || item.kind === "message")) {
    return { kind: "step", id, role, fate: "dropped", place, path, rule };
  }
  return { kind: "step", id, role, fate: item.enabled ? "anchor" : "disabled", place, path };
}

function rowOfProfile(text: string): DraftRow {
  const row = { kind: "profile", id: "userProfile", role: "system" } as const;
  return text.trim() ? { ...row, fate: "unmatched", rule: "no-place" } : { ...row, fate: "dropped", rule: "empty" };
}

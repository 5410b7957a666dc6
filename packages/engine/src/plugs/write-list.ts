import type { Build } from "../fit/types.ts";
import type { LedgerRow } from "../model/ledger.ts";
import type { ModelMessage } from "../model/messages.ts";
import type { ReadUnit } from "../wire/shared/read-items.ts";
import { fillerText } from "../wire/shared/segments.ts";
import { type ListShape, joinSides, rewriteItems, writeMade } from "../wire/write-items.ts";
import type { ReadList } from "./read-list.ts";

/** What is sent of a list, in the list's own shape. */
export interface WrittenList {
  readonly messages: readonly unknown[];
  /** Rows of the list's messages, with positions in `messages`: made when asked for, as most callers do not. */
  readonly ledger: () => readonly LedgerRow[];
  /** True when a message of the user was put in front. */
  readonly hasFiller: boolean;
}

interface Piece {
  readonly items: readonly unknown[];
  readonly isMade: boolean;
}

const filler: ModelMessage = { role: "user", content: fillerText };

/**
 * Puts the caller's own objects in the place of our messages; what the build changed or made is written in their shape. Rows
 * have handles where somebody can ask by them.
 */
export function writeList(list: ReadList, build: Build, hasHandles: boolean): WrittenList {
  const sent = build.ledger
    .filter((row) => row.position !== undefined && (row.kind === "message" || row.kind === "generated"))
    .sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
  const messages: unknown[] = [];
  /** By the position in the build. */
  const positions: number[] = [];
  const put = ({ items, isMade }: Piece): number => {
    const isBeside = messages.length > 0 && (isMade || isMadeLast);
    const joined = isBeside ? joinSides(list.shape, messages.at(-1), items[0]) : undefined;
    isMadeLast = isMade;
    if (joined === undefined) messages.push(...items);
    else messages.splice(-1, 1, joined, ...items.slice(1));
    return messages.length - items.length;
  };
  let isMadeLast = false;
  const start = assistantStart(list, sent);
  const units = sent.map(({ kind, id }) => (kind === "message" ? list.unitOf[list.indexOf.get(id) ?? -1] : undefined));
  let end: number;
  for (let index = 0; index < sent.length; index = end) {
    if (index === start) put({ items: writeMade(list.shape, filler), isMade: true });
    end = index + 1;
    const unit = list.units[units[index] ?? -1];
    const position = sent[index]?.position ?? 0;
    // Most messages are one item of the caller's, sent as it is or as it was sent before.
    if (unit?.messages.length === 1 && unit.to === unit.from + 1 && !isMadeLast) {
      const item = list.items[unit.from];
      const message = build.messages[position] as ModelMessage;
      const single = message === unit.messages[0] ? item : rewritten(list.shape, item, unit.messages, message);
      positions[position] = messages.push(single) - 1;
      continue;
    }
    while (units[index] !== undefined && units[end] === units[index]) end += 1;
    const rows = sent.slice(index, end);
    const at = put(pieceOf(list, unit, rows, build));
    for (const row of rows) positions[row.position ?? 0] = at;
  }
  const hasFiller = start >= 0;
  return {
    messages,
    hasFiller,
    ledger: () => rowsOf(hasHandles ? build.ledger : build.ledger.map(withoutHandle), positions, hasFiller),
  };
}

const known = new WeakMap<ModelMessage, { readonly of: unknown; readonly item: unknown }>();

/** An item whose one message was changed. A build changes a message once, and the same item is given each time. */
function rewritten(shape: ListShape, of: unknown, before: readonly ModelMessage[], message: ModelMessage): unknown {
  const made = known.get(message);
  if (made && made.of === of) return made.item;
  const [item] = rewriteItems(shape, { items: [of], before, after: [message] });
  known.set(message, { of, item });
  return item;
}

/** The row with which the cut would let the conversation begin with the assistant, which providers refuse; else none. */
function assistantStart(list: ReadList, sent: readonly LedgerRow[]): number {
  const first = sent.findIndex(({ role }) => role !== "system");
  if (sent[first]?.role !== "assistant") return -1;
  const own = list.entries.find(({ message }) => message.role !== "system");
  return own?.message.role === "assistant" ? -1 : first;
}

function pieceOf(list: ReadList, unit: ReadUnit | undefined, rows: readonly LedgerRow[], build: Build): Piece {
  const after = rows.map(({ position = 0 }) => build.messages[position] as ModelMessage);
  if (!unit) return { items: after.flatMap((message) => writeMade(list.shape, message)), isMade: true };
  const items = list.items.slice(unit.from, unit.to);
  const isWhole = after.length === unit.messages.length && after.every((message, at) => message === unit.messages[at]);
  return {
    items: isWhole ? items : rewriteItems(list.shape, { items, before: unit.messages, after }),
    isMade: false,
  };
}

function withoutHandle(row: LedgerRow): LedgerRow {
  if (row.handle === undefined) return row;
  const { handle: _handle, ...rest } = row;
  return rest;
}

/** The rows of the list and of what was made for it. What was sent beside the list has none. */
function rowsOf(ledger: readonly LedgerRow[], positions: readonly number[], hasFiller: boolean): LedgerRow[] {
  const rows = ledger
    .filter(({ kind }) => kind === "message" || kind === "generated" || kind === "earlier")
    .map((row) => (row.position === undefined ? row : { ...row, position: positions[row.position] ?? 0 }));
  if (!hasFiller) return rows;
  const first = rows.findIndex(({ position, role }) => position !== undefined && role !== "system");
  const position = (rows[first]?.position ?? 1) - 1;
  const row: LedgerRow = {
    kind: "generated",
    id: "filler",
    role: "user",
    fate: "generated",
    rule: "forceAlternation",
    position,
  };
  return rows.toSpliced(first, 0, row);
}

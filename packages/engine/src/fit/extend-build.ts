import { type Placement, rowOfMessage } from "../compose/place/place-items.ts";
import type { MessageEntry } from "../model/entries.ts";
import { noteTrunk } from "../model/grown-lists.ts";
import type { LedgerRow } from "../model/ledger.ts";
import type { Applied } from "./apply-decision.ts";
import { type BuildRequest, hintsOf } from "./window/build-request.ts";
import { resolveLimits } from "./rungs/limits.ts";
import { openFixedParts, scanFacts } from "./fixed-parts.ts";
import type { Prepared } from "./prepare.ts";
import type { Build } from "./types.ts";
import { type Frame, type KnownWindow, type Window, keepWindow } from "./window/window-memory.ts";

/** Nothing where something stands among the history, moves with its length, or is changed once all are in place. */
export function frameOf(
  { arrangement, frozen, hint, resolved }: Prepared,
  { sent, tokens }: Applied,
  { historyFrom, messages }: Placement,
  { ledger, stats, ...build }: Build,
): Frame | undefined {
  const start = ledger[historyFrom]?.position;
  const isWhole = arrangement.atDepth.length === 0 && frozen.size === 0 && !hint && build.messages === messages;
  if (!isWhole || resolved.quotesChat || sent.length === 0 || start === undefined) return undefined;
  const rowsBefore = ledger.slice(0, historyFrom);
  const firstMoving = rowsBefore.findIndex(({ position }) => position !== undefined && position >= start);
  return {
    resolved,
    before: messages.slice(0, start),
    after: messages.slice(start + sent.length),
    rowsBefore,
    stillRows: firstMoving < 0 ? rowsBefore.length : firstMoving,
    rowsAfter: ledger.slice(historyFrom + sent.length),
    historyLength: sent.length,
    tokens: stats.inputTokens - tokens.reduce((sum, size) => sum + size, 0),
    droppedMessagesCount: stats.droppedMessagesCount,
    messageTrunk: {},
    ledgerTrunk: {},
  };
}

/**
 * The build before with new messages at the end of its history. Nothing when more than that has changed or it would not
 * fit; then everything is built again. The ledger is written when it is first read: most turns never read it.
 */
export function extendBuild(request: BuildRequest, window: Window): Build | undefined {
  const { known, view } = window;
  const frame = known?.frame;
  if (!known || !frame || request.overflowHint || hintsOf(request)) return undefined;
  const limits = resolveLimits(request.config, request.preset?.context);
  const inputTokens = frame.tokens + known.total;
  if (inputTokens > limits.tokens || limits.messages !== Infinity) return undefined;
  const { resolved } = openFixedParts(request, request.runtimeInit ?? view.runtimeInit, window.normalized.history, () =>
    scanFacts(window, limits, request.account),
  );
  if (resolved !== frame.resolved) return undefined;
  keepWindow(request, window);
  const { length } = known.sent;
  const messages = frame.after.length === 0 ? known.line.slice() : known.line.concat(frame.after);
  noteTrunk(messages, frame.messageTrunk, known.line.length);
  let ledger: readonly LedgerRow[] | undefined;
  return {
    messages,
    tools: request.tools ?? [],
    stats: {
      inputTokens,
      messageCount: messages.length,
      droppedMessagesCount: frame.droppedMessagesCount,
      exactness: known.hasBinary ? "estimated" : request.account.tokenizer.exactness,
      tokenizer: request.account.tokenizer.id,
    },
    get ledger() {
      ledger ??= writeLedger(frame, known, length);
      return ledger;
    },
    recipe: resolved.recipe,
    entriesToAppend: request.added ?? [],
    stablePrefix: frame.before.length + length,
    problems: resolved.problems,
  };
}

/** Of the first `length` messages: more may have come since. */
function writeLedger(
  frame: Frame,
  { sent, tokens, fates, made, pinned, rows }: KnownWindow,
  length: number,
): LedgerRow[] {
  const from = frame.before.length;
  const moved = (row: LedgerRow): LedgerRow =>
    row.position === undefined || row.position < from
      ? row
      : { ...row, position: row.position + length - frame.historyLength };
  // With one frame they all begin at one place; with another they are made again.
  if (rows[0]?.position !== from || rows.at(-1)?.position !== from + rows.length - 1) rows.length = 0;
  const decided = { made, pinnedIds: pinned, historyFates: fates, historyTokens: tokens };
  for (let index = rows.length; index < length; index += 1)
    rows.push(rowOfMessage(sent[index] as MessageEntry, index, from + index, decided));
  const isStill = frame.stillRows === frame.rowsBefore.length;
  const before = isStill ? frame.rowsBefore : frame.rowsBefore.map(moved);
  const ledger = before.concat(rows.length === length ? rows : rows.slice(0, length), frame.rowsAfter.map(moved));
  noteTrunk(ledger, frame.ledgerTrunk, isStill ? before.length + length : frame.stillRows);
  return ledger;
}

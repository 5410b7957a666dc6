import type { Arrangement } from "../compose/place/arrange.ts";
import type { ResolvedPreset } from "../compose/preset/resolve-preset.ts";
import type { ModelMessage } from "../model/messages.ts";
import type { BuildRequest } from "./window/build-request.ts";
import type { Droppable } from "./rungs/decide.ts";
import { type History, openHistory } from "./rungs/history.ts";
import { type Limits, resolveLimits } from "./rungs/limits.ts";
import { type Normalized, normalize } from "./log/normalize.ts";
import { hintMessage, openFixedParts, summaryText } from "./fixed-parts.ts";
import { checkEntry, isPlainMessage } from "./log/check-entry.ts";
import { type SessionView, view } from "./log/view.ts";
import { type Window, giveCounts } from "./window/window-memory.ts";

/** A request with everything read, resolved and measured that does not depend on what is left out. */
export interface Prepared {
  readonly request: BuildRequest;
  readonly limits: Limits;
  readonly window: Window;
  readonly view: SessionView;
  readonly normalized: Normalized;
  readonly history: History;
  readonly resolved: ResolvedPreset;
  readonly arrangement: Arrangement;
  readonly summary: ModelMessage | undefined;
  readonly summaryTokens: number;
  readonly hint: ModelMessage | undefined;
  /** What is sent in any case but for the summary. */
  readonly fixedTokens: number;
  /** Of these, what the session's head costs. */
  readonly headTokens: number;
  readonly droppable: readonly Droppable[];
  /** By step, the id of the message that a frozen injection stands before; `null` for the end. */
  readonly frozen: ReadonlyMap<string, { readonly before: string | null; readonly message: ModelMessage }>;
}

export function prepare(request: BuildRequest, recalled?: Window): Prepared {
  const limits = resolveLimits(request.config);
  const prepared = recalled && prepareWindow(request, limits, recalled);
  // Where something has to be decided, what is remembered is put aside, so that it never shows in what is decided.
  if (prepared && fitsAsItIs(prepared)) return prepared;
  if (recalled) giveCounts(recalled, request.account);
  return prepareWindow(request, limits, openWindow(request));
}

/** Reads the window from the log. */
function openWindow({ entries, added, leafId }: BuildRequest): Window {
  const seen = view(entries, { added, leafId });
  for (const entry of [seen.compaction, ...seen.injections.map((injection) => injection.entry)]) {
    if (entry) checkEntry(entry, entries);
  }
  for (const entry of seen.messages) if (!isPlainMessage(entry)) checkEntry(entry, entries);
  return { view: seen, normalized: normalize(seen.messages, seen.head), known: undefined };
}

function fitsAsItIs(prepared: Prepared): boolean {
  const { request, limits, window, fixedTokens, summaryTokens, droppable } = prepared;
  if (request.overflowHint) return false;
  if (hasTooMany(prepared)) return false;
  let tokens = fixedTokens + summaryTokens + (window.known?.total ?? Infinity);
  for (const item of droppable) tokens += item.tokens;
  return tokens <= limits.tokens;
}

/** Whether there are more messages than may be sent. System messages of the history are not counted [F5]. */
export function hasTooMany({ limits, history }: Prepared): boolean {
  if (limits.messages === Infinity) return false;
  return history.entries.filter((entry) => entry.message.role !== "system").length > limits.messages;
}

function prepareWindow(request: BuildRequest, limits: Limits, window: Window): Prepared {
  const { account } = request;
  const { view, normalized } = window;
  const { compaction } = view;
  const { head } = normalized;
  const chat = head.length === 0 ? normalized.history : [...head, ...normalized.history];
  const fixedParts = openFixedParts(request, request.runtimeInit ?? view.runtimeInit, chat);
  const frozen = frozenInjections(view);
  const frozenTokens = new Map<number, number>();
  let headTokens = 0;
  for (const entry of head) headTokens += account.countMessage(entry.message);
  let fixedTokens = fixedParts.overhead + headTokens;
  for (const { before, message } of frozen.values()) {
    const tokens = account.countMessage(message);
    const at = normalized.history.findIndex((entry) => entry.id === before);
    if (at < 0) fixedTokens += tokens;
    else frozenTokens.set(at, (frozenTokens.get(at) ?? 0) + tokens);
  }
  const droppable: Droppable[] = [];
  for (const [item, tokens] of fixedParts.itemTokens) {
    if (frozen.has(item.id) || compaction?.droppedSteps?.includes(item.id)) continue;
    if (item.priority === undefined) fixedTokens += tokens;
    else droppable.push({ id: item.id, priority: item.priority, tokens });
  }
  const hint = request.hints && Object.keys(request.hints).length > 0 ? hintMessage(request.hints) : undefined;
  if (hint) fixedTokens += account.countMessage(hint);
  const summary = compaction?.summary === undefined ? undefined : summaryText(compaction.summary);
  return {
    request,
    limits,
    window,
    view,
    normalized,
    history: openHistory({
      entries: normalized.history,
      compaction,
      account,
      frozenTokens,
      maskedBefore: window.known?.maskedBefore,
    }),
    resolved: fixedParts.resolved,
    arrangement: fixedParts.arrangement,
    summary: summary === undefined ? undefined : { role: "user", content: summary },
    summaryTokens: summary === undefined ? 0 : account.countPlain(summary),
    hint,
    fixedTokens,
    headTokens,
    droppable,
    frozen,
  };
}

const nothingFrozen: Prepared["frozen"] = new Map();

function frozenInjections({ injections, messages }: SessionView): Prepared["frozen"] {
  if (injections.length === 0) return nothingFrozen;
  return new Map(
    injections.map(({ entry, at }) => [entry.stepId, { before: messages[at]?.id ?? null, message: entry.message }]),
  );
}

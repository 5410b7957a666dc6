import { arrange } from "../compose/arrange.ts";
import type { Preset } from "../compose/preset.ts";
import { fragmentItem } from "../compose/preset-items.ts";
import { type ResolvedItem, type ResolvedPreset, resolvePreset } from "../compose/resolve-preset.ts";
import type { ModelMessage } from "../model/messages.ts";
import type { TokenAccount } from "../tokens/account.ts";
import type { BuildRequest } from "./build-request.ts";
import type { Droppable } from "./decide.ts";
import { type History, openHistory } from "./history.ts";
import { type Limits, resolveLimits } from "./limits.ts";
import type { Normalized } from "./normalize.ts";
import { hintMessage, runtimeInitText, summaryMessage } from "./runtime-text.ts";
import type { SessionView } from "./view.ts";
import { type Window, openWindow } from "./window.ts";
import { recallWindow } from "./window-memory.ts";

/** A request with everything read, resolved and measured that does not depend on what is left out. */
export interface Prepared {
  readonly request: BuildRequest;
  readonly limits: Limits;
  readonly window: Window;
  readonly view: SessionView;
  readonly normalized: Normalized;
  readonly history: History;
  readonly resolved: ResolvedPreset;
  readonly summary: ModelMessage | undefined;
  readonly summaryTokens: number;
  readonly hint: ModelMessage | undefined;
  /** What is sent in any case but for the summary. */
  readonly fixedTokens: number;
  readonly droppable: readonly Droppable[];
  /** By step, the id of the message that a frozen injection stands before; `null` for the end. */
  readonly frozen: ReadonlyMap<string, { readonly before: string | null; readonly message: ModelMessage }>;
}

const plainPreset: Preset = { presetMessages: [{ id: "chat_history", type: "chat_history", role: "user" }] };

export function prepare(request: BuildRequest): Prepared {
  const { account } = request;
  const limits = resolveLimits(request.config);
  const window = recallWindow(request) ?? openWindow(request, limits);
  const { view: seen, normalized } = window;
  const resolved = resolveAll(request, seen);
  const frozen = new Map(
    seen.injections.map(({ entry, at }) => [
      entry.stepId,
      { before: seen.messages[at]?.id ?? null, message: entry.message },
    ]),
  );
  const frozenTokens = new Map<number, number>();
  let fixedTokens = account.countOverhead(request.tools ?? []);
  for (const { before, message } of frozen.values()) {
    const tokens = account.countMessage(message);
    const at = normalized.history.findIndex((entry) => entry.id === before);
    if (at < 0) fixedTokens += tokens;
    else frozenTokens.set(at, (frozenTokens.get(at) ?? 0) + tokens);
  }
  const { compaction } = seen;
  const droppable: Droppable[] = [];
  const { unresolved } = arrange(resolved.items);
  for (const item of resolved.items) {
    if (unresolved.has(item) || frozen.has(item.id) || compaction?.droppedSteps?.includes(item.id)) continue;
    const tokens = itemTokens(item, resolved, account);
    if (item.priority === undefined) fixedTokens += tokens;
    else if (tokens > 0) droppable.push({ id: item.id, priority: item.priority, tokens });
  }
  const hint = request.hints && Object.keys(request.hints).length > 0 ? hintMessage(request.hints) : undefined;
  if (hint) fixedTokens += account.countMessage(hint);
  const summary = compaction?.summary === undefined ? undefined : summaryMessage(compaction.summary);
  return {
    request,
    limits,
    window,
    view: seen,
    normalized,
    history: openHistory({
      entries: normalized.history,
      compaction,
      account,
      frozenTokens,
      ...(window.known ? { maskedBefore: window.known.maskedBefore } : {}),
    }),
    resolved,
    summary,
    summaryTokens: summary ? account.countMessage(summary) : 0,
    hint,
    fixedTokens,
    droppable,
    frozen,
  };
}

/** The preset's items, with the system prompt before them and the runtime data behind the first system message. */
function resolveAll(request: BuildRequest, seen: SessionView): ResolvedPreset {
  const resolved = resolvePreset(request.preset ?? plainPreset, request);
  const items: ResolvedItem[] = [...resolved.items];
  if (request.systemPrompt !== undefined) items.unshift(fragment("systemPrompt", request.systemPrompt));
  const init = request.runtimeInit ?? seen.runtimeInit;
  if (init && Object.keys(init).length > 0) {
    const first = items.findIndex(
      (item) => item.enabled && item.role === "system" && item.place.kind === "list" && item.text.trim(),
    );
    items.splice(first + 1, 0, fragment("runtimeInit", runtimeInitText(init)));
  }
  return { ...resolved, items };
}

function fragment(id: string, text: string): ResolvedItem {
  return Object.assign(fragmentItem(id, text), { text });
}

function itemTokens(item: ResolvedItem, resolved: ResolvedPreset, account: TokenAccount): number {
  if (!item.enabled || item.kind === "chat_history") return 0;
  const profile = item.kind === "user_profile" ? resolved.userProfile : undefined;
  const text = profile?.trim() ? profile : item.text;
  return text.trim() ? account.countPlain(text) : 0;
}

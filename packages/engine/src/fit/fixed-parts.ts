import { type Arrangement, arrange } from "../compose/place/arrange.ts";
import type { Preset } from "../compose/preset/preset.ts";
import { type ResolvedItem, type ResolvedPreset, fragment, resolvePreset } from "../compose/preset/resolve-preset.ts";
import type { ScanFacts } from "../compose/preset/scan-input.ts";
import { noEffects } from "../compose/activation/activation.ts";
import type { CompactionEntry, MessageEntry, Ordinals } from "../model/entries.ts";
import { handleOf, recallToolName } from "../model/handle.ts";
import { isTime } from "../compose/macros/placeholders.ts";
import { canonicalJson } from "../model/canonical-json.ts";
import type { JsonObject, ModelMessage } from "../model/messages.ts";
import type { TokenAccount } from "../tokens/account.ts";
import type { SessionView } from "./log/view.ts";
import type { Limits } from "./rungs/limits.ts";
import type { BuildRequest } from "./window/build-request.ts";
import type { Window } from "./window/window-memory.ts";

/** What the preset and the caller bring, and what it costs. Only texts that quote the chat depend on the history. */
export interface FixedParts {
  readonly resolved: ResolvedPreset;
  readonly arrangement: Arrangement;
  /** What each item costs that has a place and a text. */
  readonly itemTokens: ReadonlyMap<ResolvedItem, number>;
  /** Tools, and what frames the input. */
  readonly overhead: number;
}

interface Remembered {
  readonly request: BuildRequest;
  readonly init: JsonObject | undefined;
  readonly fixedParts: FixedParts;
}

const plainPreset: Preset = { presetMessages: [{ id: "chat_history", type: "chat_history", role: "user" }] };

// From turn to turn they are made of the same inputs, so the last ones are kept; only speed depends on it.
const last = new WeakMap<TokenAccount, Remembered>();

export function openFixedParts(
  request: BuildRequest,
  init: JsonObject | undefined,
  history: readonly MessageEntry[],
  facts: () => ScanFacts,
): FixedParts {
  const before = last.get(request.account);
  if (before && before.init === init && hasSameInputs(before, request)) return before.fixedParts;
  const fixedParts = makeFixedParts(request, init, history, facts);
  if (!fixedParts.resolved.quotesChat) last.set(request.account, { request, init, fixedParts });
  return fixedParts;
}

/** By identity: inputs never change in place. The time counts only where a text tells it. */
function hasSameInputs({ request: a, fixedParts }: Remembered, b: BuildRequest): boolean {
  return (
    a.preset === b.preset &&
    a.model === b.model &&
    a.systemPrompt === b.systemPrompt &&
    a.tools === b.tools &&
    a.userProfile === b.userProfile &&
    a.variables === b.variables &&
    a.reply === b.reply &&
    a.replyPrompt === b.replyPrompt &&
    a.seed === b.seed &&
    a.fixedDraw === b.fixedDraw &&
    (a.now === b.now || (!fixedParts.resolved.tellsTime && isTime(b.now)))
  );
}

function makeFixedParts(
  request: BuildRequest,
  init: JsonObject | undefined,
  history: readonly MessageEntry[],
  facts: () => ScanFacts,
): FixedParts {
  const { account, tools = [] } = request;
  const resolved = resolveAll(request, init, history, facts());
  const arrangement = arrange(resolved.items);
  const itemTokens = new Map<ResolvedItem, number>();
  for (const item of resolved.items) {
    const tokens = arrangement.unresolved.has(item) ? 0 : countItem(item, resolved, account);
    if (tokens > 0) itemTokens.set(item, tokens);
  }
  return { resolved, arrangement, itemTokens, overhead: account.countOverhead(tools) };
}

/** The items of preset and system prompt, with the runtime data behind the first system message [F11]. */
function resolveAll(
  request: BuildRequest,
  init: JsonObject | undefined,
  history: readonly MessageEntry[],
  facts: ScanFacts,
): ResolvedPreset {
  const resolved = resolvePreset(request.preset ?? plainPreset, request, history, facts);
  const items: ResolvedItem[] = [...resolved.items];
  if (init && Object.keys(init).length > 0) {
    const isSystem = (item: ResolvedItem): boolean =>
      item.enabled && item.role === "system" && item.place.kind === "list";
    const first = items.findIndex((item) => isSystem(item) && item.text.trim() !== "");
    items.splice(first + 1, 0, fragment("runtimeInit", runtimeInitText(init)));
  }
  return { ...resolved, items };
}

function countItem(item: ResolvedItem, resolved: ResolvedPreset, account: TokenAccount): number {
  if (!item.enabled || item.isNowhere || item.kind === "chat_history") return 0;
  const profile = item.kind === "user_profile" ? resolved.userProfile : undefined;
  const text = profile?.trim() ? profile : item.text;
  return text.trim() ? account.countPlain(text) : 0;
}

/** What a scan for keys knows of the session behind its history. */
export function scanFacts({ view, normalized }: Window, limits: Limits, account: TokenAccount): ScanFacts {
  return {
    timed: view.activation ? { sticky: view.activation.sticky, cooldown: view.activation.cooldown } : noEffects,
    behind: behindOf(view),
    made: normalized.made.size,
    recorded: view.activation?.active,
    window: limits.tokens,
    count: (text) => account.countPlain(text),
  };
}

/** How many messages lie behind the compaction in force; one that was made without lorebooks knows only how many it took out. */
export function behindOf({ compaction, summarised, dropped }: SessionView): ScanFacts["behind"] {
  const { messages, userMessages = 0 } = compaction?.activation ?? {};
  return { messages: messages ?? summarised.count + dropped.count, userMessages };
}

/** What a session was started with, as text: keys sorted, so that the same data gives the same bytes [F11]. */
function runtimeInitText(data: JsonObject): string {
  return `Environment of this session:\n${listText(data)}`;
}

/** What holds just now, as a message that stands before the last user message [F11]. */
export function hintMessage(data: JsonObject): ModelMessage {
  return { role: "system", content: `At this moment:\n${listText(data)}` };
}

function listText(data: JsonObject): string {
  return Object.keys(data)
    .sort()
    .filter((key) => data[key] !== undefined)
    .map((key) => {
      const value = data[key];
      return `${key}: ${typeof value === "string" ? value : canonicalJson(value)}`;
    })
    .join("\n");
}

/** What a compaction has in the place of what it left out: its summary, and the line that says what can be asked for [R1]. */
export function summaryOf({ summary, ordinals }: Pick<CompactionEntry, "summary" | "ordinals">): string | undefined {
  const line = ordinals?.isTold ? leftOutLine(ordinals) : undefined;
  if (summary === undefined) return line && `[${line}]`;
  return line === undefined ? summaryText(summary) : `${summaryText(summary)}\n${line}`;
}

/** From the first message behind the head that is carried; nothing where none was left out. */
function leftOutLine({ first, carried = [], before = 0 }: Ordinals): string | undefined {
  let from = before + 1;
  while (carried.includes(from)) from += 1;
  return from < first ? `Left out: ${handleOf(from, first - 1)} (${recallToolName})` : undefined;
}

/** What stands for history that is not sent any more. It is sent with the user's voice, not the system's: what a summary
 *  repeats may have come from anywhere. */
function summaryText(summary: string): string {
  return `[Summary of the earlier conversation, for reference only]\n${summary}`;
}

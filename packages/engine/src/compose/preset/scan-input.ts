import type { ActivationEntry, MessageEntry } from "../../model/entries.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { type ReplyKind, type TimedEffects, noEffects } from "../activation/activation.ts";
import type { ScanChat } from "../activation/scan-text.ts";
import { draw } from "../macros/draw.ts";
import type { VariableLookup } from "../macros/placeholders.ts";
import type { ItemScan } from "./activate-items.ts";
import { type PresetItem, contentPath } from "./preset-items.ts";
import type { Preset } from "./preset.ts";

/** What only a session knows of the chat and its window. */
export interface ScanFacts {
  /** Which entries stay, and which stay away. */
  readonly timed: TimedEffects;
  /** How many messages lie behind the oldest of the history, and how many of them are the user's. */
  readonly behind: { readonly messages: number; readonly userMessages: number };
  /** How many messages of the history the build made up. */
  readonly made: number;
  /** What was there when the chat had the messages that it has now, where a compaction has recorded it. */
  readonly recorded: ActivationEntry["active"];
  /** What the whole input may cost. */
  readonly window: number;
  readonly count: (text: string) => number;
}

interface ScanSources {
  readonly preset: Preset;
  readonly options: {
    readonly reply?: ReplyKind | undefined;
    readonly replyPrompt?: string | undefined;
    readonly model?: string | undefined;
    readonly seed?: string | undefined;
    readonly fixedDraw?: number | undefined;
  };
  readonly history: readonly MessageEntry[];
  readonly facts: ScanFacts | undefined;
  readonly items: readonly PresetItem[];
  readonly fill: (text: string, path: () => string) => string;
  readonly lookup: VariableLookup;
}

/** What decides which items are there this time, besides the preset. */
export function scanInput({ preset, options, history, facts, items, fill, lookup }: ScanSources): ItemScan {
  const { reply = "normal", replyPrompt, model, seed = "", fixedDraw } = options;
  const itemsById = new Map(items.map((item) => [item.id, item]));
  const chat = scanChat(history, facts, (role) => lookup(role === "user" ? "user" : "char"));
  const { recorded } = facts ?? {};
  const isSame = recorded?.messages === chat.length && recorded.lastId === history.at(-1)?.id;
  return {
    ...(isSame ? { recorded: recorded.ids } : {}),
    chat,
    reply,
    prompt: replyPrompt,
    model,
    timed: facts?.timed ?? noEffects,
    budget: budgetOf(preset, facts),
    count: facts?.count ?? (() => 0),
    fill: ({ id, content, activation: { text } }) => {
      const item = itemsById.get(id);
      return fill(text ?? content, () => (item ? contentPath(item) : id));
    },
    fillText: (text) => (text.includes("{{") ? fill(text, () => "activation") : text),
    source: (name) => fill(`{{${name}}}`, () => "activation"),
    draw: (name) => fixedDraw ?? draw(`${seed} ${history.at(-1)?.id ?? ""} ${name}`),
  };
}

/** In tokens; no limit without one. */
function budgetOf({ activation = {} }: Preset, facts: ScanFacts | undefined): number {
  const { budgetPercent, budgetTokens = 0, like } = activation;
  if (!facts) return Infinity;
  const percent = budgetPercent ?? (like === "sillytavern" ? 25 : undefined);
  const share = percent === undefined ? Infinity : Math.round((percent * facts.window) / 100) || 1;
  return budgetTokens > 0 ? Math.min(share, budgetTokens) : share;
}

/** The history as a scan for keys reads it. */
function scanChat(
  history: readonly MessageEntry[],
  facts: Pick<ScanFacts, "behind" | "made"> | undefined,
  nameOf: (role: string) => string | undefined,
): ScanChat {
  return {
    length: history.length + (facts ? facts.behind.messages - facts.made : 0),
    userMessages: () => countUser(history) + (facts?.behind.userMessages ?? 0),
    newest(index) {
      const entry = history.at(-1 - index);
      if (!entry || index >= history.length) return undefined;
      const { id, message, said } = entry;
      const { role } = message;
      // In a chat of one's own, the preset says who speaks.
      const name = said?.by ?? (role === "user" || role === "assistant" ? nameOf(role) : undefined);
      return { id, identity: entry, role, name, text: said?.text ?? saidIn(message) };
    },
  };
}

export function countUser(history: readonly MessageEntry[]): number {
  return history.filter((entry) => entry.message.role === "user").length;
}

/** What a message says in words. */
export function saidIn({ content }: ModelMessage): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

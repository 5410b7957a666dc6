import type { NameIndex, NameRow } from "../../model/entries.ts";
import { handleOf } from "../../model/handle.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { namesIn } from "../../model/names.ts";
import { textLanguage } from "../../model/text-language.ts";
import type { Tokenizer } from "../../tokens/counters/tokenizer.ts";
import { likelyNames } from "./name-index.ts";

export interface ShowOptions {
  /** The messages as they will be sent: what they say needs no place in the index. */
  readonly sent: readonly ModelMessage[];
  readonly countTokens: (text: string) => number;
  /** What a name costs with a space before it, where that is known already. */
  readonly countName?: (name: string) => number;
  /** Stands in handles where the log is not Galley's own [L7]; `null` leaves handles out. */
  readonly tag?: string | null;
}

/** Names that stood near each other share a handle [R1]; one for each place would cost more names than it helps to find. */
const namesPerHandle = 24;
/** Tokens that a name has of its group's handle. */
const handleShare = 0.25;
const labelTokens = 6;
/** Shorter names are no longer looked for after this many were too long for the rest of the budget. */
const maxMisses = 40;

const labels = { en: "Names, by where they stood last:", zh: "名称，按最后出现之处：" } as const;

export interface NamesShower {
  /**
   * What fits of an index behind a summary, as text: the oldest names first, by handle. What the summary says needs no place
   * in it either. Nothing where nothing fits.
   */
  readonly show: (summary: string, maxTokens: number) => string;
  /** About how many of these tokens an index would fill. */
  readonly fill: (maxTokens: number) => number;
}

export function namesShower({ rows }: NameIndex, { sent, countTokens, countName, tag }: ShowOptions): NamesShower {
  const kept = new ShownNames();
  for (const message of sent) for (const name of likelyNames(message)) kept.add(name);
  const hidden = rememberNeeded(rows, ([name]) => !kept.has(name));
  const costOf = countName ?? ((name) => countTokens(` ${name}`));
  const chooseBehind = (summary: string, maxTokens: number): Chosen => {
    const shown = new ShownNames();
    for (const name of namesIn(summary)) shown.add(name);
    return choose(hidden(), shown, maxTokens - labelTokens, costOf);
  };
  return {
    fill(maxTokens) {
      const { chosen, tokens } = chooseBehind("", maxTokens);
      return chosen.length === 0 ? 0 : Math.ceil(tokens) + labelTokens;
    },
    show(summary, maxTokens) {
      const { chosen } = chooseBehind(summary, maxTokens);
      const label = labels[textLanguage([summary]) === "zh" ? "zh" : "en"];
      // The parts need not add up to the whole: tokenizers merge across names. The least likely go first.
      for (let count = chosen.length; count > 0; count -= Math.ceil(count / 40)) {
        const text = `${label}\n${render(chosen.slice(0, count), tag)}`;
        if (countTokens(text) <= maxTokens) return text;
      }
      return "";
    },
  };
}

/** The items that are wanted, each looked at once, however often and as far as they are asked for. */
function rememberNeeded<Item>(items: readonly Item[], isWanted: (item: Item) => boolean): () => Iterable<Item> {
  const found: Item[] = [];
  let next = 0;
  return function* ahead() {
    yield* found;
    while (next < items.length) {
      const item = items[next] as Item;
      next += 1;
      if (!isWanted(item)) continue;
      found.push(item);
      yield item;
    }
  };
}

interface Chosen {
  readonly chosen: readonly NameRow[];
  /** About what they cost. */
  readonly tokens: number;
}

function choose(
  rows: Iterable<NameRow>,
  /** What the summary shows, and the names that were chosen. */
  shown: ShownNames,
  room: number,
  costOf: (name: string) => number,
): Chosen {
  const chosen: NameRow[] = [];
  let left = room;
  let misses = 0;
  for (const row of rows) {
    if (left < 1 || misses > maxMisses) break;
    const [name] = row;
    if (shown.has(name)) continue;
    const cost = costOf(name) + handleShare;
    if (cost > left) {
      misses += 1;
      continue;
    }
    left -= cost;
    chosen.push(row);
    shown.add(name);
  }
  return { chosen, tokens: room - left };
}

/** How many names' costs are remembered for each tokenizer: some windows of 128k have as many rows. */
const maxKnown = 20_000;
const known = new WeakMap<Tokenizer, Map<string, number>>();

/** What names cost: an index shows mostly those that the one before has shown. */
export function nameCosts(tokenizer: Tokenizer): (name: string) => number {
  const costs = known.get(tokenizer) ?? new Map<string, number>();
  known.set(tokenizer, costs);
  return (name) => {
    const before = costs.get(name);
    if (before !== undefined) return before;
    if (costs.size >= maxKnown) costs.clear();
    const cost = tokenizer.count(` ${name}`);
    costs.set(name, cost);
    return cost;
  };
}

/** Names that are shown. A path also shows the folders above it, and what stands behind each of them. */
class ShownNames {
  readonly #names = new Set<string>();
  /** Paths by where they begin, and by where they end. */
  readonly #byFirst = new Map<string, string[]>();
  readonly #byLast = new Map<string, string[]>();

  add(name: string): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    const first = name.indexOf("/");
    if (first < 0 || name.includes("://")) return;
    addTo(this.#byFirst, name.slice(0, first), name);
    addTo(this.#byLast, name.slice(name.lastIndexOf("/") + 1), name);
  }

  has(name: string): boolean {
    if (this.#names.has(name)) return true;
    const first = name.indexOf("/");
    const under = this.#byFirst.get(first < 0 ? name : name.slice(0, first));
    if (under?.some((path) => path.startsWith(name) && path.charAt(name.length) === "/")) return true;
    const behind = this.#byLast.get(first < 0 ? name : name.slice(name.lastIndexOf("/") + 1));
    return behind?.some((path) => path.endsWith(name) && path.charAt(path.length - name.length - 1) === "/") ?? false;
  }
}

function addTo(lists: Map<string, string[]>, key: string, name: string): void {
  const list = lists.get(key);
  if (list) list.push(name);
  else lists.set(key, [name]);
}

/** `§3–§18 src/hull.ts raiseSail`, a line for each handle. */
function render(chosen: readonly NameRow[], tag: ShowOptions["tag"]): string {
  const rows = chosen.toSorted((a, b) => a[4] - b[4] || (a[0] < b[0] ? -1 : 1));
  const lines: string[] = [];
  for (let from = 0; from < rows.length;) {
    const first = ordinalAt(rows, from);
    let to = Math.min(rows.length, from + namesPerHandle);
    // Those of one message are not parted.
    while (to < rows.length && ordinalAt(rows, to) === ordinalAt(rows, to - 1)) to += 1;
    const last = ordinalAt(rows, to - 1);
    const names = rows.slice(from, to).map(([name]) => name);
    lines.push([...(first > 0 && tag !== null ? [handleOf(first, last, tag)] : []), ...names].join(" "));
    from = to;
  }
  return lines.join("\n");
}

function ordinalAt(rows: readonly NameRow[], index: number): number {
  return rows[index]?.[4] ?? 0;
}

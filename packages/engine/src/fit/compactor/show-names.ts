import type { NameIndex, NameRow } from "../../model/entries.ts";
import { handleOf } from "../../model/handle.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { namesIn } from "../../model/names.ts";
import type { CountedWords } from "../../tokens/account.ts";
import { labelLanguage } from "../../model/text-language.ts";
import { type KnownName, knownNames, likelyNames } from "./name-index.ts";

export interface ShowOptions {
  /** The messages as they will be sent: what they say needs no place in the index. */
  readonly sent: readonly ModelMessage[];
  readonly countTokens: (text: string) => number;
  /** What counts, where it stays the same: what a name costs is remembered for it. */
  readonly counter?: object;
  /** Stands in handles where the log is not Galley's own [L7]; `null` leaves handles out. */
  readonly tag?: string | null;
}

/** Names that stood near each other share a handle [R1]; one for each place would cost more names than it helps to find. */
const namesPerHandle = 24;
/** Tokens that a name has of its group's handle. */
const handleShare = 0.25;
const labelTokens = 6;
/** After this many names that did not fit, no shorter ones are tried. */
const maxMisses = 8;

const labels = { en: "Names, by where they stood last:", zh: "名称，按最后出现之处：" } as const;

export interface NamesShower {
  /**
   * What fits of an index behind a summary, as text: the oldest names first, by handle. What the summary says needs no place
   * in it either. Nothing where nothing fits.
   */
  readonly show: (summary: string, maxTokens: number, fits?: (text: string, words: CountedWords) => boolean) => string;
  /** About how many of these tokens an index would fill. */
  readonly fill: (maxTokens: number) => number;
}

export function namesShower({ rows }: NameIndex, options: ShowOptions): NamesShower {
  const { countTokens, tag } = options;
  const choice = new Choice(rows, options);
  return {
    fill(maxTokens) {
      choice.extend(maxTokens - labelTokens);
      return choice.chosen.length === 0 ? 0 : Math.ceil(choice.tokens) + labelTokens;
    },
    show(summary, maxTokens, fits = (text) => countTokens(text) <= maxTokens) {
      choice.leaveOut(namesIn(summary));
      choice.extend(maxTokens - labelTokens);
      const { chosen } = choice;
      const label = labels[labelLanguage([summary])];
      // The parts need not add up to the whole: tokenizers merge across names. The least likely go first.
      for (let count = chosen.length; count > 0; count -= Math.ceil(count / 40)) {
        const { text, words } = render(label, chosen.slice(0, count), tag);
        if (fits(text, words)) return text;
      }
      return "";
    },
  };
}

/** Of an index, the names that are not shown anyway, the most likely first and as far as there is room. */
class Choice {
  chosen: KnownName[] = [];
  /** About what they cost. */
  tokens = 0;
  readonly #ranked: readonly KnownName[];
  readonly #options: ShowOptions;
  readonly #paths = new ShownPaths();
  #said: ReadonlySet<string> = new Set();
  #next = 0;
  /** Too long for the room that there was. */
  #missed: KnownName[] = [];

  constructor(rows: readonly NameRow[], options: ShowOptions) {
    const { byName, ranked } = knownNames(rows);
    this.#ranked = ranked;
    this.#options = options;
    for (const message of options.sent) {
      for (const name of likelyNames(message)) {
        const known = byName.get(name);
        if (known) known.shownIn = options.sent;
        this.#paths.add(name);
      }
    }
  }

  /** Names that a summary says. */
  leaveOut(names: ReadonlySet<string>): void {
    this.#said = names;
    const paths = new ShownPaths();
    for (const name of names) {
      paths.add(name);
      this.#paths.add(name);
    }
    const left = this.chosen.filter(({ name }) => !names.has(name) && !paths.has(name));
    if (left.length === this.chosen.length) return;
    this.chosen = left;
    this.tokens = 0;
    for (const { cost } of left) this.tokens += cost + handleShare;
  }

  extend(room: number): void {
    const before = this.#missed;
    this.#missed = [];
    for (const known of before) this.#take(known, room);
    for (; this.#next < this.#ranked.length; this.#next += 1) {
      if (room - this.tokens < 1 || this.#missed.length > maxMisses) return;
      this.#take(this.#ranked[this.#next] as KnownName, room);
    }
  }

  #take(known: KnownName, room: number): void {
    const { name } = known;
    if (known.shownIn === this.#options.sent || this.#said.has(name) || this.#paths.has(name)) return;
    const cost = this.#costOf(known) + handleShare;
    if (this.tokens + cost > room) {
      this.#missed.push(known);
      return;
    }
    this.tokens += cost;
    this.chosen.push(known);
    this.#paths.add(name);
  }

  #costOf(known: KnownName): number {
    const { countTokens, counter = countTokens } = this.#options;
    if (known.counter !== counter) {
      known.cost = countTokens(` ${known.name}`);
      known.isWord = !edge.test(known.name);
      known.counter = counter;
    }
    return known.cost;
  }
}

/** Paths that are shown. One also shows the folders above it, and what stands behind each of them. */
class ShownPaths {
  readonly #folders = new Set<string>();
  /** By what they end with. */
  readonly #byLast = new Map<string, string[]>();

  add(name: string): void {
    let slash = name.lastIndexOf("/");
    if (slash < 0 || name.includes("://")) return;
    addTo(this.#byLast, name.slice(slash + 1), name);
    for (; slash > 0; slash = name.lastIndexOf("/", slash - 1)) {
      const folder = name.slice(0, slash);
      // Then those above it are known as well.
      if (this.#folders.has(folder)) return;
      this.#folders.add(folder);
    }
  }

  has(name: string): boolean {
    if (this.#byLast.size === 0) return false;
    if (this.#folders.has(name)) return true;
    const behind = this.#byLast.get(name.slice(name.lastIndexOf("/") + 1));
    return behind?.some((path) => path.endsWith(name) && path.charAt(path.length - name.length - 1) === "/") ?? false;
  }
}

function addTo(lists: Map<string, string[]>, key: string, name: string): void {
  const list = lists.get(key);
  if (list) list.push(name);
  else lists.set(key, [name]);
}

/** `§3–§18 src/hull.ts raiseSail`, a line for each handle. What names between two others cost is known. */
function render(
  label: string,
  chosen: readonly KnownName[],
  tag: ShowOptions["tag"],
): { readonly text: string; readonly words: CountedWords } {
  const names = chosen.toSorted((a, b) => a.ordinal - b.ordinal || (a.name < b.name ? -1 : 1));
  let [text, rest, tokens] = [label, label, 0];
  for (let from = 0; from < names.length;) {
    const first = ordinalAt(names, from);
    let to = Math.min(names.length, from + namesPerHandle);
    // Those of one message are not parted.
    while (to < names.length && ordinalAt(names, to) === ordinalAt(names, to - 1)) to += 1;
    const last = ordinalAt(names, to - 1);
    const handle = last >= 0 && tag !== null ? handleOf(Math.max(0, first), last, tag) : "";
    text += `\n${handle}`;
    rest += `\n${handle}`;
    for (let at = from; at < to; at += 1) {
      const { name, cost } = names[at] as KnownName;
      const word = at === from && handle === "" ? name : ` ${name}`;
      text += word;
      if (at > from && at < to - 1 && isWord(names, at)) tokens += cost;
      else rest += word;
    }
    from = to;
  }
  return { text, words: { tokens, rest } };
}

/** What stands in quotes may begin or end with a blank, which belongs to the space beside it. */
const edge = /^[\s\u0085]|[\s\u0085]$/u;

/** True where a name and those beside it begin and end with a sign: then it costs what it costs alone. */
function isWord(names: readonly KnownName[], at: number): boolean {
  for (let near = at - 1; near <= at + 1; near += 1) if (names[near]?.isWord !== true) return false;
  return true;
}

function ordinalAt(names: readonly KnownName[], index: number): number {
  return names[index]?.ordinal ?? 0;
}

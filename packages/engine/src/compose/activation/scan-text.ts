import type { KeyFound } from "../../model/ledger.ts";
import type { Activation, ActivationSettings } from "./activation.ts";
import type { CompiledEntry, CompiledKey, CompiledKeys } from "./compile-keys.ts";
import { isIn } from "./find-patterns.ts";
import { readKey } from "./keys.ts";

/** The chat as a scan reads it: nothing is looked up before it is needed. */
export interface ScanChat {
  /** How many messages there are, those that a compaction took out included. */
  readonly length: number;
  /** How many of them are the user's. */
  userMessages(): number;
  /** By distance from the newest; nothing where the chat cannot be read any further. */
  newest(index: number): ScanMessage | undefined;
}

interface ScanMessage {
  readonly id: string;
  /** The same object for as long as the message stays what it is. */
  readonly identity: object;
  readonly role: string;
  readonly name: string | undefined;
  readonly text: string;
}

/** A text that is read besides the messages. */
interface Extra {
  readonly text: string;
  readonly found: KeyFound;
}

/** Nothing is read further back than this. */
const deepest = 1000;
const nowhere = 0xff_ff;
/** All that one scan reads; what is older is not read. */
const maxCharacters = 4_000_000;
const joiner = "\n\u0001";

export interface ScanTexts {
  /** Where a key of an entry stands in what is read for it. */
  find(entry: CompiledEntry, key: CompiledKey, round: ScanRound, isRaw?: boolean): KeyFound | undefined;
  /** Takes the texts of entries that came in one round, and returns the patterns that no entry had said before. */
  addRecursion(texts: readonly { readonly id: string; readonly text: string }[]): readonly number[];
}

export interface ScanRound {
  /** How many messages further back than usual. */
  readonly skew: number;
  /** Whether the texts of entries are read. */
  readonly readsEntries: boolean;
}

interface ScanTextsInput {
  readonly compiled: CompiledKeys;
  readonly settings: ActivationSettings;
  readonly chat: ScanChat;
  /** Read in every scan: notes, and the prompt of a quiet reply. */
  readonly reads: readonly string[];
  /** The value of a variable that entries read. */
  readonly source: (name: string) => string;
  /** Fills the macros of a key. */
  readonly fillKey: (text: string) => string;
}

export function openScanTexts(input: ScanTextsInput): ScanTexts {
  const { compiled, settings, reads, source, fillKey } = input;
  const { messages, first, readTo } = openMessages(input);
  const always = reads.map((text): Extra => ({ text, found: { in: "anything" } }));
  const said = openEntryTexts(compiled);
  const buffers = new Map<string, string>();

  const hitsOf = rememberHits(compiled);

  const extrasOf = ({ sources = [] }: Activation): readonly Extra[] => [
    ...sources.map((name): Extra => ({ text: source(name), found: { in: "source", name } })),
    ...always,
  ];

  const bufferOf = ({ sources = [] }: Activation, depth: number, { readsEntries }: ScanRound): string => {
    const name = JSON.stringify([depth, sources, readsEntries && said.joined.length]);
    let buffer = buffers.get(name);
    if (buffer === undefined) {
      const texts = messages.slice(0, depth).map(({ text }) => text);
      const others = [...sources.map(source), ...always.map(({ text }) => text)];
      const entries = readsEntries ? said.joined : [];
      buffers.set(name, (buffer = `\u0001${[...texts, ...others, ...entries].join(joiner)}`));
    }
    return buffer;
  };

  return {
    find({ candidate: { activation }, options }, own, round, isRaw = false) {
      const key = own.hasMacros && !isRaw ? readKey(fillKey(own.source), options) : own.key;
      if (key.kind === "always") return { in: "anything" };
      if (key.kind === "never" || key.kind === "refused") return undefined;
      const depth = Math.min(activation.scanDepth ?? (settings.scanDepth ?? 2) + round.skew, deepest);
      if (depth <= 0) return key.kind === "regex" && key.test("") ? { in: "anything" } : undefined;
      readTo(depth);
      const inMessage = (test: (text: string) => boolean): KeyFound | undefined => {
        const at = messages.slice(0, depth).find(({ text }) => test(text));
        return at && { in: "message", id: at.message.id };
      };
      if (key.kind === "regex") {
        if (!key.test(bufferOf(activation, depth, round))) return undefined;
        return inMessage((text) => key.test(`\u0001${text}`)) ?? { in: "anything" };
      }
      const inExtra = (test: (text: string) => boolean): KeyFound | undefined =>
        extrasOf(activation).find(({ text }) => test(text))?.found;
      if (own.pattern < 0) {
        const test = (text: string): boolean => isIn(text, key);
        const parts = round.readsEntries ? said.parts : [];
        return inMessage(test) ?? inExtra(test) ?? parts.find(({ text }) => test(text))?.found;
      }
      const at = first[own.pattern] as number;
      if (at < depth) return { in: "message", id: messages[at]?.message.id ?? "" };
      const inOther = inExtra((text) => hitsOf(text).has(own.pattern));
      return inOther ?? (round.readsEntries ? said.first.get(own.pattern) : undefined);
    },
    addRecursion: said.add,
  };
}

/** What entries have said, round by round. */
function openEntryTexts(compiled: CompiledKeys): {
  readonly joined: readonly string[];
  readonly parts: readonly Extra[];
  /** By pattern, the first text that holds it: many entries may have come, and each key is looked for. */
  readonly first: ReadonlyMap<number, KeyFound>;
  readonly add: ScanTexts["addRecursion"];
} {
  const joined: string[] = [];
  const parts: Extra[] = [];
  const first = new Map<number, KeyFound>();
  return {
    joined,
    parts,
    first,
    add(texts) {
      const news: number[] = [];
      for (const { id, text } of texts) {
        const found: KeyFound = { in: "entry", id };
        parts.push({ text, found });
        for (const pattern of compiled.hitsOf(text)) {
          if (first.has(pattern)) continue;
          first.set(pattern, found);
          news.push(pattern);
        }
      }
      joined.push(texts.map(({ text }) => text).join("\n"));
      return news;
    },
  };
}

/** Looks each text through once. */
function rememberHits(compiled: CompiledKeys): (text: string) => ReadonlySet<number> {
  const known = new Map<string, ReadonlySet<number>>();
  return (text) => {
    let hits = known.get(text);
    if (!hits) known.set(text, (hits = new Set(compiled.hitsOf(text))));
    return hits;
  };
}

interface ScannedMessages {
  /** Newest first, as far as they were read. */
  readonly messages: readonly { readonly message: ScanMessage; readonly text: string }[];
  /** By pattern, the newest message that holds it; beyond all of them where none does. */
  readonly first: Uint16Array;
  readonly readTo: (depth: number) => void;
}

function openMessages({ compiled, settings, chat }: ScanTextsInput): ScannedMessages {
  const messages: { readonly message: ScanMessage; readonly text: string }[] = [];
  const first = new Uint16Array(compiled.patterns).fill(nowhere);
  let characters = 0;
  return {
    messages,
    first,
    readTo(depth) {
      while (messages.length < depth && characters < maxCharacters) {
        const message = chat.newest(messages.length);
        if (!message) return;
        const name = (settings.readsNames ?? true) && message.name ? `${message.name}: ` : "";
        const text = `${name}${message.text}`.trim();
        const known = compiled.hitsByMessage.get(message.identity);
        const hits = known?.name === name ? known.hits : compiled.hitsOf(text);
        compiled.hitsByMessage.set(message.identity, { name, hits });
        const at = messages.length;
        for (const pattern of hits) if (first[pattern] === nowhere) first[pattern] = at;
        messages.push({ message, text });
        characters += text.length;
      }
    },
  };
}

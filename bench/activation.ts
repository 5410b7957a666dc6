import { compileKeys } from "../packages/engine/src/compose/activation/compile-keys.ts";
import type { BenchReport, Claim } from "./claim.ts";
import { inMs } from "./measure.ts";
import { freshText, numbers } from "./token-texts.ts";

const messageCount = 1000;
const keyCount = 10_000;
/** How many messages are timed together. Few, so that other work of the machine disturbs some rounds and not all. */
const piece = 25;

/** Which texts are read, and what their keys are made of. */
interface Script {
  readonly texts: readonly string[];
  /** Something that stands in the texts. */
  readonly words: readonly string[];
  /** What stands between two words. */
  readonly between: string;
  /** Something that nearly never stands there. */
  readonly name: (pick: () => string) => string;
}

export async function activationReport(): Promise<BenchReport> {
  const scripts = { English: latin(), Chinese: han() };
  return {
    notes: [
      `${messageCount.toLocaleString("en")} messages of 550 characters, ${keyCount.toLocaleString("en")} keys: invented names, a fifth of them of two words; and one in fifty, or one in three, that stands in the texts. English: words of four letters and more. Chinese: words of two or three characters, of about 3,000 different ones, and no blanks. Keys are compiled once for a preset, which is not in the figures.`,
      `Peer: \`indexOf\` of one key over all messages, both in lower case, on the average of 100 of the keys. Both sides are timed in pieces of ${piece} messages, and of each piece the least of 40 rounds counts.`,
    ],
    claims: Object.entries(scripts).flatMap(([script, own]) => [50, 3].map((every) => claimFor(script, own, every))),
  };
}

function claimFor(script: string, own: Script, every: number): Claim {
  // Each a string of its own, as a store gives them, not a slice of a longer one.
  const texts = own.texts.map((text): string => JSON.parse(JSON.stringify(text)));
  const keys = keysFor(own, every);
  const lower = texts.map((text) => text.toLowerCase());
  const sample = keys.filter((_, index) => index % (keyCount / 100) === 0).map((key) => key.toLowerCase());
  let found = 0;
  const passes = sample.map((key) =>
    leastOf(lower, 10, (text) => {
      for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + 1)) found += 1;
    }),
  );
  const peer = passes.reduce((sum, time) => sum + time, 0) / passes.length;
  const candidates = keys.map((key, index) => ({ id: `entry ${index}`, activation: { keys: [key] }, content: "" }));
  const compiled = compileKeys(candidates, {});
  const time = leastOf(texts, 40, (text) => {
    found += compiled.hitsOf(text).length;
  });
  const claim = `first scan for 10,000 keys, one in ${every} in the texts: ${script}`;
  return { claim, against: "indexOf of one key", peer: inMs(peer), own: inMs(time), ratio: time / peer, limit: 20 };
}

/** Of each piece of the texts the least time, all pieces together. */
function leastOf(texts: readonly string[], rounds: number, work: (text: string) => void): number {
  const least: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (let from = 0; from < texts.length; from += piece) {
      const start = performance.now();
      for (let at = from; at < from + piece; at += 1) work(texts[at] as string);
      least[from] = Math.min(least[from] ?? Infinity, performance.now() - start);
    }
  }
  return least.reduce((sum, time) => sum + time, 0);
}

/** Keys of which one in `every` stands in the texts; the others are names, a fifth of them behind such a word. */
function keysFor({ words, name, between }: Script, every: number): string[] {
  const random = numbers(11);
  const pick = (): string => words[Math.floor(random() * words.length)] as string;
  const keys = new Set<string>();
  for (let made = 0; keys.size < keyCount; made += 1) {
    if (made % every === 0) keys.add(pick());
    else keys.add(made % 5 === 1 ? pick() + between + name(pick) : name(pick));
  }
  return [...keys];
}

function latin(): Script {
  const prose = Array.from({ length: 12 }, (_, round) => freshText("English", round)).join("\n");
  const texts = Array.from({ length: messageCount }, (_, index) => prose.slice(index * 600, index * 600 + 550));
  const words = [...new Set(texts.join(" ").match(/[a-z]{4,}/gi))];
  return { texts, words, between: " ", name: (pick) => pick().slice(0, 3) + pick().slice(2, 5) + pick().slice(-3) };
}

function han(): Script {
  const random = numbers(7);
  // A few of the words are most of a text, as in any language; there are 6,000, of about 3,000 different characters.
  const letter = (): string => String.fromCharCode(0x4e_00 + Math.floor(random() ** 1.5 * 3000));
  const words = Array.from({ length: 6000 }, (_, index) => letter() + letter() + (index % 4 === 0 ? letter() : ""));
  const word = (): string => words[Math.floor(random() ** 3 * words.length)] as string;
  const texts = Array.from({ length: messageCount }, () => {
    const all = Array.from({ length: 275 }, (_, index) => word() + (index % 9 === 8 ? "，" : ""));
    return all.join("").slice(0, 550);
  });
  return { texts, words, between: "", name: () => letter() + letter() + (random() < 0.5 ? letter() : "") };
}

import { compileKeys } from "../packages/engine/src/compose/activation/compile-keys.ts";
import type { BenchReport, Claim } from "./claim.ts";
import { inMs } from "./measure.ts";
import { freshText } from "./token-texts.ts";

const messageCount = 1000;
const keyCount = 10_000;
/** How many messages are timed together. Few, so that other work of the machine disturbs some rounds and not all. */
const piece = 25;

export async function activationReport(): Promise<BenchReport> {
  const prose = Array.from({ length: 12 }, (_, round) => freshText("English", round)).join("\n");
  const texts = Array.from({ length: messageCount }, (_, index) => prose.slice(index * 600, index * 600 + 550));
  return {
    notes: [
      `${messageCount.toLocaleString("en")} messages of 550 characters, ${keyCount.toLocaleString("en")} keys: invented names, a fifth of them of two words; and one in fifty, or one in three, that is a word of the texts. Keys are compiled once for a preset, which is not in the figures.`,
      `Peer: \`indexOf\` of one key over all messages, both in lower case, on the average of 100 of the keys. Both sides are timed in pieces of ${piece} messages, and of each piece the least of 40 rounds counts.`,
    ],
    claims: [
      claimFor("first scan for 10,000 keys, of which few occur", texts, keysFor(texts, 50), 20),
      claimFor("the same where a third of the keys are words of the texts", texts, keysFor(texts, 3)),
    ],
  };
}

function claimFor(claim: string, texts: readonly string[], keys: readonly string[], limit?: number): Claim {
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
  const own = leastOf(texts, 40, (text) => {
    found += compiled.hitsOf(text).length;
  });
  const against = "indexOf of one key";
  return { claim, against, peer: inMs(peer), own: inMs(own), ratio: own / peer, ...(limit !== undefined && { limit }) };
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

/** Keys of which one in `every` is a word of the texts; the others are made of pieces of such words. */
function keysFor(texts: readonly string[], every: number): string[] {
  const words = [...new Set(texts.join(" ").match(/[a-z]{4,}/gi))];
  let state = 11;
  const pick = (): string => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return words[Math.floor((state / 2 ** 32) * words.length)] as string;
  };
  const name = (): string => pick().slice(0, 3) + pick().slice(2, 5) + pick().slice(-3);
  const keys = new Set<string>();
  for (let made = 0; keys.size < keyCount; made += 1) {
    if (made % every === 0) keys.add(pick());
    else keys.add(made % 5 === 1 ? `${pick()} ${name()}` : name());
  }
  return [...keys];
}

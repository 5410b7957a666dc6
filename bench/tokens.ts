import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type MessageEntry, type Tokenizer, loadTokenizer, tokenAccount } from "@galley/engine";
import type { BenchReport, Claim } from "./claim.ts";
import { inMs, interleave, mean, median, processorTime } from "./measure.ts";
import { freshSession } from "./sessions.ts";
import { type Count, tokenLibraries } from "./token-libraries.ts";
import { type TextKind, freshText, textKinds } from "./token-texts.ts";

// OpenAI's rule for o200k_base, which every library without a splitter of its own runs first.
const splitRule = new RegExp(
  [
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?`,
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join("|"),
  "gu",
);

function splitAlone(text: string): number {
  return text.match(splitRule)?.length ?? 0;
}

export async function tokensReport(): Promise<BenchReport> {
  const tokenizer = await loadTokenizer("o200k_base");
  const libraries: Record<string, Count> = {};
  for (const [name, loadLibrary] of Object.entries(tokenLibraries)) libraries[name] = await loadLibrary();
  const claims: Claim[] = [];
  const rows: Record<string, string | number>[] = [];
  for (const kind of textKinds) {
    const times = await timesOf(kind, tokenizer, libraries);
    rows.push({ text: kind, ...Object.fromEntries(Object.entries(times).map(([name, time]) => [name, inMs(time)])) });
    claims.push(...claimsFor(kind, times));
  }
  claims.push(await rereadClaim(tokenizer), startClaim());
  claims.push(hostileClaim("10 MB of blanks", " ".repeat(10_000_000), tokenizer));
  claims.push(hostileClaim("10 MB of random letters", randomLetters(10_000_000), tokenizer));
  return {
    notes: [
      "Counting alone, o200k_base, texts of 60,000 characters that no round has had before, in processor time; every library's counts are checked against ours.",
      "Import and first count: fresh processes in turns, the median of each.",
    ],
    claims,
    tables: [{ title: "A text of 60,000 characters, mean", rows }],
  };
}

async function timesOf(
  kind: TextKind,
  tokenizer: Tokenizer,
  libraries: Readonly<Record<string, Count>>,
): Promise<Record<string, number>> {
  const count: Count = (text) => tokenizer.count(text);
  const probe = freshText(kind, 999_999);
  for (const [name, other] of Object.entries(libraries)) {
    if (other(probe) !== count(probe)) throw new Error(`${name} counts ${kind} differently.`);
  }
  const sides: Record<string, Count> = { Galley: count, "splitting alone": splitAlone, ...libraries };
  const times = await interleave(
    { rounds: 20, warmUp: 6, prepare: (round) => freshText(kind, round + 100), clock: processorTime },
    sides,
  );
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, mean(values)]));
}

function claimsFor(kind: TextKind, times: Readonly<Record<string, number>>): Claim[] {
  const { Galley: own = 0, "splitting alone": split = 0, ...libraries } = times;
  const [fastest = "", peer = 0] = Object.entries(libraries).sort(([, a], [, b]) => a - b)[0] ?? [];
  const claim = `counting ${kind}`;
  return [
    {
      claim,
      against: `${fastest}, the fastest library`,
      peer: inMs(peer),
      own: inMs(own),
      ratio: own / peer,
      limit: 0.5,
    },
    {
      claim,
      against: "splitting alone, by the rule as a regular expression",
      peer: inMs(split),
      own: inMs(own),
      ratio: own / split,
      limit: kind === "Chinese" ? 8 : 2,
    },
  ];
}

/** Messages that come back from disk: other objects with the same texts. */
async function rereadClaim(tokenizer: Tokenizer): Promise<Claim> {
  const text = JSON.stringify(freshSession(1000));
  const read = (): MessageEntry[] => JSON.parse(text) as MessageEntry[];
  const countAll = (by: Tokenizer, entries: readonly MessageEntry[]): number => {
    const account = tokenAccount(by);
    return entries.reduce((sum, { message }) => sum + account.countMessage(message), 0);
  };
  countAll(tokenizer, read());
  const times = await interleave(
    { rounds: 15, warmUp: 4, prepare: read },
    // A tokenizer object of its own has no memory of what was counted.
    { peer: (entries) => countAll({ ...tokenizer }, entries), own: (entries) => countAll(tokenizer, entries) },
  );
  const [peer, own] = [median(times.peer), median(times.own)];
  const claim = "1,000 messages that come back from disk";
  return { claim, against: "counting them again", peer: inMs(peer), own: inMs(own), ratio: own / peer, limit: 0.2 };
}

function startClaim(): Claim {
  const names = ["galley", ...Object.keys(tokenLibraries)];
  const times: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < 7; round += 1) for (const name of names) times[name]?.push(startTime(name));
  const { galley = [], ...libraries } = times;
  const own = median(galley);
  const [fastest = "", values = []] = Object.entries(libraries).sort(([, a], [, b]) => median(a) - median(b))[0] ?? [];
  const peer = median(values);
  return {
    claim: "import and first count, in a fresh process",
    against: `${fastest}, the fastest library`,
    peer: inMs(peer),
    own: inMs(own),
    ratio: own / peer,
    limit: 2,
  };
}

function startTime(name: string): number {
  const script = fileURLToPath(new URL("first-count.ts", import.meta.url));
  const { stdout } = spawnSync(process.execPath, [script, name], { encoding: "utf8" });
  return Number(stdout);
}

function hostileClaim(claim: string, text: string, tokenizer: Tokenizer): Claim {
  tokenizer.count(text.slice(0, 100_000));
  const start = processorTime();
  tokenizer.count(text);
  const own = processorTime() - start;
  return { claim, against: "two seconds", peer: inMs(2000), own: inMs(own), ratio: own / 2000, limit: 1 };
}

function randomLetters(length: number): string {
  let state = 1;
  const letters = new Uint8Array(length);
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    letters[index] = 97 + Math.floor((state / 2 ** 32) * 26);
  }
  return Buffer.from(letters).toString("latin1");
}

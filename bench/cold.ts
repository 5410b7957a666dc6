import {
  type ContextBuildResult,
  ContextManager,
  type MessageEntry,
  type ModelMessage,
  type Tokenizer,
  digestOf,
  loadTokenizer,
} from "@galley/engine";
import type { MessagePart } from "@galley/engine/messages";
import { sha256 } from "../packages/host/src/disk/sha256.ts";
import type { BenchReport, Claim } from "./claim.ts";
import { inMs, interleave, median, medianRatio } from "./measure.ts";
import { tokenLibraries } from "./token-libraries.ts";
import { type Counter, corpus, freshSession, systemPrompt, tokenise, toolSpecs } from "./sessions.ts";

const length = 10_000;

export async function coldReport(): Promise<BenchReport> {
  const tokenizer = await loadTokenizer("o200k_base");
  const results = [await coldClaims(32_000, tokenizer), await coldClaims(200_000, tokenizer)];
  return {
    claims: results.flatMap(([claims]) => claims),
    notes: [
      `Source: ${corpus.source}, ${length} messages, message objects new in every round. First build with a new ContextManager: checks, counts, cut, ledger, digest; the hash is the platform's, as the host has it.`,
      "Ratios are medians over the rounds, each side beside the other of the same round.",
      "Peer: tokenising the messages of the finished window (a call's arguments as JSON), and nothing else; with our own tokenizer, and with the fastest public library that counts the same.",
      ...results.map(([, note]) => note),
    ],
  };
}

/** What has to be seen of every message: that it is one, and how long it is, since the ledger says about how much is left out. */
function visit(session: readonly MessageEntry[]): number {
  let length = 0;
  for (const { type, message } of session) {
    if (type !== "message") continue;
    if (typeof message.content === "string") length += message.content.length;
    else for (const part of message.content) length += lengthOf(part);
  }
  return length;
}

function lengthOf(part: MessagePart): number {
  if (part.type === "text") return part.text.length;
  return part.type === "tool-result" && part.output.type === "text" ? part.output.value.length : 0;
}

type Build = (session: readonly MessageEntry[]) => Promise<ContextBuildResult>;

/** A first build with its digest, by the platform's hash or by the engine's own. */
function builder(maxInputTokens: number, tokenizer: Tokenizer, hashing: { readonly sha256?: typeof sha256 }): Build {
  return async (sessionEntries) => {
    // A tokenizer object of its own has no memory of texts that a round before has counted.
    const init = { config: { maxInputTokens }, tokenizer: { ...tokenizer }, systemPrompt, ...hashing };
    const result = await new ContextManager(init).buildContext({ sessionEntries, toolSpecs });
    digestOf(result.build, hashing);
    return result;
  };
}

// All sides tokenise and only one fits: it needs so many rounds until its code is compiled as the tokenizer's is.
const rounds = { rounds: 101, warmUp: 100, prepare: () => freshSession(length) };

async function coldClaims(maxInputTokens: number, tokenizer: Tokenizer): Promise<[readonly Claim[], string]> {
  const build = builder(maxInputTokens, tokenizer, { sha256 });
  const { modelMessages, stats, build: first } = await build(freshSession(length));
  const tokeniseAll = (): number => tokenise(modelMessages, tokenizer);
  const hashAll = (): string[] => modelMessages.map((message) => sha256(JSON.stringify(message)));
  const times = await interleave(rounds, {
    peer: tokeniseAll,
    floor: (session) => [visit(session), hashAll(), tokeniseAll()],
    own: build,
  });
  const library = await fastestLibrary(modelMessages);
  const others = await interleave(rounds, { peer: () => tokenise(modelMessages, library), own: build });
  const slower = await interleave(rounds, { peer: tokeniseAll, own: builder(maxInputTokens, tokenizer, {}) });
  const [peer, floor, own] = [median(times.peer), median(times.floor), median(times.own)];
  const claim: Claim = {
    claim: `first build of ${length} messages into ${maxInputTokens / 1000}k`,
    against: "tokenising what is in the window, with our tokenizer",
    peer: inMs(peer),
    own: inMs(own),
    ratio: medianRatio(times.own, times.peer),
    limit: 1.5,
    gap: `what no build can do without (the lengths of all messages once, JSON and SHA-256 of what is sent, and the tokenising) is ${medianRatio(times.floor, times.peer).toFixed(2)} × the tokenising already; everything else, with the ledger and the cut, is ${medianRatio(times.own, times.floor).toFixed(2)} × that.`,
  };
  const masked = first.ledger.filter(({ fate }) => fate === "masked").length;
  const note = [
    `${maxInputTokens / 1000}k: ${modelMessages.length} messages (${masked} masked) and ${stats.inputTokens} tokens in the window.`,
    `Adding up all messages' lengths once, writing those of the window as JSON, hashing and tokenising them, and nothing else: ${inMs(floor)}, ${medianRatio(times.floor, times.peer).toFixed(2)} × the tokenising alone; Galley takes ${medianRatio(times.own, times.floor).toFixed(2)} × that.`,
    `With the engine's own SHA-256 instead of the platform's: ${medianRatio(slower.own, slower.peer).toFixed(2)} × the tokenising.`,
  ];
  const beside: Claim = {
    claim: claim.claim,
    against: `tokenising what is in the window, with ${library.name}`,
    peer: inMs(median(others.peer)),
    own: inMs(median(others.own)),
    ratio: medianRatio(others.own, others.peer),
    limit: 1.5,
  };
  return [[claim, beside], note.join(" ")];
}

/** Of the libraries that count exactly, the one that is done first with these texts when it is warm. */
async function fastestLibrary(messages: readonly ModelMessage[]): Promise<Counter & { readonly name: string }> {
  const libraries: Record<string, Counter> = {};
  const sides: Record<string, () => number> = {};
  for (const [name, loadLibrary] of Object.entries(tokenLibraries)) {
    const library = { count: await loadLibrary() };
    libraries[name] = library;
    sides[name] = () => tokenise(messages, library);
  }
  const times = await interleave({ rounds: 5, warmUp: 3, prepare: () => undefined }, sides);
  const [name = ""] = Object.keys(sides).toSorted((a, b) => median(times[a] ?? []) - median(times[b] ?? []));
  return { name, count: libraries[name]?.count ?? (() => 0) };
}

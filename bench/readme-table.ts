import { type BenchReport, type Claim, isKept, isPromised } from "./claim.ts";
import { markdownTable } from "./markdown-table.ts";
import { replaceMarked } from "../scripts/marked-part.ts";

export type Reports = Readonly<Record<string, BenchReport>>;

const marks = { begin: "<!-- numbers: written by `npm run bench` -->", end: "<!-- /numbers -->" } as const;

/** Without one of these there are no numbers for it. */
export const suitesOfReadme = ["tokens", "peers", "turn", "cold", "cache", "chat-append"];

/** The README with these reports' figures in the place of those that it has. */
export function withNumbers(page: string, reports: Reports): string {
  return replaceMarked(page, marks, numbers(reports));
}

function numbers(reports: Reports): string {
  const promised = Object.values(reports).flatMap(({ claims }) => claims.filter(isPromised));
  const said = `From \`npm run bench\` on a small machine; [bench/RESULTS.md](bench/RESULTS.md) has everything. ${promised.filter(isKept).length} of its ${promised.length} promises are kept.`;
  const rows = [turn, longSession, refused, cached, counting, durable, firstBuild].map((row) => row(reports));
  return `${said}\n\n${markdownTable(["", "Galley", "beside it"], rows)}`;
}

type Row = readonly [what: string, own: string, beside: string];

function turn(reports: Reports): Row {
  const against = (name: string): Claim => claimOf(reports, "peers", "a turn at 1000 messages", name);
  const peers = [
    ["LangChain `trimMessages`", "LangChain trimMessages, memoised"],
    ["Mastra", "Mastra TokenLimiter, our"],
    ["prompt-tsx", "prompt-tsx"],
    ["LlamaIndex", "LlamaIndex"],
  ] as const;
  return [
    "a turn of an agent session, 1,000 messages into 32k, counted exactly",
    rounded(against(peers[0][1]).own),
    peers.map(([name, start]) => `${name} ${rounded(against(start).peer)}`).join(", "),
  ];
}

function longSession(reports: Reports): Row {
  const { ratio } = claimOf(reports, "turn", "a turn at 32k with 100,000", "");
  return ["the same in a session of 100,000 messages", `${ratio.toFixed(2)} ×`, "that of 1,000"];
}

function refused(reports: Reports): Row {
  const rows = reports["peers"]?.tables?.[0]?.rows ?? [];
  const of = (start: string): string => {
    const row = rows.find((one) => String(one["fitted by"]).startsWith(start)) ?? missing(start);
    const max = Math.max(
      Number.parseInt(String(row["refused by OpenAI Chat"]), 10),
      Number.parseInt(String(row["refused by Anthropic"]), 10),
    );
    return `${max} / ${row["over the budget"]}`;
  };
  const peers = {
    LangChain: "LangChain trimMessages, startOn",
    Mastra: "Mastra TokenLimiter, our",
    "prompt-tsx": "prompt-tsx",
    LlamaIndex: "LlamaIndex",
  };
  return [
    "150 inputs fitted into 8k: refused by a provider / over the budget",
    of("Galley"),
    Object.entries(peers)
      .map(([name, start]) => `${name} ${of(start)}`)
      .join(", "),
  ];
}

function cached(reports: Reports): Row {
  const { own, peer } = claimOf(reports, "cache", "cached share where the session is several times 32k", "");
  const [window = "", trimmed = ""] = peer.split(" / ").map(inWholePercent);
  return [
    "share of the input that a provider has in its cache, session several times 32k",
    inWholePercent(own),
    `LangChain ${trimmed}, a sliding window ${window}`,
  ];
}

function counting(reports: Reports): Row {
  const texts = ["English", "Chinese", "TypeScript", "JSON"];
  const ratios = texts.map((text) => claimOf(reports, "tokens", `counting ${text}`, "", "fastest library").ratio);
  return [
    `counting tokens: ${texts.join(", ")}`,
    ratios.map((ratio) => ratio.toFixed(2)).join(", "),
    "× the fastest other library",
  ];
}

function durable(reports: Reports): Row {
  const { own, peer } = claimOf(reports, "chat-append", "a durable message", "two writes and two fsyncs, nothing else");
  return ["a chat message that survives `kill -9`", rounded(own), `two writes and two fsyncs: ${rounded(peer)}`];
}

function firstBuild(reports: Reports): Row {
  const first = "first build of 10000 messages into 32k";
  const ours = claimOf(reports, "cold", first, "tokenising", "our tokenizer");
  const theirs = reports["cold"]?.claims.find((claim) => claim.claim === first && claim !== ours) ?? missing(first);
  return [
    "first build of 10,000 messages into 32k, ledger and digest included",
    rounded(ours.own),
    `tokenising the window alone: ${rounded(ours.peer)} with our tokenizer, ${rounded(theirs.peer)} with the fastest other`,
  ];
}

function claimOf(reports: Reports, suite: string, start: string, against: string, within = ""): Claim {
  return (
    reports[suite]?.claims.find(
      (claim) => claim.claim.startsWith(start) && claim.against.startsWith(against) && claim.against.includes(within),
    ) ?? missing(`${suite}: ${start}`)
  );
}

function missing(what: string): never {
  throw new Error(`The results have no figure for the README: ${what}. Run npm run bench.`);
}

/** Two digits are as much as a reader needs. */
function rounded(time: string): string {
  return `${Number(Number.parseFloat(time).toPrecision(2))} ms`;
}

function inWholePercent(share: string): string {
  return `${Math.round(Number.parseFloat(share))} %`;
}

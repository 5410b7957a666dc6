import { type BenchReport, type Claim, isKept, isPromised } from "./claim.ts";
import { markdownTable } from "./markdown-table.ts";
import { replaceMarked } from "../scripts/marked-part.ts";

export type Reports = Readonly<Record<string, BenchReport>>;

const marks = { begin: "<!-- numbers: written by `npm run bench` -->", end: "<!-- /numbers -->" } as const;

/** Without one of these there are no numbers for it. */
export const suitesOfReadme = ["tokens", "peers", "turn", "cold", "cache", "chat-append", "warm"];

/** A README with these reports' figures in the place of those that it has. */
export function withNumbers(page: string, reports: Reports, words: ReadmeWords = english): string {
  return replaceMarked(page, marks, numbers(reports, words));
}

/** What the figures stand for, in the language of the page; figures themselves are the same in both. */
export interface ReadmeWords {
  readonly columns: readonly [string, string, string];
  said(kept: number, promised: number): string;
  /** In the order of the rows. */
  readonly rows: readonly string[];
  /** What stands beside the figures of the peers, by its English text. */
  readonly beside: Readonly<Record<string, string>>;
}

const english: ReadmeWords = {
  columns: ["", "Galley", "beside it"],
  said: (kept, promised) =>
    `From \`npm run bench\` on a small Linux machine; [bench/RESULTS.md](bench/RESULTS.md) has everything. ${kept} of its ${promised} targets are met. Rows marked *engine alone* measure \`@galley/engine\` without disk, store and network.`,
  rows: [
    "a turn of an agent session, 1,000 messages into 32k, counted exactly (*engine alone*)",
    "the same in a session of 100,000 messages (*engine alone*)",
    "150 inputs fitted into 8k: refused by a provider / over the budget (*engine alone*)",
    "share of the input that a provider has in its cache, session several times 32k (*engine alone*)",
    "counting tokens: English, Chinese, TypeScript, JSON (*engine alone*)",
    "a chat message that survives `kill -9`",
    "the next turn of a chat of 100,000 messages at 900k: `turn` and `commit`, disk and store included, processor time",
    "first build of 10,000 messages into 32k, with summary, ledger and digest (*engine alone*)",
  ],
  beside: {},
};

/** The words of README.zh-CN.md. */
export const chinese: ReadmeWords = {
  columns: ["", "Galley", "旁边是"],
  said: (kept, promised) =>
    `来自小型 Linux 机器上的一次 \`npm run bench\`；全部数字在 [bench/RESULTS.md](bench/RESULTS.md)。${promised} 项承诺中做到了 ${kept} 项。标有*仅引擎*的行只测 \`@galley/engine\`，不含磁盘、存储与网络。`,
  rows: [
    "智能体会话的一轮，1,000 条消息放进 32k，精确计数（*仅引擎*）",
    "会话有 100,000 条消息时（*仅引擎*）",
    "150 个输入放进 8k：被提供商拒绝 / 超出预算（*仅引擎*）",
    "会话是 32k 的数倍时，输入中已在提供商缓存里的比例（*仅引擎*）",
    "数 token：英文、中文、TypeScript、JSON（*仅引擎*）",
    "一条经得起 `kill -9` 的聊天消息",
    "100,000 条消息的聊天在 900k 预算下的下一轮：`turn` 与 `commit`，含磁盘与存储，处理器时间",
    "10,000 条消息第一次构建到 32k，含摘要、账本与哈希值（*仅引擎*）",
  ],
  beside: {
    "that of 1,000": "1,000 条时的",
    "a sliding window": "滑动窗口",
    "× the fastest other library": "× 其他库中最快的",
    "two writes and two fsyncs:": "两次写入加两次 fsync：",
    "parsing it and counting its texts:": "解析会话并数完其文本：",
    "counting, writing and syncing it alone:": "单是计数、写入并同步：",
  },
};

function numbers(reports: Reports, words: ReadmeWords): string {
  const promised = Object.values(reports).flatMap(({ claims }) => claims.filter(isPromised));
  const figures = [turn, longSession, refused, cached, counting, durable, nextTurn, firstBuild].map((row) =>
    row(reports),
  );
  const rows = figures.map(([own, beside], index) => [words.rows[index] ?? "", own, inWords(beside, words)]);
  const said = words.said(promised.filter(isKept).length, promised.length);
  return `${said}\n\n${markdownTable(words.columns, rows)}`;
}

function inWords(text: string, { beside }: ReadmeWords): string {
  return Object.entries(beside).reduce((said, [from, to]) => said.replaceAll(from, to), text);
}

type Row = readonly [own: string, beside: string];

function turn(reports: Reports): Row {
  const against = (name: string): Claim => claimOf(reports, "peers", "a turn at 1000 messages", name);
  const peers = [
    ["LangChain `trimMessages`", "LangChain trimMessages, memoised"],
    ["Mastra", "Mastra TokenLimiter, our"],
    ["prompt-tsx", "prompt-tsx"],
    ["LlamaIndex", "LlamaIndex"],
  ] as const;
  return [
    rounded(against(peers[0][1]).own),
    peers.map(([name, start]) => `${name} ${rounded(against(start).peer)}`).join(", "),
  ];
}

function longSession(reports: Reports): Row {
  const { ratio } = claimOf(reports, "turn", "a turn at 32k with 100,000", "");
  return [`${ratio.toFixed(2)} ×`, "that of 1,000"];
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
    of("Galley"),
    Object.entries(peers)
      .map(([name, start]) => `${name} ${of(start)}`)
      .join(", "),
  ];
}

function cached(reports: Reports): Row {
  const { own, peer } = claimOf(reports, "cache", "cached share where the session is several times 32k", "");
  const [window = "", trimmed = ""] = peer.split(" / ").map(inWholePercent);
  return [inWholePercent(own), `LangChain ${trimmed}, a sliding window ${window}`];
}

function counting(reports: Reports): Row {
  const texts = ["English", "Chinese", "TypeScript", "JSON"];
  const ratios = texts.map((text) => claimOf(reports, "tokens", `counting ${text}`, "", "fastest library").ratio);
  return [ratios.map((ratio) => ratio.toFixed(2)).join(", "), "× the fastest other library"];
}

function durable(reports: Reports): Row {
  const { own, peer } = claimOf(reports, "chat-append", "a durable message", "two writes and two fsyncs, nothing else");
  return [rounded(own), `two writes and two fsyncs: ${rounded(peer)}`];
}

function nextTurn(reports: Reports): Row {
  const { own, peer } = claimOf(reports, "warm", "a warm turn of a chat of 100000 messages at 900k", "counting");
  return [rounded(own), `counting, writing and syncing it alone: ${rounded(peer)}`];
}

function firstBuild(reports: Reports): Row {
  const { own, peer } = claimOf(reports, "cold", "first build of 10000 messages into 32k, with a summary", "parsing");
  return [rounded(own), `parsing it and counting its texts: ${rounded(peer)}`];
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

import type { BenchReport } from "./claim.ts";

export interface Suite {
  readonly title: string;
  /** Loaded when it runs: a suite that needs no corpus must not find it on its heap. */
  readonly run: () => Promise<BenchReport>;
  readonly needsPeers?: boolean;
  /** Only by name: not part of a whole run. */
  readonly isOnRequest?: boolean;
}

/** In the order of the page that they make together. */
export const suites: Readonly<Record<string, Suite>> = {
  tokens: {
    title: "Tokens: counting exactly, beside the libraries",
    run: async () => (await import("./tokens.ts")).tokensReport(),
    needsPeers: true,
  },
  estimates: {
    title: "Tokens: estimates, beside the families' own vocabularies (half a gigabyte to fetch)",
    run: async () => (await import("./estimates.ts")).estimatesReport(),
    isOnRequest: true,
  },
  compose: {
    title: "Compose: a preset over a long history",
    run: async () => (await import("./compose.ts")).composeReport(),
  },
  activation: {
    title: "Activation: the keys of lorebooks in a chat",
    run: async () => (await import("./activation.ts")).activationReport(),
  },
  peers: {
    title: "Fit: a turn into a budget, and what providers would refuse, beside peers",
    run: async () => (await import("./peers.ts")).peersReport(),
    needsPeers: true,
  },
  plugs: {
    title: "Plugs: an agent's loop in a framework, beside what the frameworks bring",
    run: async () => (await import("./plugs.ts")).plugsReport(),
    needsPeers: true,
  },
  turn: {
    title: "Turn: two new messages, beside tokenising them",
    run: async () => (await import("./turn.ts")).turnReport(),
  },
  warm: {
    title: "Warm turn: the next turn of a chat or session, on the path that people run",
    run: async () => (await import("./warm.ts")).warmReport(),
  },
  "warm-costs": {
    title: "Warm turn: what must not make it dear, what it writes and what it keeps",
    run: async () => (await import("./warm-costs.ts")).warmCostsReport(),
  },
  cold: {
    title: "Cold start: the first build of a long session",
    run: async () => (await import("./cold.ts")).coldReport(),
  },
  heap: {
    title: "Heap: a thousand builds in a loop",
    run: async () => (await import("./heap.ts")).heapReport(),
  },
  cache: {
    title: "Cache share: how much of an input a provider has read before",
    run: async () => (await import("./cache.ts")).cacheReport(),
    needsPeers: true,
  },
  retention: {
    title: "Retention: how much of what replies repeat is in the input of their call",
    run: async () => (await import("./retention.ts")).retentionReport(),
    needsPeers: true,
  },
  "chat-append": {
    title: "Chat, append: durable messages",
    run: async () => (await import("./chat-append.ts")).chatAppendReport(),
  },
  "chat-window": {
    title: "Chat, tail: the window of a context of 1 GB",
    run: async () => (await import("./chat-window.ts")).chatWindowReport(),
  },
  search: {
    title: "Chat, search: 10,000 archives",
    run: async () => (await import("./search.ts")).searchReport(),
  },
  inject: {
    title: "Prepare: what a session is given",
    run: async () => (await import("./inject.ts")).injectReport(),
  },
  box: {
    title: "Box: reading and writing cards",
    run: async () => (await import("./box.ts")).boxReport(),
  },
  pack: {
    title: "Pack: handing a context over",
    run: async () => (await import("./pack.ts")).packReport(),
  },
  daemon: {
    title: "Daemon: 200 chats, 20 turns each, 16 at a time",
    run: async () => (await import("./daemon.ts")).daemonReport(),
  },
  start: {
    title: "Start: the command and the imports, beside Node alone",
    run: async () => (await import("./start.ts")).startReport(),
  },
  scale: {
    title: "Scale: what one store carries",
    run: async () => (await import("./scale.ts")).scaleReport(),
  },
  logs: {
    title: "Logs: large ones of agents, and lists of many",
    run: async () => (await import("./logs.ts")).logsReport(),
  },
  attach: {
    title: "Attached agents: the hook after a compaction",
    run: async () => (await import("./attach.ts")).attachReport(),
  },
  judged: {
    title: "Judged by tests: official SDKs, SillyTavern, Studio",
    run: async () => (await import("./judged.ts")).judgedReport(),
  },
  growth: {
    title: "Growth: what more messages cost",
    run: async () => (await import("./growth.ts")).growthReport(),
  },
};

import { expect, test } from "vitest";
import type { CompactionEntry, SessionEntry } from "../model/entries.ts";
import type { ModelMessage } from "../model/messages.ts";
import { namesIn, saidIn } from "../model/names.ts";
import { build } from "./build.ts";
import { extractiveCompactor } from "./compactor/extractive-compactor.ts";
import { ContextManager } from "./context-manager.ts";
import { pathMessages } from "./log/path-messages.ts";
import frozen from "./testing/notes-without-handles.json" with { type: "json" };
import { call, result, say, user } from "./testing/fit-builder.ts";
import { quarter, quarterAccount } from "./testing/sessions.ts";
import { tokenAccount } from "../tokens/account.ts";
import { loadTokenizer } from "../tokens/counters/load-tokenizer.ts";

const written = { id: "written", compact: async () => "They mended the boat." };
const managerOf = (maxInputTokens: number, compactor = extractiveCompactor()): ContextManager =>
  new ContextManager({ config: { maxInputTokens }, tokenizer: quarter, compactor });
const lastCut = (log: readonly SessionEntry[]): CompactionEntry =>
  log.findLast((entry) => entry.type === "compaction") as CompactionEntry;

/** A long piece of work, message by message; what each build decides is kept. */
async function work(manager: ContextManager, messages: readonly ModelMessage[]): Promise<SessionEntry[]> {
  const log: SessionEntry[] = [];
  for (const [at, message] of messages.entries()) {
    log.push({ id: `m${at + 1}`, ts: at, type: "message", message });
    const { stats, entriesToAppend } = await manager.buildContext({ sessionEntries: log });
    expect(stats.inputTokens).toBeLessThanOrEqual(manager.config.maxInputTokens);
    log.push(...entriesToAppend);
  }
  return log;
}

const filler = "nothing to be said about it but this ".repeat(6);
const day = (at: number): ModelMessage[] => [
  user(`Look at src/deck/plank-${at}.ts. ${filler}`),
  call(`c${at}`),
  result(`c${at}`, `export const beam_${at} = 1; ${filler}`),
  say(`It has beam_${at}. ${filler}`),
];
const days = Array.from({ length: 20 }, (_, at) => day(at)).flat();

test("[R3] the summary is followed by names with handles, and the next compactor does not get them as its own text", async () => {
  const asked: (string | undefined)[] = [];
  const compactor = {
    id: "written",
    compact: async ({ previousSummary }: { previousSummary?: string }) => {
      asked.push(previousSummary);
      return "They mended the boat.";
    },
  };
  const log = await work(managerOf(1500, compactor), days);
  const { summary = "", names, ordinals } = lastCut(log);
  expect(summary).toMatch(/^They mended the boat\.\nNames, by where they stood last:\n§\d+/);
  expect(summary).toContain("src/deck/plank-3.ts");
  expect(summary.length - (names?.length ?? 0)).toBe("They mended the boat.".length);
  expect(asked.length).toBeGreaterThan(2);
  expect(new Set(asked)).toEqual(new Set([undefined, "They mended the boat."]));
  const { ledger } = build({ entries: log, account: quarterAccount, config: { maxInputTokens: 1500 } });
  const earlier = ledger.find(({ kind }) => kind === "earlier");
  expect(earlier?.handle).toBe(`§1–§${(ordinals?.first ?? 0) - 1}`);
  // A name's row says where it stood: by the handle, its message is found.
  const row = names?.rows.find(([name]) => name === "src/deck/plank-3.ts");
  const place = pathMessages(log).find(({ ordinal }) => ordinal === row?.[4]);
  expect(JSON.stringify(place?.entry.message)).toContain("src/deck/plank-3.ts");
  expect(pathMessages(log).find(({ entry }) => entry.id === lastCut(log).firstKeptEntryId)?.ordinal).toBe(
    ordinals?.first,
  );
});

test("[R3] an index that is carried from cut to cut is the one that reads the whole log at once", async () => {
  const log = await work(managerOf(1500, written), days);
  const bare = log.map((entry) => {
    const { names: _, ...rest } = entry as CompactionEntry;
    return entry.type === "compaction" ? rest : entry;
  });
  const more = [...day(98), ...day(99)].map((message, at): SessionEntry => ({
    id: `n${at}`,
    ts: 0,
    type: "message",
    message: {
      ...message,
      content: typeof message.content === "string" ? `${message.content} ${filler.repeat(3)}` : message.content,
    } as ModelMessage,
  }));
  const cut = async (entries: readonly SessionEntry[]): Promise<CompactionEntry> =>
    lastCut((await managerOf(1500, written).buildContext({ sessionEntries: [...entries, ...more] })).entriesToAppend);
  const [carried, readAgain] = [await cut(log), await cut(bare)];
  expect(readAgain.names?.rows).toEqual(carried.names?.rows);
  expect(readAgain.summary).toBe(carried.summary);
});

test("[R3] what was asked, decided, failed and left open survives three compactions, and so do the names", async () => {
  const budget = 8000;
  const planted = ["Nordwind", "PostgreSQL", "ENOSPC", "second approval", "src/billing/retry.ts", "maxRetries"];
  const log = await work(managerOf(budget), [
    user("We build the billing service for Nordwind."),
    say("Understood. We decided to use PostgreSQL, and src/billing/retry.ts must honour maxRetries."),
    call("x"),
    result("x", "error: ENOSPC no space left on device"),
    say("It is still undecided whether refunds need a second approval."),
    ...Array.from({ length: budget / 80 }, (_, at) => day(at)).flat(),
  ]);
  const cuts = log.filter((entry) => entry.type === "compaction");
  expect(cuts.length).toBeGreaterThanOrEqual(3);
  const { summary = "" } = cuts[2] as CompactionEntry;
  expect(planted.filter((fact) => summary.includes(fact))).toEqual(planted);
});

test("[R3] [M7] what is redacted leaves the index with everything that the index had, and the next one is without it", async () => {
  const log = await work(managerOf(1500, written), days);
  const secret = pathMessages(log).find(({ entry }) => JSON.stringify(entry.message).includes("plank-1.ts"));
  const redacted: SessionEntry[] = [...log, { id: "r", ts: 0, type: "redact", entryId: secret?.entry.id ?? "" }];
  const built = build({ entries: redacted, account: quarterAccount, config: { maxInputTokens: 1500 } });
  expect(JSON.stringify(built.messages)).toContain("They mended the boat.");
  expect(JSON.stringify(built.messages)).not.toContain("plank-1.ts");
  const next = await managerOf(700, written).buildContext({ sessionEntries: redacted });
  expect(JSON.stringify(next.compactionSummaryEntry)).toContain("plank-2.ts");
  expect(JSON.stringify(next.compactionSummaryEntry)).not.toContain("plank-1.ts");
});

test("[R1] [F8] what was recorded before there were handles is built as it was, to the byte", () => {
  const entries = frozen.entries as unknown as SessionEntry[];
  expect(frozen.states.length).toBe(3);
  for (const { length, messages } of frozen.states) {
    const request = { entries: entries.slice(0, length), account: quarterAccount, systemPrompt: "You mend boats." };
    const built = build({ ...request, config: { maxInputTokens: 700, targetRatio: 0.8 } });
    expect(JSON.stringify(built.messages)).toBe(JSON.stringify(messages));
    expect(built.entriesToAppend).toEqual([]);
  }
});

test("[R3] a cut that only masks hands the index on unread, and the next one reads each message once all the same", async () => {
  const long = (at: number): ModelMessage[] => [
    user(`Look at src/deck/plank-${at}.ts.`),
    ...[0, 1, 2].flatMap((part) => [
      call(`c${at}-${part}`),
      result(`c${at}-${part}`, `export const beam_${at}_${part} = 1; ${filler.repeat(1 + ((at * 7 + part * 5) % 23))}`),
    ]),
    say(`It has beam_${at}_1.`),
  ];
  const log = await work(managerOf(4000), Array.from({ length: 20 }, (_, at) => long(at)).flat());
  const cuts = log.filter(
    (entry): entry is CompactionEntry => entry.type === "compaction" && entry.names !== undefined,
  );
  const handedOn = cuts.filter(({ names }, at) => names?.through === cuts[at - 1]?.names?.through);
  expect(handedOn.length).toBeGreaterThan(0);
  const { names } = cuts.findLast((cut) => !handedOn.includes(cut)) as CompactionEntry;
  const messages = pathMessages(log);
  const read = messages.slice(0, messages.findIndex(({ entry }) => entry.id === names?.through) + 1);
  for (const [name, said, uses] of names?.rows ?? []) {
    const own = read.filter(({ entry }) => namesIn(saidIn(entry.message)).has(name));
    expect([name, said, uses]).toEqual([
      name,
      own.filter(({ entry }) => entry.message.role !== "tool").length,
      own.length,
    ]);
  }
});

test("[F4] what an index of names costs is what its whole text costs, whatever stands in the names", async () => {
  const tokenizer = await loadTokenizer("o200k_base");
  const { partsAtSpaces: _, ...whole } = tokenizer;
  const titles = ["《 前空》", "「后空 」", "【中 间】", "“\u0085换行”", "《 两 》", "“半\ud83d边”"];
  const messages = days.flatMap((message, at) => [
    message,
    ...(at % 4 === 3 ? [user(`${titles[(at >> 2) % titles.length]} beam_${at}) 12.5.${at} /usr/lib/${at}/`)] : []),
  ]);
  const sessions = [tokenizer, whole].map(async (own) => {
    const log: SessionEntry[] = [];
    const manager = new ContextManager({
      config: { maxInputTokens: 1500, recall: true },
      tokenizer: own,
      compactor: extractiveCompactor(),
    });
    const sizes: number[] = [];
    for (const [at, message] of messages.entries()) {
      log.push({ id: `m${at + 1}`, ts: at, type: "message", message });
      const { stats, entriesToAppend, modelMessages } = await manager.buildContext({ sessionEntries: log });
      expect(stats.inputTokens).toBe(tokenAccount({ ...whole }).countInput(modelMessages).tokens);
      log.push(...entriesToAppend);
      sizes.push(stats.inputTokens);
    }
    expect(lastCut(log).names?.rows.length).toBeGreaterThan(20);
    return { sizes, log };
  });
  const [byWords, asWhole] = await Promise.all(sessions);
  expect(byWords).toEqual(asWhole);
});

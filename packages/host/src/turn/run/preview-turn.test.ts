import { ContextManager, digestOf, extractiveCompactor, tokenizerForModel } from "@galley/engine";
import { expect, test } from "vitest";
import * as z from "zod";
import { galleyWith } from "../../galley/testing/temp-galley.ts";
import { defineTool } from "../../tools/define-tool.ts";

/** 3,000 messages: far more than the window of a model that nothing is known of. */
const said = Array.from({ length: 3000 }, (_, index) => ({
  role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
  content: `Message ${index + 1} of the ledger of the harbour, 第 ${index + 1} 条. We decided to keep ship-${index}.`,
}));

test("[T14] what is built from a preview, in any process, has the digest of the next call, tools and a cut included", async () => {
  const { galley } = await galleyWith(() => ({ text: "x" }));
  await galley.handover.saveProfile("critic", "You criticise.");
  await (await galley.chats.open("long")).append(said);
  const model = "nobody-knows-this-model";
  const place = { chat: "long", model };
  const { entries, tools, config, tokenizer: id, input, room } = await galley.preview(place);
  // [T12] Every message of the chat is there.
  expect(entries.filter(({ type }) => type === "message")).toHaveLength(3000);
  expect(room).toEqual({ window: 32_768, reserve: 4096, isGuess: true });
  // As a page does it: from what came over the wire.
  const tokenizer = await tokenizerForModel(model, { id });
  const manager = new ContextManager({ config, tokenizer, compactor: extractiveCompactor() });
  const { preset } = await galley.presets.get("default");
  const inputMessages = [{ role: "user", content: "Where were we?" }] as const;
  const there = JSON.parse(JSON.stringify({ entries, tools, input })) as { entries: typeof entries } & {
    tools: typeof tools;
    input: typeof input;
  };
  const built = await manager.buildContext({
    ...there.input,
    sessionEntries: there.entries,
    toolSpecs: there.tools,
    preset,
    model,
    inputMessages,
  });
  expect(built.compactionSummaryEntry?.summary).toBeDefined();
  const looked = await (await galley.preview({ ...place, input: "Where were we?" })).build();
  const turn = await galley.turn({ ...place, input: "Where were we?" });
  expect(turn.tools.length).toBeGreaterThan(4);
  expect([digestOf(built.build), looked.digest]).toEqual([turn.digest, turn.digest]);
  expect(looked.stats).toEqual(turn.stats);
  // [T12] The ledger counts every message.
  const counted = turn.ledger.filter(({ kind }) => kind === "message" || kind === "earlier");
  expect(counted.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(3001);
});

test("[T14] a preview keeps nothing, in chats and sessions", async () => {
  const { galley } = await galleyWith(() => ({ text: "x" }));
  for (const place of [{ chat: "demo" }, { session: "plain" }]) {
    await (await galley.preview({ ...place, input: "hello" })).build();
    const session = "chat" in place ? "chat:demo" : "plain";
    expect(await galley.store.builds.list({ projectId: "default", sessionId: session })).toEqual([]);
    expect(await galley.store.sessions.read({ projectId: "default", sessionId: session })).toEqual([]);
    expect((await galley.preview(place)).entries).toEqual([]);
  }
});

test("[T14] the fill of the window is that of the next call: by source, tool by tool, and what of it is cached", async () => {
  const { galley } = await galleyWith(() => ({ text: "x" }));
  const place = { chat: "demo", model: "local/tiny-1" };
  const fill = async (context = {}) => (await galley.preview({ ...place, context })).fill();
  await galley.run({ ...place, input: "The harbour master is called Ada." }).result;
  const first = await fill({ systemPrompt: "Be brief." });
  const { digest, stats } = await (await galley.preview({ ...place, context: { systemPrompt: "Be brief." } })).build();
  expect(first).toMatchObject({ digest, stats, compacted: false, target: Math.floor(first.budget / 2) });
  const { bySource, tools } = first;
  expect(Object.values(bySource).reduce((sum, tokens) => sum + tokens)).toBe(stats.inputTokens);
  const offered = tools.filter(({ isOffered }) => isOffered);
  expect(bySource.tools).toBe(offered.reduce((sum, { tokens }) => sum + tokens, 0));
  // What a person may switch on is counted too.
  expect(tools.find(({ name }) => name === "context_pin")).toMatchObject({ group: "pins", isOffered: false });
  // Another system prompt costs everything that was cached behind it.
  expect((await fill()).cachedPrefix).toBeGreaterThan(first.cachedPrefix);
});

test("[T10a] a tool that a person switches off and on again in the middle of a context is gone, and there again", async () => {
  const { galley } = await galleyWith(() => ({ text: "x" }));
  const place = { chat: "demo", model: "local/tiny-1" };
  const hasRecall = async (): Promise<boolean> => {
    await galley.run({ ...place, input: "Say something." }).result;
    const { tools } = await (await galley.preview(place)).fill();
    return tools.some(({ name, isOffered }) => name === "context_recall" && isOffered);
  };
  expect(await hasRecall()).toBe(true);
  await galley.chats.configure("demo", { context: { recall: false } });
  expect(await hasRecall()).toBe(false);
  await galley.chats.configure("demo", { context: { recall: true } });
  expect(await hasRecall()).toBe(true);
});

test("[T14] looking at the fill asks no model, though one would write the summary", async () => {
  let asked = 0;
  const { galley } = await galleyWith(() => {
    asked += 1;
    return { text: "x" };
  });
  await (await galley.chats.open("long")).append(said);
  const context = { maxInputTokens: 8000, compaction: { model: "local/tiny-1" } };
  const filled = await (await galley.preview({ chat: "long", model: "local/tiny-1", context })).fill();
  expect(filled).toMatchObject({ compacted: true, isSummaryElsewhere: true });
  expect(filled.bySource.summary).toBeGreaterThan(0);
  expect(asked).toBe(0);
});

test("[T14] a preview has the tools that the turn alone would bring", async () => {
  const { galley } = await galleyWith(() => ({ text: "x" }));
  const tools = [
    defineTool({ name: "tide", description: "Gives the tide.", inputSchema: z.object({}), execute: () => "high" }),
  ];
  const request = { chat: "tides", model: "demo", input: "How high?", tools };
  const preview = await galley.preview(request);
  expect(preview.tools.map(({ name }) => name)).toContain("tide");
  const turn = await galley.turn(request);
  expect((await preview.build()).digest).toBe(turn.digest);
  await turn.abort();
});

import { type LedgerRow, type ToolSpec, tokenAccount, tokenizerForModel } from "@galley/engine";
import { describeLedger } from "@galley/engine/proof";
import { expect, test } from "vitest";
import type { Galley } from "../../galley/galley.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { isOwnTool } from "./own-tools.ts";
import { dataFolder, galleyIn, galleyWith } from "../../galley/testing/temp-galley.ts";

test("[T10] Galley's own tools cost few tokens: those of a chat at most 300, all of them at most 950, pins included", async () => {
  const { galley } = await galleyWith(() => ({ text: "x" }));
  const account = tokenAccount(await tokenizerForModel("gpt-6.1-sol"));
  const cost = (tools: readonly ToolSpec[]): number => tools.reduce((sum, tool) => sum + account.countTool(tool), 0);
  const alone = await galley.turn({ chat: "demo", input: "hello" });
  const ofChat = alone.tools.filter(({ name }) => name.startsWith("chat_context_"));
  expect([alone.tools.length, ofChat.length]).toEqual([5, 4]);
  expect(cost(ofChat)).toBeLessThanOrEqual(300);
  await galley.handover.saveProfile("critic", "You criticise.");
  const { tools } = await galley.turn({ chat: "other", input: "hello" });
  expect(tools.map(({ name }) => name)).toContain("delegate_async");
  expect(cost(tools)).toBeLessThanOrEqual(950);
  const pinning = await galley.turn({ chat: "pins", input: "hello", context: { pins: "model" } });
  expect(pinning.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["context_pin", "context_recall"]));
  expect(cost(pinning.tools)).toBeLessThanOrEqual(950);
  // Every tool of Galley's own is known as such.
  expect(pinning.tools.filter(({ name }) => !isOwnTool(name))).toEqual([]);
});

test("[A1, T2] a model is told that results come by themselves only where they do: neither in a task nor in a program of its own", async () => {
  const { galley } = await galleyWith(() => ({ text: "x" }));
  await galley.handover.saveProfile("critic", "You criticise.");
  const { task_id: id } = await galley.handover.delegate({ profile: "critic", instruction: "Read." });
  const told = async (kind: "chat" | "session" | "agent" | "task", name: string): Promise<string> => {
    const { tools } = await galley.toolsFor({ kind, name });
    return tools.find((tool) => tool.name === "delegate_async")?.description ?? "";
  };
  for (const kind of ["chat", "session"] as const) expect(await told(kind, "a")).toContain("the result comes later");
  expect(await told("agent", "local")).toContain("await_result gives the result");
  expect(await told("task", id)).toContain("await_result gives the result");
});

test("[T2] tools of galley.config are offered and run in every place; one that cannot be is told by its path", async () => {
  const ring = defineTool({
    name: "ring",
    description: "Rings.",
    inputSchema: { type: "object", properties: { times: { type: "number" } } },
    execute: (input) => ({ rung: input }),
  });
  const galley = await galleyIn(dataFolder(), { config: { tools: [ring] } });
  for (const place of [{ chat: "a" }, { session: "b" }]) {
    const { text } = await galley.run({ ...place, model: "demo", input: 'call ring {"times":3}' }).result;
    expect(text).toContain('{"rung":{"times":3}}');
  }
  for (const kind of ["chat", "session", "agent"] as const) {
    const { tools } = await galley.toolsFor({ kind, name: "local" });
    expect(tools.map(({ name }) => name)).toContain("ring");
  }
  for (const [tools, path] of [
    [[{ name: "ring", description: "Rings." }], "tools[0]"],
    [[ring, ring], "tools[1].name"],
    [[{ ...ring, name: "context_recall" }], "tools[0].name"],
  ] as const) {
    const refused = galleyIn(dataFolder(), { config: { tools: tools as never } });
    await expect(refused).rejects.toMatchObject({ code: "ConfigInvalid", path, hint: expect.any(String) as string });
  }
});

test("[T10] the tools of a context stay those of its first call, and a change by the caller says what it costs", async () => {
  const data = dataFolder();
  const first = await galleyIn(data);
  const says = async (galley: Galley, chat: string, context = {}) => {
    const turn = await galley.turn({ chat, input: "hello", model: "demo", context });
    await turn.commit({ assistant: "yes" });
    return turn;
  };
  const changes = ({ ledger }: { readonly ledger: readonly LedgerRow[] }) =>
    ledger.filter(({ rule }) => rule === "tools-changed");
  expect((await says(first, "demo")).tools).toHaveLength(5);
  await first.handover.saveProfile("critic", "You criticise.");
  const second = await says(first, "demo");
  expect([second.tools.length, changes(second)]).toEqual([5, []]);
  expect((await says(first, "other")).tools.length).toBeGreaterThan(5);
  await first.close();
  // Another process knows it from the record.
  const galley = await galleyIn(data);
  expect((await says(galley, "demo")).tools).toHaveLength(5);
  const changed = await says(galley, "demo", { ownTools: "none" });
  expect(changed.tools).toEqual([]);
  expect(changes(changed)).toMatchObject([{ kind: "generated", id: "tools", tokens: expect.any(Number) as number }]);
  expect(changes(changed)[0]?.tokens).toBeGreaterThan(0);
  const [row] = describeLedger({ ledger: changes(changed) });
  expect(row?.who).toMatch(/Other tools than in the call before, which costs up to \d+ cached tokens/);
  const call = await galley.store.builds.read({ projectId: "default", sessionId: "chat:demo" }, changed.n);
  expect(call).toMatchObject({ cachedPrefix: 0, ledger: expect.arrayContaining([...changes(changed)]) as LedgerRow[] });
  // The same again changes nothing, and a new context decides for itself.
  expect(changes(await says(galley, "demo", { ownTools: "none" }))).toEqual([]);
  await (await galley.chats.open("demo")).newContext({ title: "tools" });
  const fresh = await says(galley, "demo");
  expect([fresh.tools.length > 5, changes(fresh)]).toEqual([true, []]);
});

import { type ModelMessage, view } from "@galley/engine";
import { expect, test } from "vitest";
import type { Galley } from "../../galley/galley.ts";
import { galleyWith } from "../../galley/testing/temp-galley.ts";

const fact = "The port is 8471.";
const filler = "nothing to be said about it but this ".repeat(20);
const said = (count: number): (ModelMessage & { role: "user" | "assistant" })[] =>
  Array.from({ length: count }, (_, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: `${at} ${filler}` }));
const answers = [{ role: "user", content: "Which port?" } as const, { role: "assistant", content: fact } as const];

type Place = Parameters<Galley["toolsFor"]>[0];

async function callTool(galley: Galley, place: Place, input: object): Promise<unknown> {
  const { tools } = await galley.toolsFor(place);
  const tool = tools.find(({ name }) => name === "context_pin");
  if (!tool) return "no tool";
  const context = { caller: "model", place, callId: "1", signal: new AbortController().signal };
  const outcome = await tool.execute?.(input, context).catch((error: Error) => error.message);
  if (typeof outcome === "string") return outcome;
  const [content] = outcome?.kind === "result" ? outcome.content : [];
  return content?.type === "json" ? content.value : content;
}

test.each([["chat"], ["session"]] as const)(
  "[R6] in a %s a person pins through the library, and every turn sends it until it is unpinned",
  async (kind) => {
    const { galley } = await galleyWith(() => ({ text: "x" }));
    const place = kind === "chat" ? { chat: "demo" } : { session: "work" };
    const all = [...answers, ...said(30)];
    if (kind === "chat") await (await galley.chats.open("demo")).append(all);
    else
      await galley.sessions.append(
        "work",
        all.map((message, ts) => ({ id: `e${ts}`, ts, type: "message", message })),
      );
    const send = async (): Promise<string> => {
      const turn = await galley.turn({
        ...place,
        model: "demo",
        input: "Go on",
        budget: 2500,
        context: { compaction: "off" },
      });
      await turn.commit({ assistant: `Yes. ${filler}` });
      return JSON.stringify(turn.messages);
    };
    expect(await send()).not.toContain(fact);
    const pins = galley.pins(place);
    const { id } = await pins.pin({ handle: "§2" });
    expect(await pins.pin({ entryId: id })).toEqual({ id });
    const sentence = await pins.pin({ text: "Metric units." });
    for (let turn = 0; turn < 12; turn += 1) expect(await send()).toMatch(/Metric units.*8471/u);
    expect(await pins.list()).toMatchObject([{ id, handle: "§2", by: "person" }, { text: "Metric units." }]);
    await pins.unpin(sentence.id);
    await pins.unpin(id);
    expect(await send()).not.toContain("Metric");
    for (let turn = 0; turn < 8; turn += 1) await send();
    expect(await send()).not.toContain(fact);
    await expect(pins.unpin(id)).rejects.toMatchObject({ code: "NotFound" });
  },
);

test("[R6] [T3] a model has the tool only where it may pin, and unpins only what it has pinned", async () => {
  const { galley } = await galleyWith(() => ({ text: "x" }));
  const place = { kind: "chat", name: "demo" } as const;
  const chat = await galley.chats.open("demo");
  await chat.append([...answers, ...said(4)]);
  expect(await callTool(galley, place, { text: "x" })).toBe("no tool");
  await galley.chats.configure("demo", { context: { pins: "model" } });
  expect(await callTool(galley, place, { handle: "§2" })).toMatchObject({ pinned: true });
  expect(await callTool(galley, place, { text: "Metric units." })).toMatchObject({ pinned: true });
  const { id: own } = await chat.pin({ handle: "§1" });
  expect(await callTool(galley, place, { unpin: own })).toContain("pinned by a person");
  expect(await callTool(galley, place, { unpin: "§9" })).toContain("not pinned");
  expect(await callTool(galley, place, { handle: "§99" })).toContain('no message "§99"');
  expect(await callTool(galley, place, {})).toContain("Give a handle");
  expect(await callTool(galley, place, { text: "x", handle: "§1" })).toContain("not both");
  expect(await callTool(galley, place, { text: "y".repeat(3990) })).toContain("4000 characters in all");
  await chat.append([{ role: "user", content: "z".repeat(5000) }]);
  expect(await callTool(galley, place, { handle: "§7" })).toContain("4000 characters in all");
  expect(await callTool(galley, place, { unpin: "§2" })).toMatchObject({ pinned: false });
  expect(chat.pins().map(({ text, handle, by }) => [text ?? handle, by])).toEqual([
    ["Metric units.", "model"],
    ["§1", "person"],
  ]);
});

test("[R6] what a model pins in a run is in the next call of that run, and in what the run leaves behind", async () => {
  const { galley, server } = await galleyWith(({ tools, toolResults }) => {
    const tool = tools.find(({ name }) => name === "context_pin");
    return tool && toolResults.length === 0 ? { tool, input: { text: "Never touch migrations." } } : { text: "Noted." };
  });
  await galley.chats.configure("demo", { context: { pins: "model" } });
  await galley.run({ chat: "demo", input: "Keep that in mind" }).result;
  expect(server.requests.at(-1)?.userTexts[0]).toBe("[Pinned by the assistant]\nNever touch migrations.");
  const chat = await galley.chats.open("demo");
  expect(view(chat.context({}, {}).entries).pins.texts).toMatchObject([
    { text: "Never touch migrations.", by: "model" },
  ]);
});

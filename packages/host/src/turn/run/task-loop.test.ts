import { setTimeout as sleep } from "node:timers/promises";
import type { ModelMessage } from "@galley/engine";
import { expect, test, vi } from "vitest";
import type { Galley } from "../../galley/galley.ts";
import { call, galleyThatHears, say } from "../../galley/testing/chunked-model.ts";
import { addProfile, galleyIn, galleyWith } from "../../galley/testing/temp-galley.ts";
import { cardsOfMessages } from "../../handover/cards/cards-of-messages.ts";
import { newId } from "../../handover/options/new-id.ts";
import type { LlmRequest } from "../../models/testing/llm-protocols.ts";
import type { StoredBuild } from "../../store/ports/build-store.ts";
import type { Task } from "../../store/ports/task-store.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";

async function delegated(galley: Galley, boxes: readonly string[] = [], profile = "You write."): Promise<Task> {
  await addProfile(galley, "writer", profile);
  const { task_id: id } = await galley.handover.delegate({ profile: "writer", instruction: "Is it {{date}}?", boxes });
  return galley.handover.waitFor(id);
}

async function buildsOf({ store, project }: Galley, { id }: Task): Promise<readonly StoredBuild[]> {
  const session = { projectId: project, sessionId: `task:${id}` };
  const items = await store.builds.list(session);
  const builds = await Promise.all(items.map(({ n }) => store.builds.read(session, n)));
  return builds.filter((build) => build !== undefined);
}

const note = (execute: (input: unknown, context: ToolContext) => unknown, more: Partial<Tool> = {}): Tool => {
  return { ...defineTool({ name: "note", description: "Notes.", inputSchema: { type: "object" }, execute }), ...more };
};

/** A box with a conversation of this many messages. */
async function longBox({ store, project }: Galley, length: number): Promise<string> {
  const messages = Array.from({ length }, (_, index): ModelMessage => ({
    role: index % 2 ? "assistant" : "user",
    content: `Message ${index}: ${"what about the harbour? ".repeat(12)}`,
  }));
  const cards = cardsOfMessages(messages, { authorId: "person", now: 1, newId });
  const items = cards.map(({ id }) => ({ cardId: id, origin: "output" as const }));
  await store.cards.pack({ projectId: project, cards, boxes: [{ id: "long", items }], now: 1 });
  return "long";
}

test("[T1] a task with ten calls of tools makes two builds for two calls of the model, and opens its boxes once", async () => {
  let made = 0;
  const ten = call(...Array.from({ length: 10 }, (_, index) => [`c${index}`, "note", "{}"] as const));
  const { galley, sent } = await galleyThatHears([ten, say("Done.")], { tools: [note(() => (made += 1))] });
  const { cards } = galley.store;
  const opened: string[] = [];
  const [openBox, readBoxes] = [cards.openBox.bind(cards), cards.readBoxes.bind(cards)];
  Object.assign(cards, {
    openBox: (...args: Parameters<typeof openBox>) => {
      opened.push(args[1]);
      return openBox(...args);
    },
    readBoxes: (...args: Parameters<typeof readBoxes>) => {
      opened.push(...args[1]);
      return readBoxes(...args);
    },
  });
  await addProfile(galley, "writer", "You write.");
  const { task_id: id } = await galley.handover.delegate({ profile: "writer", instruction: "Write." });
  const task = await galley.handover.waitFor(id);
  expect(task).toMatchObject({ status: "succeeded", result: "Done.", attempt: 1 });
  expect([made, sent.length, (await buildsOf(galley, task)).length]).toEqual([10, 2, 2]);
  // The profile's box once more, when the task is given: it says which model and preset the task has.
  expect(opened).toEqual([task.profileBoxId, task.profileBoxId, task.contextBoxId, task.outputBoxId]);
  const box = await openBox(galley.project, task.outputBoxId);
  const kinds = box?.cards.map((card) => card?.content.kind);
  expect(kinds).toEqual([
    "text",
    ...Array.from({ length: 10 }, () => "tool-call"),
    ...Array.from({ length: 10 }, () => "tool-result"),
    "text",
  ]);
});

test("[T1] what no longer fits of a task's history is summarised, as in a chat", async () => {
  const { galley } = await galleyWith(() => ({ text: "Fine." }), { window: 4000 });
  const task = await delegated(galley, [await longBox(galley, 80)]);
  expect(task).toMatchObject({ status: "succeeded", result: "Fine." });
  const [build] = await buildsOf(galley, task);
  expect(build).toMatchObject({ compacted: true });
  expect(build?.bySource["summary"]).toBeGreaterThan(0);
  expect(build?.messages.at(-1)).toEqual({ role: "user", content: "Is it {{date}}?" });
  expect(build?.stats.inputTokens).toBeLessThanOrEqual(build?.budget ?? 0);
});

test("[T1] a task that a provider calls too long is built again, smaller, once", async () => {
  let refusals = 1;
  const { galley, server } = await galleyWith(
    () =>
      refusals-- > 0
        ? { status: 400, error: "maximum context length is 3000 tokens. However, you requested 7500 tokens." }
        : { text: "Fine.", inputTokens: 6000 },
    { window: 16_000 },
  );
  const task = await delegated(galley, [await longBox(galley, 240)]);
  expect(task).toMatchObject({ status: "succeeded", result: "Fine.", attempt: 1, error: null });
  const [first, second] = await buildsOf(galley, task);
  expect(server.bodies).toHaveLength(2);
  expect(second?.stats.inputTokens).toBeLessThan((first?.stats.inputTokens ?? 0) * 0.5);
  expect(second?.usage).toMatchObject({ inputTokens: 6000 });
});

test("[T1] what a provider counts in tasks corrects the estimates of all later builds", async () => {
  const { galley } = await galleyWith(() => ({ text: "Fine.", inputTokens: 1500 }));
  expect((await galley.turn({ chat: "a", input: "x" })).stats.tokenizer).not.toContain("@");
  await addProfile(galley, "writer", "You write.");
  for (let count = 0; count < 5; count += 1) {
    const { task_id: id } = await galley.handover.delegate({ profile: "writer", instruction: "Write." });
    expect(await galley.handover.waitFor(id)).toMatchObject({ status: "succeeded" });
  }
  expect((await galley.turn({ chat: "a", input: "x" })).stats.tokenizer).toContain("@");
});

test("[T1] placeholders of a profile are filled in; what others say in a task stays as it is", async () => {
  const galley = await galleyIn();
  const task = await delegated(galley, [], "Today is {{date}}, you are {{model}}; {{unknown}}.");
  expect(task).toMatchObject({ status: "succeeded", error: null });
  const [build] = await buildsOf(galley, task);
  expect(build?.messages[0]?.content).toMatch(/^Today is \d{4}-\d\d-\d\d, you are demo; \{\{unknown\}\}\.$/);
  expect(build?.messages.at(-1)?.content).toBe("Is it {{date}}?");
});

test("[T1] a tool that gives {suspended: true} has given data, and parks nothing", async () => {
  const tool = note(() => ({ suspended: true, kind: "parked" }));
  const { galley, sent } = await galleyThatHears([call(["c1", "note", "{}"]), say("I see.")], { tools: [tool] });
  expect(await delegated(galley)).toMatchObject({ status: "succeeded", result: "I see.", attempt: 1 });
  expect(sent[1]).toContain(String.raw`\"suspended\":true`);
});

test("[T1] a tool that does not bear repetition is offered in tasks; a call that was cut short is told so, and not made again", async () => {
  let calls = 0;
  const { promise: called, resolve: onCall } = Promise.withResolvers<void>();
  const deaf = note(() => {
    calls += 1;
    onCall();
    return new Promise(() => undefined);
  });
  const { galley, data } = await galleyThatHears([call(["c1", "note", "{}"])], { tools: [deaf] });
  await addProfile(galley, "writer", "You write.");
  const { task_id: id } = await galley.handover.delegate({ profile: "writer", instruction: "Write." });
  await called;
  await galley.close();
  const { galley: again, sent } = await galleyThatHears([say("Well.")], { data, tools: [deaf] });
  await again.handover.start();
  expect(await again.handover.waitFor(id)).toMatchObject({ status: "succeeded", result: "Well.", attempt: 2 });
  expect(calls).toBe(1);
  expect(sent).toHaveLength(1);
  expect(sent[0]).toContain("Interrupted: the program was stopped while note may have been at work.");
});

test("[T1] ask_expert in a task parks it, and the expert's answer is the result of the call", async () => {
  const ask = { profile_name: "expert", question: "How deep is it?" };
  const { galley } = await galleyWith(({ userTexts, toolResults }: LlmRequest) => {
    if (userTexts.join().includes("How deep")) return { text: "Nine fathoms." };
    if (toolResults.length > 0) return { text: `It said ${toolResults.join()}` };
    return { tool: { name: "ask_expert" }, input: ask };
  });
  await addProfile(galley, "expert", "You know harbours.");
  const task = await delegated(galley);
  expect(task).toMatchObject({ status: "succeeded", attempt: 2, error: null });
  expect(task.result).toContain('"answer":"Nine fathoms."');
  const children = (await galley.store.tasks.list(galley.project, {})).filter(
    ({ parentTaskId }) => parentTaskId === task.id,
  );
  expect(children).toMatchObject([{ status: "succeeded", result: "Nine fathoms." }]);
});

test("[T1] what ask_expert refuses in a task is said of the arguments that it was given", async () => {
  const ask = { profile_name: "nobody", question: "How deep is it?" };
  const { galley } = await galleyWith(({ toolResults }: LlmRequest) =>
    toolResults.length > 0 ? { text: toolResults.join() } : { tool: { name: "ask_expert" }, input: ask },
  );
  const task = await delegated(galley);
  expect(task.result).toContain('"path":"args.profile_name"');
});

test("[T2] a task is offered what toolsFor lists for its place, and its preview shows the same", async () => {
  const { galley } = await galleyThatHears([say("Done.")], { tools: [note(() => 1)] });
  const task = await delegated(galley);
  const [build] = await buildsOf(galley, task);
  const { tools } = await galley.toolsFor({ kind: "task", name: task.id });
  const names = tools.map(({ name }) => name);
  expect(names).toEqual([
    "context_recall",
    "delegate_async",
    "fork_join",
    "launch_principal",
    "ask_expert",
    "join",
    "await_result",
    "note",
  ]);
  expect(build?.tools.map(({ name }) => name)).toEqual(names);
  await expect(galley.toolsFor({ kind: "task", name: "none" })).rejects.toMatchObject({ code: "NotFound" });
});

test("[T1] a limit ends a task with TaskFailed, and no more calls of one reply are served than in a run", async () => {
  let calls = 0;
  const many = call(...Array.from({ length: 22 }, (_, index) => [`c${index}`, "note", "{}"] as const));
  const { galley, sent } = await galleyThatHears([many], { tools: [note(() => (calls += 1))] });
  expect(await delegated(galley)).toMatchObject({
    status: "failed",
    attempt: 1,
    error: { code: "TaskFailed", message: expect.stringContaining("25 times") },
  });
  expect([sent.length, calls]).toEqual([25, 25 * 20]);
  expect(sent[1]?.match(/Not served: one reply may make 20 calls/gu)).toHaveLength(2);
});

test("[T1] the time of a run stands still while it waits for a fork", async () => {
  const { galley } = await galleyWith(async ({ userTexts, toolResults, tools }: LlmRequest) => {
    if (userTexts.join().includes("slow")) {
      await sleep(4000);
      return { text: "late" };
    }
    if (toolResults.length > 0) return { text: `Got ${toolResults.join()}` };
    const tool = tools.find(({ name }) => name === "fork_join") ?? { name: "fork_join" };
    return { tool, input: { tasks: [{ target_strategy: "new", target_ref: "writer", instruction: "slow" }] } };
  });
  await addProfile(galley, "writer", "You write.");
  const { finish, text } = await galley.run({ chat: "a", input: "go", limits: { maxMilliseconds: 3000 } }).result;
  expect([finish, text]).toEqual(["stop", expect.stringContaining("late")]);
});

test("[A1, A2] a task hands work over without waiting, and is parked when it asks for the result", async () => {
  const { galley } = await galleyWith(async ({ userTexts, toolResults, tools }: LlmRequest) => {
    const tool = (name: string) => tools.find((each) => each.name === name) ?? { name };
    if (userTexts.join().includes("leaf")) {
      // Done before it is asked for, it would be given at once.
      const parked = () => galley.store.tasks.list(galley.project, { status: ["waiting"] });
      await vi.waitUntil(async () => (await parked()).length === 1, { timeout: 60_000 });
      return { text: "done leaf" };
    }
    const target = { target_strategy: "new", target_ref: "writer", instruction: "leaf" };
    const last = toolResults.at(-1) ?? "";
    if (last === "") return { tool: tool("delegate_async"), input: target };
    if (last.includes("done leaf")) return { text: `Got: ${last}` };
    const id = /"task_id":\s*"(\w+)"/.exec(last)?.[1];
    return { tool: tool("await_result"), input: { task_id: id } };
  });
  const task = await delegated(galley);
  expect(task).toMatchObject({
    status: "succeeded",
    attempt: 2,
    result: expect.stringContaining("done leaf") as string,
  });
  const [child] = await galley.store.tasks.list(galley.project, { parentTaskId: task.id });
  expect(child?.origin).toMatchObject({ place: `task:${task.id}`, turnId: task.id });
});

test("[A1] a task that waits for itself is told so, and goes on", async () => {
  const { galley } = await galleyWith(({ toolResults, tools }: LlmRequest) => {
    const tool = tools.find(({ name }) => name === "await_result") ?? { name: "await_result" };
    return toolResults.length > 0 ? { text: toolResults.join() } : { tool, input: { task_id: own } };
  });
  await addProfile(galley, "writer", "You write.");
  let own = "";
  const { task_id } = await galley.handover.delegate({ profile: "writer", instruction: "Wait." });
  own = task_id;
  expect((await galley.handover.waitFor(task_id)).result).toContain("each would wait for the other");
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Galley } from "../../galley/galley.ts";
import { addProfile, eventsOf, galleyIn, galleyWith, textsOf } from "../../galley/testing/temp-galley.ts";
import type { Outcome } from "../../store/ports/task-store.ts";
import type { TurnPlace } from "../services/turn-types.ts";
import { end, handOver, handedBack, next, recallIn } from "../testing/handed-over.ts";

const label = "What follows was written by another agent, not by the user.";

const lastQuestion = async (galley: Galley): Promise<string> => {
  const chat = await galley.chats.open("a");
  return chat.entries().findLast((entry) => entry.type === "message" && entry.message.role === "user")?.id ?? "";
};

const linesOf = ({ data }: Galley, file: string): readonly { type?: string; taskId?: string }[] =>
  readFileSync(join(data, "chat", "a", file), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type?: string; taskId?: string });

test("[A1] what a chat delegates comes back to it: an event, and a message in front of the next question, recorded once", async () => {
  const galley = await galleyIn();
  await addProfile(galley, "writer", "You write.");
  const ended: unknown[] = [];
  galley.events.on(({ type, place }) => type === "task:ended" && ended.push(place));
  await galley.run({ chat: "a", input: "delegate to writer: Write about the sea." }).result;
  const [task] = await galley.store.tasks.list(galley.project);
  await galley.handover.waitFor(task?.id ?? "");
  await expect.poll(() => ended).toEqual(["chat:a"]);
  expect(task?.origin).toEqual({
    place: "chat:a",
    turnId: expect.any(String) as string,
    callId: expect.any(String) as string,
    anchor: await lastQuestion(galley),
  });
  const [question, reply, result, asked, ...rest] = await next(galley);
  expect([question, asked, rest]).toEqual(["user: delegate to writer: Write about the sea.", "user: And now?", []]);
  expect(reply).toContain("assistant: ");
  expect(result).toContain(label);
  expect(result).toMatch(/status: succeeded · asked: Write about the sea\..*\[demo\]/s);
  // The model goes on talking: the result is written with the first commit, and stays where it is.
  await galley.run({ chat: "a", input: "Thank you." }).result;
  await galley.run({ chat: "a", input: "Good." }).result;
  const later = await next(galley);
  expect(later.filter((line) => line.includes(label))).toEqual([result]);
  expect(later.indexOf(result ?? "")).toBe(2);
  for (const file of ["contexts/active.jsonl", "conversations/history.jsonl"]) {
    const results = linesOf(galley, file).filter(({ type }) => type === "result");
    expect(results.map(({ taskId }) => taskId)).toEqual([task?.id]);
  }
  expect(await textsOf(galley, "a")).toHaveLength(6);
});

test("[A1] two tasks at once come back together, in the order in which they ended", async () => {
  const galley = await galleyIn();
  const [one, two] = [await handOver(galley, "first"), await handOver(galley, "second")];
  await end(galley, two, { status: "succeeded", result: "two" });
  await new Promise((resolve) => setTimeout(resolve, 5));
  await end(galley, one, { status: "succeeded", result: "one" });
  const read = await next(galley);
  expect(read.map((line) => line.split("\n").at(-1))).toEqual(["two", "one", "user: And now?"]);
});

test("[A1] a turn that fails keeps no result: it comes with the next one, and what a call was given comes again", async () => {
  const galley = await galleyIn();
  const id = await handedBack(galley, "write", "a poem");
  const { store, project: projectId } = galley;
  expect((await next(galley)).join()).toContain("a poem");
  expect((await next(galley)).join()).toContain("a poem");
  const turn = await galley.turn({ chat: "a", input: "x" });
  await store.tasks.markReturned({ projectId, taskIds: [id], turnId: "other", now: 1 });
  expect((await next(galley)).join()).not.toContain("a poem");
  await turn.abort();
  await store.tasks.takeBackReturned({ projectId, place: "chat:a", turnId: "other" });
  expect((await next(galley)).join()).toContain("a poem");
});

test.each<[string, Outcome | "cancel" | "deadline", RegExp]>([
  ["failed", { status: "failed", error: { code: "TaskFailed", message: "Too hard." } }, /The task failed.*Too hard/],
  ["was cancelled", "cancel", /The task was cancelled.*Nobody needs it/],
  ["timed out", "deadline", /The task took too long.*has passed/],
])("[A1a] a task that %s says so to the one who handed it over", async (_, outcome, line) => {
  const galley = await galleyIn();
  const { store, project: projectId } = galley;
  const taskId = await handOver(galley, "write", { secondsAgo: outcome === "deadline" ? 10_000 : 0 });
  if (outcome === "deadline") await store.tasks.sweep(Date.now());
  else if (outcome !== "cancel") await end(galley, taskId, outcome);
  else await store.tasks.cancel({ projectId, taskId, reason: "Nobody needs it.", now: Date.now() });
  expect((await next(galley)).join("\n")).toMatch(line);
});

test("[A1b] a topic that was put away meanwhile: the active one gets a line with its title", async () => {
  const galley = await galleyIn();
  await galley.run({ chat: "a", input: "Plan a trip to Kyoto." }).result;
  const anchor = await lastQuestion(galley);
  const chat = await galley.chats.open("a");
  await chat.newContext({ title: "Kyoto" });
  await handedBack(galley, "find hotels", "Hotel One", { anchor });
  const [result = "", ...rest] = await next(galley);
  expect(result).toContain('It belongs to the topic "Kyoto", which is put away; context_recall reads all of it by ');
  expect([result.includes("Hotel One"), rest]).toEqual([false, ["user: And now?"]]);
  await galley.run({ chat: "a", input: "Go on." }).result;
  const [, handle] = /by the handle (\S+),/.exec(result) ?? [];
  expect((await recallIn(galley, "chat", "a", { handle })).text).toContain("another agent:\nHotel One");
  // It goes into the archive of the context that got it, and comes back with it.
  await chat.newContext({ title: "second" });
  expect((await next(galley)).join()).not.toContain("Kyoto");
  await chat.loadContext({ query: "second" });
  expect((await next(galley)).join()).toContain('It belongs to the topic "Kyoto"');
});

test.each(["edit", "regenerate"] as const)(
  "[A1b] after %s of the call's turn, the result stays a card",
  async (how) => {
    const galley = await galleyIn();
    await galley.run({ chat: "a", input: "Hello." }).result;
    const first = galley.run({ chat: "a", input: "Ask the writer." });
    await first.result;
    const anchor = await lastQuestion(galley);
    const id = await handOver(galley, "write", { anchor, turnId: first.runId });
    if (how === "edit") await galley.edit("a", anchor, "Never mind.").result;
    else await galley.regenerate("a").result;
    await end(galley, id, { status: "succeeded", result: "a poem" });
    expect((await next(galley)).join()).not.toContain("a poem");
    expect((await galley.store.tasks.read(galley.project, [id]))[0]).toMatchObject({
      returnedTo: null,
      returnedAt: expect.any(Number) as number,
    });
  },
);

/** The ids of a place's turns: that of each question, and that by which its calls are found. */
async function turnsOf(galley: Galley, place: TurnPlace): Promise<readonly { asked: string; anchor: string }[]> {
  const isSession = place.session !== undefined;
  const log = isSession
    ? await galley.store.sessions.read({ projectId: galley.project, sessionId: place.session ?? "" })
    : (await galley.chats.open("a")).entries();
  const messages = log.filter(({ type }) => type === "message");
  return messages.flatMap(({ id }, index) =>
    index % 2 === 0 ? [{ asked: id, anchor: isSession ? (messages[index + 1]?.id ?? "") : id }] : [],
  );
}

const places: readonly TurnPlace[] = [{ chat: "a" }, { session: "s1" }];
const nameOf = ({ chat, session }: TurnPlace): string => (chat === undefined ? `session:${session}` : `chat:${chat}`);

test.each(places)("[A1b] an edit behind the call keeps a result that came later, and reads it: %o", async (place) => {
  const galley = await galleyIn();
  for (const input of ["Ask the writer.", "What is the time?"]) await galley.run({ ...place, input }).result;
  const [first, second] = await turnsOf(galley, place);
  await handedBack(galley, "write", "a poem", { place: nameOf(place), anchor: first?.anchor });
  await galley.run({ ...place, input: "Go on." }).result;
  const edit = galley.edit(place, second?.asked ?? "", "What is the date?");
  await edit.result;
  const sessionId = place.session ?? "chat:a";
  const builds = await galley.store.builds.list({ projectId: galley.project, sessionId });
  const last = await galley.store.builds.read({ projectId: galley.project, sessionId }, builds.length);
  expect(JSON.stringify(last?.messages).split("a poem")).toHaveLength(2);
  for (let more = 0; more < 2; more += 1) {
    const read = await next(galley, place);
    expect(read.filter((line) => line.includes("a poem"))).toHaveLength(1);
    expect(read.findIndex((line) => line.includes("a poem"))).toBe(2);
    await galley.run({ ...place, input: "Good." }).result;
  }
  await galley.edit(place, first?.asked ?? "", "Never mind.").result;
  expect((await next(galley, place)).join()).not.toContain("a poem");
});

test.each(places)("[A1b] a result that waits while its call is edited away stays a card: %o", async (place) => {
  const galley = await galleyIn();
  await galley.run({ ...place, input: "Hello." }).result;
  const asking = galley.run({ ...place, input: "Ask the writer." });
  await asking.result;
  const [, call] = await turnsOf(galley, place);
  const given = { place: nameOf(place), anchor: call?.anchor, turnId: asking.runId };
  const id = await handedBack(galley, "write", "a poem", given);
  const { project: projectId, store } = galley;
  // An edit that fails leaves the call where it was, and its result waits on.
  const failing = galley.edit(place, call?.asked ?? "", "Never mind.");
  failing.abort();
  await failing.result.catch(() => undefined);
  expect((await next(galley, place)).join()).toContain("a poem");
  await galley.edit(place, call?.asked ?? "", "Never mind.").result;
  expect((await next(galley, place)).join()).not.toContain("a poem");
  expect((await store.tasks.read(projectId, [id]))[0]).toMatchObject({ returnedTo: null });
});

test("[A1] a daemon that dies between the result's line and the note of it records it once", async () => {
  const galley = await galleyIn();
  const id = await handedBack(galley, "write", "a poem");
  const { tasks } = galley.store;
  const mark = tasks.markReturned.bind(tasks);
  Object.assign(tasks, { markReturned: () => Promise.reject(new Error("The process has died.")) });
  const turn = await galley.turn({ chat: "a", input: "Hello" });
  await expect(turn.commit({ assistant: "Hi." })).rejects.toThrow("has died");
  Object.assign(tasks, { markReturned: mark });
  for (const input of ["one", "two"]) await galley.run({ chat: "a", input }).result;
  const lines = linesOf(galley, "contexts/active.jsonl").filter(({ type }) => type === "result");
  expect(lines.map(({ taskId }) => taskId)).toEqual([id]);
  expect((await next(galley)).filter((line) => line.includes("a poem"))).toHaveLength(1);
  expect((await tasks.read(galley.project, [id]))[0]?.returnedTo).toEqual(expect.any(String));
});

test("[A1] two turns that got the same result record it once", async () => {
  const galley = await galleyIn();
  const chat = await galley.chats.open("a");
  const results = [{ type: "result", ts: 1, taskId: "t1", content: "a poem" } as const];
  for (const content of ["one", "two"]) {
    const said = [{ ts: chat.nextTime(), message: { role: "user", content } } as const];
    await chat.commitExchange({ transcript: said, active: said, results });
  }
  expect((await next(galley)).map((line) => line.split(" ").at(-1))).toEqual(["poem", "one", "two", "now?"]);
});

test("[A1] await_result gives it within the turn, and it does not come once more", async () => {
  const { galley } = await galleyWith(({ toolResults, tools, userTexts }) => {
    const tool = (name: string) => tools.find((each) => each.name === name) ?? { name };
    const last = toolResults.at(-1) ?? "";
    if (userTexts.join().includes("leaf")) return { text: "a poem" };
    if (last.includes("a poem") || userTexts.at(-1) === "And now?") return { text: "Here it is." };
    if (last === "") {
      return {
        tool: tool("delegate_async"),
        input: { target_strategy: "new", target_ref: "writer", instruction: "leaf" },
      };
    }
    return { tool: tool("await_result"), input: { task_id: /"task_id":\s*"(\w+)"/.exec(last)?.[1] } };
  });
  await addProfile(galley, "writer", "You write.");
  const run = galley.run({ chat: "a", input: "Ask and wait." });
  const results = (await eventsOf(run)).filter((event) => event.type === "tool:result");
  expect(JSON.stringify(results[1])).toContain("a poem");
  expect((await next(galley)).join()).not.toContain("a poem");
  const [task] = await galley.store.tasks.list(galley.project);
  expect(task?.returnedTo).toBe(run.runId);
});

test("[A1] results return to sessions as entries, and a branch that left the call behind does not get them", async () => {
  const galley = await galleyIn();
  const place = { session: "s1" };
  const first = galley.run({ ...place, input: "Ask the writer." });
  await first.result;
  const log = await galley.store.sessions.read({ projectId: galley.project, sessionId: "s1" });
  const anchor = log.findLast(({ type }) => type === "message")?.id;
  await handedBack(galley, "write", "a poem", { place: "session:s1", anchor, turnId: first.runId });
  expect((await next(galley, place)).map((line) => line.split("\n").at(-1))).toEqual([
    "user: Ask the writer.",
    expect.stringContaining("assistant: "),
    "a poem",
    "user: And now?",
  ]);
  await galley.run({ ...place, input: "Thank you." }).result;
  await galley.run({ ...place, input: "Good." }).result;
  expect((await next(galley, place)).filter((line) => line.includes("a poem"))).toHaveLength(1);
  const late = await handOver(galley, "more", { place: "session:s1", anchor, turnId: first.runId });
  const question = log.find(({ type }) => type === "message")?.id ?? "";
  await galley.edit(place, question, "Never mind.").result;
  await end(galley, late, { status: "succeeded", result: "another poem" });
  expect((await next(galley, place)).join()).not.toContain("poem");
});

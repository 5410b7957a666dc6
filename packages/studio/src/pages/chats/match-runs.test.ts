import { expect, test } from "vitest";
import { type MatchedMessage, type MatchedRun, isReplyStored, matchRuns } from "./match-runs.ts";
import { noRun } from "./run-view.ts";

const reply = (id: string, ts: number, content: unknown): MatchedMessage => ({ id, ts, role: "assistant", content });
const run = (runId: string, startedAt: number, text: string, more: Partial<MatchedRun> = {}): MatchedRun => ({
  runId,
  session: "chat:a",
  status: "finished",
  startedAt,
  finishedAt: startedAt + 1000,
  calls: [1],
  reply: { content: text },
  ...more,
});
const ids = (matches: ReadonlyMap<string, MatchedRun>) => [...matches].map(([id, { runId }]) => `${id} ${runId}`);

test("a reply finds its run by its text and time", () => {
  const runs = [run("r2", 100_000, "Yes."), run("r1", 0, "Yes.")];
  const messages = [reply("m1", 900, "Yes."), reply("m2", 100_800, [{ type: "text", text: "Yes." }])];
  expect(ids(matchRuns(messages, runs))).toEqual(["m2 r2", "m1 r1"]);
});

test("reasoning and calls of the reply do not count, chats do not keep them", () => {
  const content = [
    { type: "reasoning", text: "hm" },
    { type: "text", text: "Done." },
  ];
  expect(ids(matchRuns([reply("m1", 500, "Done.")], [run("r1", 0, "", { reply: { content } })]))).toEqual(["m1 r1"]);
});

test("what a stopped run had said finds it by its time: the run itself keeps no reply", () => {
  const stopped = { ...reply("m1", 500, "So"), isStopped: true };
  const aborted = run("r1", 0, "", { status: "aborted", reply: undefined });
  expect(ids(matchRuns([stopped], [aborted]))).toEqual(["m1 r1"]);
  expect(matchRuns([reply("m1", 500, "So")], [aborted]).size).toBe(0);
  expect(matchRuns([stopped], [run("r1", 0, "So")]).size).toBe(0);
});

test("another text, another time, an unfinished run or a user's message match nothing", () => {
  expect(matchRuns([reply("m1", 500, "No.")], [run("r1", 0, "Yes.")]).size).toBe(0);
  expect(matchRuns([reply("m1", 90_000, "Yes.")], [run("r1", 0, "Yes.")]).size).toBe(0);
  expect(matchRuns([reply("m1", 500, "Yes.")], [run("r1", 0, "Yes.", { status: "failed" })]).size).toBe(0);
  expect(matchRuns([{ ...reply("m1", 500, "Yes."), role: "user" }], [run("r1", 0, "Yes.")]).size).toBe(0);
});

test("a reply that is the newest message is stored; one that is still coming, or has failed, is not", () => {
  const view = { ...noRun, status: "finished", blocks: [{ kind: "text", text: "Yes. " }] } as const;
  expect(isReplyStored(view, reply("m1", 0, "Yes."))).toBe(true);
  expect(isReplyStored({ ...view, status: "running" }, reply("m1", 0, "Yes."))).toBe(true);
  expect(isReplyStored({ ...view, status: "failed" }, reply("m1", 0, "Yes."))).toBe(false);
  expect(isReplyStored(view, reply("m1", 0, "Yes, and more."))).toBe(false);
  expect(isReplyStored(view, { ...reply("m1", 0, "Yes."), role: "user" })).toBe(false);
  expect(isReplyStored({ ...view, status: "aborted" }, reply("m1", 0, "Yes."))).toBe(false);
  expect(isReplyStored({ ...view, status: "aborted" }, { ...reply("m1", 0, "Yes. And"), isStopped: true })).toBe(true);
  expect(isReplyStored({ ...view, status: "aborted" }, { ...reply("m1", 0, "No."), isStopped: true })).toBe(false);
  expect(isReplyStored({ ...view, blocks: [] }, reply("m1", 0, ""))).toBe(false);
  expect(isReplyStored(view, undefined)).toBe(false);
});

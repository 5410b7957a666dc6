import type { ModelMessage } from "@galley/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../ports/ports.ts";
import type { NewRun, RunHold, StoredRun } from "../ports/run-store.ts";
import { fresh } from "../testing/store-samples.ts";

const call = (id: string): ModelMessage => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: id, toolName: "search", input: { q: "\0\ud800" } }],
});
const answer = (id: string, value: string): ModelMessage => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId: id, toolName: "search", output: { type: "text", value } }],
});

/** What every store of runs promises. */
export function runStoreContract(name: string, open: () => Promise<Store>): void {
  describe(`runs on ${name}`, () => {
    let store: Store;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    const newRun = (over: Partial<NewRun> = {}): NewRun => ({
      projectId: "p",
      id: fresh("run"),
      place: { chat: "demo" },
      session: "chat:demo",
      model: "demo",
      request: { input: "hi", limits: { maxCalls: 3 } },
      inputTs: 900,
      worker: "w1",
      leaseMs: 10_000,
      now: 1000,
      ...over,
    });
    const started = async (over: Partial<NewRun> = {}): Promise<StoredRun> =>
      (await store.runs.start(newRun(over))).run;
    const reply = { role: "assistant", content: "done" } as const;
    const lost = { code: "RunLost", message: expect.stringContaining("is over") };

    test("[W11] a run begins once, and a repeat gives it as it stands", async () => {
      const asked = newRun();
      const first = await store.runs.start(asked);
      const { now: _now, leaseMs: _leaseMs, ...kept } = asked;
      expect(first.started).toBe(true);
      expect(first.run).toMatchObject({ ...kept, status: "running", attempt: 1, leaseUntil: 11_000 });
      expect(first.run).toMatchObject({ steps: [], calls: [], context: null, reply: null, startedAt: 1000 });
      await store.runs.save(first.run, { calls: [1] });
      // Keys in another order and another time are the same request.
      const again = { ...asked, request: { limits: { maxCalls: 3 }, input: "hi" }, inputTs: 5, now: 5, worker: "w2" };
      expect(await store.runs.start(again)).toEqual({ run: { ...first.run, calls: [1] }, started: false });
      for (const other of [{ request: { input: "ho" } }, { model: "m" }, { session: "s" }, { place: { agent: "a" } }]) {
        await expect(store.runs.start({ ...asked, ...other })).rejects.toMatchObject({ code: "DuplicateId" });
      }
      expect((await store.runs.start({ ...asked, projectId: fresh("project") })).started).toBe(true);
    });

    test("[W11] of several starts of one id, one begins it", async () => {
      const asked = newRun();
      const all = await Promise.all(Array.from({ length: 8 }, () => store.runs.start(asked)));
      expect(all.filter((each) => each.started)).toHaveLength(1);
    });

    test("[W11] what was saved is there for the worker that resumes: steps, calls, times", async () => {
      const run = await started();
      await store.runs.save(run, { steps: [call("a")], calls: [4] });
      await store.runs.save(run, { steps: [call("a"), answer("a", "one")] });
      const steps = [call("a"), answer("a", "other"), call("b")];
      await store.runs.save(run, { steps, replyTs: 1234, context: { switched: true } });
      const saved = { steps, calls: [4], replyTs: 1234, inputTs: 900, context: { switched: true } };
      expect(await store.runs.get("p", run.id)).toMatchObject(saved);
      await store.runs.save(run, {});
      expect(await store.runs.get("p", run.id)).toMatchObject(saved);
      await store.runs.save(run, { steps: [call("a")] });
      expect((await store.runs.get("p", run.id))?.steps).toEqual([call("a")]);
    });

    test("[W11] a run ends once; repeating the same end changes nothing, another one is lost", async () => {
      const run = await started();
      const outcome = { status: "finished", reply, result: { text: "done" } } as const;
      await store.runs.finish(run, outcome, 2000);
      const finished = await store.runs.get("p", run.id);
      expect(finished).toMatchObject({ ...outcome, finishedAt: 2000, leaseUntil: null, worker: null, error: null });
      await store.runs.finish(run, outcome, 3000);
      expect(await store.runs.get("p", run.id)).toEqual(finished);
      const error = { code: "ProviderFailed", message: "away", hint: "Try again." };
      await expect(store.runs.finish(run, { status: "failed", error }, 3000)).rejects.toMatchObject(lost);
      await expect(store.runs.save(run, { steps: [] })).rejects.toMatchObject(lost);
      expect(await store.runs.renew(run, 9000)).toBe(false);
      const failed = await started();
      await store.runs.finish(failed, { status: "failed", error }, 2000);
      expect(await store.runs.get("p", failed.id)).toMatchObject({ status: "failed", error, reply: null });
    });

    test("[W11] a run whose lease has ended is taken over once, with all that was saved", async () => {
      const projectId = fresh("project");
      const runs: StoredRun[] = [];
      for (let index = 0; index < 6; index += 1) runs.push(await started({ projectId, id: `r${index}` }));
      await store.runs.save(runs[0] as RunHold, { steps: [call("a")] });
      await store.runs.renew(runs[5] as RunHold, 60_000);
      const options = { now: 20_000, leaseMs: 5000, limit: 4 };
      expect(await store.runs.claimAbandoned(projectId, "w2", { ...options, now: 10_999 })).toEqual([]);
      const claims = await Promise.all(["w2", "w3", "w4"].map((w) => store.runs.claimAbandoned(projectId, w, options)));
      const claimed = claims.flat();
      expect(claimed.map(({ id }) => id).toSorted()).toEqual([...new Set(claimed.map(({ id }) => id))].toSorted());
      const rest = await store.runs.claimAbandoned(projectId, "w5", options);
      expect([...claimed, ...rest].map(({ id }) => id).toSorted()).toEqual(["r0", "r1", "r2", "r3", "r4"]);
      const first = claimed.find(({ id }) => id === "r0");
      expect(first).toMatchObject({ attempt: 2, leaseUntil: 25_000, steps: [call("a")] });
      // The worker that was thought dead learns of it, and writes nothing.
      await expect(store.runs.save(runs[0] as RunHold, { steps: [] })).rejects.toMatchObject(lost);
      expect(await store.runs.renew(runs[0] as RunHold, 99_000)).toBe(false);
      await expect(
        store.runs.finish(runs[0] as RunHold, { status: "finished", reply, result: null }, 1),
      ).rejects.toMatchObject(lost);
      await store.runs.release(runs[0] as RunHold);
      expect(await store.runs.get(projectId, "r0")).toEqual(first);
    });

    test("[W11] leases of a clock that was wrong are not waited for, and those of one's own runs do not count", async () => {
      const projectId = fresh("project");
      const year = 365 * 24 * 3_600_000;
      const [own, far, near] = ["own", "far", "near"].map((id) => ({ projectId, id }));
      await started({ ...own, worker: "w2", now: 1000, leaseMs: 1000 });
      await started({ ...far, now: 1000 + year, leaseMs: 1000 });
      await started({ ...near, now: 9000, leaseMs: 1000 });
      const options = { now: 9500, leaseMs: 1000, except: ["own"] };
      expect((await store.runs.claimAbandoned(projectId, "w2", options)).map(({ id }) => id)).toEqual(["far"]);
      // What another one has had is not kept from its follower.
      expect((await store.runs.claimAbandoned(projectId, "w3", options)).map(({ id }) => id)).toEqual(["own"]);
      // A worker that is alone need not wait for anybody.
      const alone = { ...options, now: 1, except: ["far"], isAlone: true };
      expect((await store.runs.claimAbandoned(projectId, "w2", alone)).map(({ id }) => id)).toEqual(["own", "near"]);
    });

    test("[W11] a machine whose clock is behind takes over no run with the longest lease", async () => {
      const projectId = fresh("project");
      await started({ projectId, now: 9000, leaseMs: 600_000 });
      expect(await store.runs.claimAbandoned(projectId, "w2", { now: 8000, leaseMs: 1000 })).toEqual([]);
    });

    test("[W11] a run that is handed back can be taken over at once", async () => {
      const projectId = fresh("project");
      const run = await started({ projectId });
      await store.runs.release(run);
      const [taken, ...others] = await store.runs.claimAbandoned(projectId, "w2", { now: 1001, leaseMs: 1000 });
      expect(taken).toMatchObject({ id: run.id, attempt: 2, worker: "w2" });
      expect(others).toEqual([]);
    });

    test("[W11] a run is aborted, no matter which worker holds it", async () => {
      const run = await started();
      const { id, projectId } = run;
      expect(await store.runs.abort({ projectId, id, reason: "Enough.", now: 3000 })).toBe(true);
      expect(await store.runs.get("p", id)).toMatchObject({
        status: "aborted",
        error: { message: "Enough." },
        finishedAt: 3000,
      });
      expect(await store.runs.renew(run, 9000)).toBe(false);
      expect(await store.runs.abort({ projectId, id, now: 3000 })).toBe(false);
      expect(await store.runs.abort({ projectId, id: "a\0", now: 3000 })).toBe(false);
    });

    test("[H9] lists are the project's own, newest first, and can be narrowed", async () => {
      const projectId = fresh("project");
      const chat = "a\0b";
      const a = await started({ projectId, id: "a", place: { chat }, session: `chat:${chat}` });
      await started({ projectId, id: "b", place: { session: "s" }, session: "s" });
      await started({ projectId, id: "c", place: { chat }, session: `chat:${chat}` });
      await store.runs.save(a, { steps: [call("x")] });
      await store.runs.finish(a, { status: "finished", reply, result: null }, 2000);
      const ids = async (filter = {}): Promise<string[]> =>
        (await store.runs.list(projectId, filter)).map(({ id }) => id);
      expect(await ids()).toEqual(["c", "b", "a"]);
      expect(await ids({ chat })).toEqual(["c", "a"]);
      expect(await ids({ session: "s" })).toEqual(["b"]);
      expect(await ids({ status: "running", limit: 1 })).toEqual(["c"]);
      expect((await store.runs.list(projectId, { limit: 3 })).at(-1)).toMatchObject({
        id: "a",
        place: { chat },
        reply,
      });
      expect(await store.runs.list(fresh("project"))).toEqual([]);
      expect(await store.runs.get(fresh("project"), "a")).toBeUndefined();
    });

    test("[M7] runs that have ended are deleted by age or with their session", async () => {
      const projectId = fresh("project");
      for (const [id, session] of [
        ["old", "s"],
        ["new", "s"],
        ["open", "s"],
        ["other", "t"],
      ] as const) {
        const run = await started({ projectId, id, session, place: { session } });
        await store.runs.save(run, { steps: [call(id)] });
        const now = id === "old" ? 2000 : 5000;
        if (id !== "open") await store.runs.finish(run, { status: "finished", reply, result: null }, now);
      }
      expect(await store.runs.prune(projectId, 5000)).toBe(1);
      expect(await store.runs.get(projectId, "old")).toBeUndefined();
      expect(await store.runs.purge({ projectId, sessionId: "s" })).toBe(1);
      expect((await store.runs.list(projectId)).map(({ id }) => id)).toEqual(["other", "open"]);
      expect(await store.runs.purge({ projectId, sessionId: "s" }, { running: true })).toBe(1);
      expect((await store.runs.list(projectId)).map(({ id }) => id)).toEqual(["other"]);
      // An id is free again, and nothing of the run before is left.
      expect(await started({ projectId, id: "old", session: "s" })).toMatchObject({ steps: [], attempt: 1 });
    });

    test.each(["", "a\0b", "x".repeat(201)])("%j cannot be an id", async (id) => {
      await expect(store.runs.start(newRun({ id }))).rejects.toMatchObject({ code: "InvalidId" });
      expect(await store.runs.get("p", id)).toBeUndefined();
    });
  });
}

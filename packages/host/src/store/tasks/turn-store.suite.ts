import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../ports/ports.ts";
import {
  cardOf,
  claimed,
  fork,
  fresh,
  holdOf,
  noCards,
  runningRoot,
  startOf,
  turnOf,
} from "../testing/store-samples.ts";
import { turnTreeContract } from "./turn-tree.suite.ts";
import type { Outcome } from "../ports/turn-store.ts";

const done: Outcome = { status: "succeeded", result: { answer: 42 } };
const failed = { status: "failed", error: { code: "Oops", message: "no" } } as const satisfies Outcome;

/** What every turn store promises. */
export function turnStoreContract(name: string, open: () => Promise<Store>): void {
  describe(`turns on ${name}`, () => {
    let store: Store;
    const p = "p";
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    test("[H8] a start writes cards, boxes, agents and turns together, and once", async () => {
      const id = fresh("t");
      const start = startOf(p, [{ id, deadline: 99_000, details: { tool: "x" } }]);
      const { created, turns } = await store.turns.start(start);
      expect(created).toBe(true);
      expect(turns[0]).toMatchObject({
        id,
        status: "queued",
        attempt: 0,
        depth: 0,
        rootTurnId: id,
        parentTurnId: null,
        batchId: null,
        contextBoxId: `${id}.context`,
        outputBoxId: `${id}.output`,
        outputStart: null,
        deadline: 99_000,
        details: { tool: "x" },
        result: null,
        error: null,
      });
      expect(await store.turns.start(start)).toMatchObject({ created: false, turns });
      expect(await store.cards.readCards(p, [`${id}.card`])).toEqual([cardOf(`${id}.card`)]);
      const [agent, nobody] = await store.turns.readAgents(p, [`${id}.agent`, "nobody"]);
      expect(agent).toMatchObject({ id: `${id}.agent`, outputBoxId: `${id}.output`, parentAgentId: null });
      expect(nobody).toBeUndefined();
    });

    test("[H8] the same start from several sides at once makes one set of turns", async () => {
      const start = startOf(p, [{ id: fresh("t") }, { id: fresh("t") }]);
      const starts = await Promise.all(Array.from({ length: 5 }, () => store.turns.start(start)));
      expect(starts.filter(({ created }) => created)).toHaveLength(1);
      expect(new Set(starts.map(({ turns }) => JSON.stringify(turns))).size).toBe(1);
    });

    test.each([
      ["an agent that nothing has", { agents: [] }, "NotFound"],
      ["a context box that nothing has", { boxes: [] }, "NotFound"],
      ["no turns", { turns: [] }, "BadRequest"],
      ["a suspension without a parent", { suspend: { cards: [] } }, "BadRequest"],
      ["a parent that does not run", { parent: { projectId: p, turnId: "nothing", attempt: 1 } }, "TurnLost"],
    ])("[H2] a start with %s writes nothing", async (_, part, code) => {
      const id = fresh("t");
      await expect(store.turns.start({ ...startOf(p, [{ id }]), ...part })).rejects.toMatchObject({ code });
      expect(await store.turns.read(p, [id])).toEqual([undefined]);
      expect(await store.cards.readCards(p, [`${id}.card`])).toEqual([undefined]);
    });

    test("[H8] new agents, turns and batches cannot have ids that others have", async () => {
      const parent = await runningRoot(store, p);
      const { batch, turns } = await fork(store, parent, [fresh("c")], { waits: false });
      const id = fresh("t");
      const start = startOf(p, [{ id }]);
      const taken = { code: "DuplicateId" };
      const agents = start.agents.map((agent) => ({ ...agent, id: parent.agentId }));
      await expect(store.turns.start({ ...start, agents })).rejects.toMatchObject(taken);
      await expect(fork(store, parent, [id], { batch: { id: batch!.id }, waits: false })).rejects.toMatchObject(taken);
      const second = { ...turns[0]!, details: {} };
      const both = { ...start, turns: [...start.turns, second] };
      await expect(store.turns.start(both)).rejects.toMatchObject(taken);
      await expect(store.turns.start({ ...both, turns: both.turns.toReversed() })).rejects.toMatchObject(taken);
      expect(await store.turns.read(p, [id])).toEqual([undefined]);
      expect(await store.cards.readCards(p, [`${id}.card`])).toEqual([undefined]);
    });

    test("[H8] of many claims of one turn one gets it, and each claim raises the attempt", async () => {
      const id = fresh("t");
      await store.turns.start(startOf(p, [{ id }]));
      const claim = { projectId: p, turnId: id, leaseMs: 10_000, now: 1000 };
      const claims = await Promise.all(
        Array.from({ length: 6 }, (_, n) => store.turns.claim({ ...claim, worker: `w${n}` })),
      );
      const [turn, ...others] = claims.filter((each) => each !== undefined);
      expect(others).toEqual([]);
      expect(turn).toMatchObject({
        status: "running",
        attempt: 1,
        leaseUntil: 11_000,
        outputStart: 0,
        startedAt: 1000,
      });
      await store.turns.release(holdOf(turn!), 2000);
      expect(await claimed(store, p, id, 3000)).toMatchObject({ attempt: 2, failures: 0, startedAt: 1000 });
    });

    test("[H8] a result is recorded once, with its cards; repeating it gives the same answer", async () => {
      const turn = await runningRoot(store, p);
      const outcome = { ...done, output: { cards: [cardOf(`${turn.id}.1`), cardOf(`${turn.id}.2`)] } };
      const first = await store.turns.finish(holdOf(turn), outcome, 2000);
      expect(first.turn).toMatchObject({
        status: "succeeded",
        result: { answer: 42 },
        outputStart: 0,
        outputEnd: 2,
        finishedAt: 2000,
        leaseUntil: null,
      });
      expect((await store.turns.finish(holdOf(turn), outcome, 3000)).turn).toEqual(first.turn);
      const box = await store.cards.openBox(p, turn.outputBoxId);
      expect(box?.items).toEqual([1, 2].map((n) => ({ cardId: `${turn.id}.${n}`, origin: "output" })));
      await expect(store.turns.finish(holdOf(turn), failed, 3000)).rejects.toMatchObject({ code: "TurnLost" });
    });

    test("[H8] whatever a turn results in survives: NUL, half surrogates, null", async () => {
      for (const result of ["a\0b\ud800", null, [1.5, { deep: "\udfff" }]]) {
        const turn = await runningRoot(store, p);
        await store.turns.finish(holdOf(turn), { status: "succeeded", result }, 2000);
        expect((await turnOf(store, p, turn.id)).result).toEqual(result);
      }
    });

    test("[H8] a worker that lost its turn can write nothing", async () => {
      const old = await runningRoot(store, p);
      await store.turns.release(holdOf(old), 1500);
      const present = await claimed(store, p, old.id, 2000);
      const cards = [cardOf(`${old.id}.late`)];
      const hold = holdOf(old);
      const lost = { code: "TurnLost" };
      await expect(store.turns.finish(hold, { ...done, output: { cards } }, 2000)).rejects.toMatchObject(lost);
      await expect(store.turns.record(hold, { cards }, 2000)).rejects.toMatchObject(lost);
      await expect(store.turns.suspend(hold, { batchId: "b", now: 2000 })).rejects.toMatchObject(lost);
      await expect(store.turns.retry(hold, { error: failed.error, retryAt: 1, now: 1 })).rejects.toMatchObject(lost);
      await expect(store.turns.release(hold, 2000)).rejects.toMatchObject(lost);
      await expect(fork(store, old, [fresh("c")])).rejects.toMatchObject(lost);
      expect(await store.turns.renew(hold, { leaseMs: 1, now: 2000 })).toBe(false);
      expect(await store.turns.renew(holdOf(present), { leaseMs: 5000, now: 2000 })).toBe(true);
      expect(await turnOf(store, p, old.id)).toMatchObject({ status: "running", attempt: 2, leaseUntil: 7000 });
      expect(await store.cards.readCards(p, [`${old.id}.late`])).toEqual([undefined]);
    });

    test("[H8] what is recorded in the middle of a turn stays when another worker takes over", async () => {
      const turn = await runningRoot(store, p);
      const output = { cards: [cardOf(`${turn.id}.step`)] };
      await store.turns.record(holdOf(turn), output, 1500);
      await store.turns.record(holdOf(turn), output, 1500);
      expect(await store.turns.sweep(11_000)).toMatchObject({ recovered: expect.arrayContaining([turn.id]) });
      const next = await claimed(store, p, turn.id, 11_000);
      expect(next).toMatchObject({ attempt: 2, failures: 1, outputStart: 0 });
      expect((await store.cards.openBox(p, turn.outputBoxId))?.items).toHaveLength(1);
    });

    test("[H8] a heart-beat keeps the lease; without one the turn comes back, and too often makes it fail", async () => {
      const turn = await runningRoot(store, p, { maxFailures: 2 });
      expect(await store.turns.renew(holdOf(turn), { leaseMs: 10_000, now: 9000 })).toBe(true);
      expect((await store.turns.sweep(18_999)).recovered).not.toContain(turn.id);
      expect((await store.turns.sweep(19_000)).recovered).toContain(turn.id);
      await claimed(store, p, turn.id, 20_000);
      expect((await store.turns.sweep(30_000)).failed).toContain(turn.id);
      expect(await turnOf(store, p, turn.id)).toMatchObject({
        status: "failed",
        error: { code: "WorkerLost" },
        failures: 2,
      });
    });

    test("[H8] a retry waits for its time, and the last one fails with the error", async () => {
      const turn = await runningRoot(store, p, { maxFailures: 2 });
      const error = { code: "Overloaded", message: "try later" };
      const again = await store.turns.retry(holdOf(turn), { error, retryAt: 5000, now: 2000 });
      expect(again.turn).toMatchObject({ status: "queued", failures: 1, notBefore: 5000, error });
      const claim = { projectId: p, turnId: turn.id, worker: "w", leaseMs: 1000 };
      expect(await store.turns.claim({ ...claim, now: 4999 })).toBeUndefined();
      const second = await claimed(store, p, turn.id, 5000);
      const last = await store.turns.retry(holdOf(second), { error, retryAt: 9000, now: 6000 });
      expect(last.turn).toMatchObject({ status: "failed", failures: 2, error, finishedAt: 6000 });
    });

    test("[H8] what a clock that was wrong has put off, or leased for a year, is not waited for", async () => {
      const year = 365 * 24 * 3_600_000;
      const wrong = 1_800_000_000_000 + year;
      const putOff = fresh("t");
      await store.turns.start({ ...startOf(p, [{ id: putOff }]), now: wrong });
      const held = fresh("t");
      await store.turns.start({ ...startOf(p, [{ id: held, maxFailures: 5 }]), now: wrong });
      const claim = { projectId: p, worker: "w", leaseMs: 30_000 };
      const turn = await store.turns.claim({ ...claim, turnId: held, now: wrong });
      // Right again.
      const now = wrong - year;
      expect(await store.turns.claim({ ...claim, turnId: putOff, now })).toBeUndefined();
      expect((await store.turns.sweep(now)).recovered).toContain(held);
      expect(await store.turns.claim({ ...claim, turnId: putOff, now })).toMatchObject({ attempt: 1 });
      expect(await store.turns.claim({ ...claim, turnId: held, now })).toMatchObject({ attempt: 2 });
      // Whoever held it under the wrong clock has lost it.
      await expect(store.turns.finish(holdOf(turn!), done, now)).rejects.toMatchObject({ code: "TurnLost" });
    });

    test("[H8] a machine whose clock is behind leaves the longest lease and the longest delay alone", async () => {
      const now = 1_900_000_000_000;
      const behind = now - 5000;
      const [held, putOff] = [fresh("t"), fresh("t")];
      await store.turns.start({ ...startOf(p, [{ id: held }, { id: putOff }]), now });
      const claim = { projectId: p, worker: "w", leaseMs: 600_000, now };
      await store.turns.claim({ ...claim, turnId: held });
      const retried = await store.turns.claim({ ...claim, turnId: putOff });
      const retryAt = now + 600_000;
      await store.turns.retry(holdOf(retried!), { error: failed.error, retryAt, now });
      expect((await store.turns.sweep(behind)).recovered).not.toContain(held);
      expect(await turnOf(store, p, held)).toMatchObject({ status: "running", attempt: 1 });
      expect(await turnOf(store, p, putOff)).toMatchObject({ status: "queued", notBefore: retryAt });
    });

    test("[H8] a deadline holds: for claims, heart-beats, results and turns that nobody runs", async () => {
      const queued = fresh("t");
      await store.turns.start(startOf(p, [{ id: queued, deadline: 5000 }]));
      const running = await runningRoot(store, p, { deadline: 5000 });
      const finishing = await runningRoot(store, p, { deadline: 5000 });
      const claim = { projectId: p, turnId: queued, worker: "w", leaseMs: 1000 };
      expect(await store.turns.claim({ ...claim, now: 5000 })).toBeUndefined();
      expect(await store.turns.renew(holdOf(running), { leaseMs: 1000, now: 5000 })).toBe(false);
      const late = await store.turns.finish(holdOf(finishing), done, 5000);
      expect(late.turn).toMatchObject({ status: "timeout", result: null, error: { code: "Timeout" } });
      expect((await store.turns.sweep(4999)).timedOut).not.toContain(queued);
      expect((await store.turns.sweep(5000)).timedOut).toEqual(expect.arrayContaining([queued, running.id]));
      await expect(store.turns.finish(holdOf(running), done, 5001)).rejects.toMatchObject({ code: "TurnLost" });
    });

    test("[H8] turns of one agent run one after the other, and each knows where its output began", async () => {
      const first = await runningRoot(store, p);
      const ids = [fresh("t"), fresh("t")] as const;
      for (const id of ids) {
        const turns = [{ id, agentId: first.agentId, contextBoxId: first.contextBoxId }];
        await store.turns.start({ projectId: p, ...noCards, turns, now: 1000 });
      }
      const claim = (turnId: string) => store.turns.claim({ projectId: p, turnId, worker: "w", leaseMs: 9, now: 2000 });
      expect(await claim(ids[0])).toBeUndefined();
      const outcome = { ...done, output: { cards: [cardOf(fresh("c")), cardOf(fresh("c"))] } };
      expect((await store.turns.finish(holdOf(first), outcome, 2000)).queued).toEqual([ids[0]]);
      expect(await claim(ids[1])).toBeUndefined();
      expect(await claim(ids[0])).toMatchObject({ outputStart: 2, outputBoxId: first.outputBoxId });
    });

    test("[H9] turns, batches and agents of another project are not found", async () => {
      const turn = await runningRoot(store, p);
      const { batch } = await fork(store, turn, [fresh("c")]);
      const other = fresh("p");
      expect(await store.turns.read(other, [turn.id])).toEqual([undefined]);
      expect(await store.turns.readAgents(other, [turn.agentId])).toEqual([undefined]);
      expect(await store.turns.readBatches(other, [batch!.id])).toEqual([undefined]);
      expect(await store.turns.lineage(other, turn.id)).toEqual([]);
      expect(await store.turns.list(other)).toEqual([]);
      const claim = { projectId: other, turnId: turn.id, worker: "w", leaseMs: 1, now: 9000 };
      expect(await store.turns.claim(claim)).toBeUndefined();
      expect(await store.turns.cancel({ projectId: other, turnId: turn.id, now: 1 })).toEqual([]);
      const hold = { ...holdOf(turn), projectId: other };
      await expect(store.turns.finish(hold, done, 1)).rejects.toMatchObject({ code: "TurnLost" });
    });

    turnTreeContract(() => store);
  });
}

import type { JsonObject, ModelMessage } from "@galley/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../store/ports/ports.ts";
import { forkInTask, forkJoin } from "./fork-join.ts";
import { join } from "./join.ts";
import type { ForkResult } from "./results.ts";
import { type StoreUnderTest, World, refusal } from "../testing/world.ts";

const said = (content: string): ModelMessage => ({ role: "assistant", content });
const taskFor = (more: JsonObject = {}): JsonObject => ({
  target_strategy: "new",
  target_ref: "coder",
  instruction: "Do it.",
  ...more,
});

/** What forks and joins promise on every store. */
export function forkContract({ name, open }: StoreUnderTest): void {
  describe(`forking on ${name}`, () => {
    let store: Store;
    let world: World;
    beforeAll(async () => {
      store = await open();
      world = await World.open(store);
    });
    afterAll(() => store.close());

    test("[H7] a fork's results come by task index with the status of the batch, and the join says what it left out", async () => {
      const owner = await world.agent();
      const fork = await forkJoin(
        { tasks: ["a", "b", "c"].map((text) => taskFor({ instruction: text })) },
        owner,
        world.handover,
      );
      expect(fork).toMatchObject({
        status: "running",
        results: [{ task_index: 0 }, { task_index: 1 }, { task_index: 2 }],
      });
      const long = "word ".repeat(400);
      for (const index of [2, 0, 1]) {
        const child = await world.claim(fork.results[index]?.task_id ?? "");
        await world.say(child, said(`long ${long}`));
        await world.finish(child, `answer ${index}`);
      }
      const all = await join({ batch_id: fork.batch_id }, owner, world.handover);
      expect(all.left_out).toEqual([]);
      // Room for all answers and one of the long texts, however the tokenizer counts.
      const room = Math.floor(all.tokens / 2);
      const joined = await join({ batch_id: fork.batch_id, max_tokens: room }, owner, world.handover);
      expect(joined).toMatchObject({ status: "success", batch_id: fork.batch_id });
      expect(joined.tokens).toBeLessThanOrEqual(room);
      const contents = await world.texts(joined.box_id);
      for (const index of [0, 1, 2]) {
        const at = contents.findIndex((text) => text?.startsWith(`Output of task ${index}`));
        expect(contents.slice(at)).toContain(`answer ${index}`);
      }
      expect(joined.left_out.map((share) => share["cards"])).toEqual([1, 1]);
      // The box is the joiner's own, and may be passed on.
      expect(await world.delegate({ context_box_id: joined.box_id }, owner)).toMatchObject({ depth: 1 });
      expect(await refusal(join({ batch_id: fork.batch_id, max_tokens: 1 }, owner, world.handover))).toMatchObject({
        path: "args.max_tokens",
      });
      expect(await refusal(join({ batch_id: fork.batch_id }, await world.agent(), world.handover))).toMatchObject({
        code: "NotFound",
      });
    });

    test.each<[string, string[], ForkResult["status"]]>([
      ["all succeed", ["succeeded", "succeeded"], "success"],
      ["some do", ["succeeded", "failed"], "partial"],
      ["none does", ["failed", "failed"], "failed"],
      ["a deadline passes", ["timeout", "timeout"], "timeout"],
    ])("[H7] when %s, the batch says so", async (_, endings, status) => {
      const owner = await world.agent();
      const { results, batch_id } = await forkJoin(
        { tasks: endings.map(() => taskFor()), deadline_seconds: 100 },
        owner,
        world.handover,
      );
      for (const [index, ending] of endings.entries()) {
        if (ending === "timeout") continue;
        const { hold } = await world.claim(results[index]?.task_id ?? "");
        const outcome =
          ending === "succeeded"
            ? { status: "succeeded" as const, result: 1 }
            : { status: "failed" as const, error: { code: "x", message: "y" } };
        await store.tasks.finish(hold, outcome, Date.now());
      }
      if (endings.includes("timeout")) await store.tasks.sweep(Date.now() + 101_000);
      const [batch] = await store.tasks.readBatches(world.projectId, [batch_id]);
      expect(batch?.status).toBe(status);
    });

    test("[H8] trees that use each other's agents again cannot be made to wait for each other", async () => {
      const ids = await Promise.all(
        [0, 1, 2].map(async () => (await world.finish(await world.agent(), "made")).agentId),
      );
      const agents = await Promise.all(
        ids.map((id, index) => {
          const agent_refs = [ids[(index + 1) % ids.length] ?? ""];
          return world.agent({ target_strategy: "reuse", target_ref: id, agent_refs });
        }),
      );
      // Each forks to the next one, all at once: whichever comes last would close the circle.
      const forks = agents.map((agent, index) => {
        const next = agents[(index + 1) % agents.length]?.agentId ?? "";
        const request = { tasks: [taskFor(), taskFor({ target_strategy: "reuse", target_ref: next })] };
        return forkInTask(request, { ...agent, callId: "fork" }, world.handover);
      });
      const ends = await Promise.allSettled(forks);
      expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
      const refused = ends.findIndex(({ status }) => status === "rejected");
      expect(await refusal(forks[refused] as Promise<unknown>)).toMatchObject({
        code: "BadRequest",
        path: "args.tasks.1.target_ref",
      });
      const loser = agents[refused] as (typeof agents)[number];
      expect(await store.tasks.list(world.projectId, { parentTaskId: loser.hold.taskId })).toEqual([]);
      // It may still ask without waiting, and then all comes to an end.
      const next = agents[(refused + 1) % agents.length]?.agentId ?? "";
      await world.delegate({ target_strategy: "reuse", target_ref: next }, loser);
      await world.finish(loser, "done");
      const tasks = await store.tasks.list(world.projectId, { agentId: loser.agentId });
      const waiting = tasks.find(({ finishedAt }) => finishedAt === null);
      expect(await world.finish(await world.claim(waiting?.id ?? ""), "at last")).toMatchObject({
        status: "succeeded",
      });
    });

    test("[H7] fail_fast cancels what is still open", async () => {
      const owner = await world.agent();
      const { results, batch_id } = await forkJoin(
        { tasks: [taskFor(), taskFor(), taskFor()], fail_fast: true },
        owner,
        world.handover,
      );
      const { hold } = await world.claim(results[1]?.task_id ?? "");
      await store.tasks.finish(hold, { status: "failed", error: { code: "x", message: "y" } }, Date.now());
      const tasks = await store.tasks.list(world.projectId, { batchId: batch_id });
      expect(tasks.map((task) => task.status)).toEqual(["cancelled", "failed", "cancelled"]);
    });
  });
}

import { setTimeout as sleep } from "node:timers/promises";
import { GalleyError, type JsonObject, type ModelMessage, loadTokenizer } from "@galley/engine";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Store } from "../store/ports.ts";
import type { Turn } from "../store/turn-store.ts";
import type { TurnBuild } from "./build-turn.ts";
import { handoverTools } from "./handover-tools.ts";
import { serveCalls } from "./serve-calls.ts";
import type { RunTurn, TurnRun } from "./turn-run.ts";
import { type Worker, type WorkerOptions, startWorker } from "./worker.ts";
import { type StoreUnderTest, World } from "./world.test-support.ts";

const patience = { timeout: 25_000, interval: 20 };
const said = (content: string): ModelMessage => ({ role: "assistant", content });
const answer =
  (text: string): RunTurn =>
  async () => ({ status: "done", messages: [said(text)] });
const plain = ({ messages }: TurnBuild): string[] =>
  messages.map(({ role, content }) => `${role}: ${typeof content === "string" ? content : JSON.stringify(content)}`);
const callOf = (name: string, input: JsonObject, id = "call-1"): ModelMessage => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: id, toolName: name, input }],
});

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
  });
}

/** What workers promise on every store. */
export function workerContract({ name, open }: StoreUnderTest): void {
  describe(`workers on ${name}`, () => {
    let store: Store;
    let world: World;
    const workers: Worker[] = [];
    beforeAll(async () => {
      store = await open();
      world = await World.open(store);
    });
    afterEach(async () => {
      await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    });
    afterAll(() => store.close());

    const work = async (runTurn: RunTurn, more: Partial<WorkerOptions> & { budget?: number } = {}): Promise<Worker> => {
      const context = {
        config: { maxInputTokens: more.budget ?? 100_000 },
        tokenizer: await loadTokenizer("o200k_base"),
      };
      const worker = await startWorker({ store, runTurn, context, retryDelay: () => 1, ...more });
      workers.push(worker);
      return worker;
    };
    const ended = (id: string): Promise<Turn> =>
      vi.waitUntil(async () => {
        const turn = await world.turn(id);
        return turn.finishedAt === null ? undefined : turn;
      }, patience);

    test("[H3] the model reads profile and pointer, what was inherited, the instruction, and then the turn's own output", async () => {
      const passed = await world.box([{ role: "user", content: "Is it {{date}}?" }, said("It is.")]);
      const turn = await world.delegate({ context_box_id: passed });
      const builds: TurnBuild[] = [];
      await work(async (run) => {
        builds.push(run.build);
        const next = await run.record([
          callOf("none", {}),
          {
            role: "tool",
            content: [
              { type: "tool-result", toolCallId: "call-1", toolName: "none", output: { type: "text", value: "ok" } },
            ],
          },
        ]);
        builds.push(next.build);
        return { status: "done", messages: [said("Done.")] };
      });
      expect(await ended(turn.id)).toMatchObject({
        status: "succeeded",
        result: "Done.",
        outputStart: 0,
        outputEnd: 4,
      });
      expect(builds.map(plain)[0]).toEqual([
        "system: You are the coder.",
        "system: You work for the agent person, which has handed you this task and gets your result.",
        "user: Is it {{date}}?",
        "assistant: It is.",
        "user: Do it.",
      ]);
      expect(builds[1]?.messages.slice(0, 5)).toEqual(builds[0]?.messages);
      expect(builds[1]?.messages.slice(5).map(({ role }) => role)).toEqual(["assistant", "tool"]);
      const box = await store.cards.openBox(world.projectId, turn.outputBoxId);
      expect(box?.items.map(({ origin }) => origin)).toEqual(["packed", "output", "output", "output"]);
    });

    test("[H3] every card has one row that says what became of it", async () => {
      const cards = world.cards([{ role: "user", content: "old" }, said(""), said("kept")]);
      const passed = await world.boxOf(cards);
      const turn = await world.delegate({ context_box_id: passed, result_fields: ["score"] });
      let build: TurnBuild | undefined;
      await work(async (run) => {
        build = run.build;
        return { status: "done", result: { score: 1 } };
      });
      expect(await ended(turn.id)).toMatchObject({ status: "succeeded", result: { score: 1 } });
      expect(build?.cards.map(({ section, fate, rule, position }) => [section, fate, rule, position])).toEqual([
        ["profile", "kept", undefined, 0],
        ["pointer", "kept", undefined, 1],
        ["inherited", "kept", undefined, 2],
        ["inherited", "dropped", "empty", undefined],
        ["inherited", "kept", undefined, 3],
        ["instruction", "kept", undefined, 4],
        ["instruction", "kept", undefined, 4],
      ]);
      const counted = build?.cards.reduce((sum, row) => sum + (row.tokens ?? 0), 0) ?? 0;
      const ledger = build?.ledger.reduce((sum, row) => sum + (row.position === undefined ? 0 : (row.tokens ?? 0)), 0);
      expect(counted).toBe(ledger);
    });

    test("[H5] an inherited open tool call is closed with a note, and a deleted card has a row that says so", async () => {
      const cards = world.cards([said("secret"), callOf("search", {})]);
      const passed = await world.boxOf(cards);
      const turn = await world.delegate({ context_box_id: passed });
      await store.cards.deleteCards(world.projectId, [cards[0]?.id ?? ""]);
      let build: TurnBuild | undefined;
      await work(async (run) => {
        build = run.build;
        expect(run.openCalls).toEqual([]);
        return { status: "done", messages: [said("ok")] };
      });
      await ended(turn.id);
      expect(build?.messages.slice(2).map(({ role }) => role)).toEqual(["assistant", "tool", "user"]);
      expect(JSON.stringify(build?.messages[3])).toContain("handed over before it had a result");
      const rows = build?.cards.filter(({ section }) => section === "inherited");
      expect(rows?.map(({ fate, rule, position }) => [fate, rule, position])).toEqual([
        ["dropped", "deleted", undefined],
        ["kept", undefined, 2],
      ]);
    });

    test("[H3] a later turn of the same agent reads what it was asked and what it answered before", async () => {
      const first = await world.delegate({ instruction: "One?" });
      const seen: string[][] = [];
      await work(async ({ build, turn }) => {
        seen.push(plain(build));
        return { status: "done", messages: [said(`answer to ${turn.id}`)] };
      });
      await ended(first.id);
      const second = await world.delegate({
        target_strategy: "reuse",
        target_ref: first.agentId,
        instruction: "Two?",
        result_fields: ["x"],
      });
      await vi.waitUntil(() => seen.length >= 2, patience);
      expect(seen[1]?.slice(2)).toEqual([
        "user: One?",
        `assistant: answer to ${first.id}`,
        expect.stringMatching(/^user: .*Two\?.*- x /),
      ]);
      await ended(second.id);
    });

    test("[H3] a result that breaks its contract is refused, the next attempt is told why, and only a valid one counts", async () => {
      const turn = await world.delegate({ result_fields: [{ name: "score", type: "number" }] });
      const seen: string[] = [];
      const replies = ["no JSON", '{"score": "high"}', 'Here:\n```json\n{"score": 7, "why": "good"}\n```'];
      await work(async ({ build }) => {
        seen.push(plain(build).join("\n"));
        return { status: "done", messages: [said(replies[seen.length - 1] ?? "")] };
      });
      expect(await ended(turn.id)).toMatchObject({
        status: "succeeded",
        attempt: 3,
        result: { score: 7, why: "good" },
      });
      expect(seen[0]).not.toContain("contract");
      expect(seen[1]).toContain("The answer holds no JSON object.");
      expect(seen[2]).toContain("result.score must be of type number");
      const box = await store.cards.openBox(world.projectId, turn.outputBoxId);
      expect(box?.items.map(({ origin }) => origin)).toEqual(["packed", "packed", "output"]);
    });

    test("[H3] under a small budget the instruction stays, and what was decided holds for the rest of the turn", async () => {
      const history = Array.from({ length: 60 }, (_, index): ModelMessage => ({
        role: index % 2 ? "assistant" : "user",
        content: `${index} ${"word ".repeat(30)}`,
      }));
      const turn = await world.delegate({ context_box_id: await world.box(history), instruction: "The task." });
      const builds: TurnBuild[] = [];
      await work(
        async (run) => {
          const next = await run.record([said("step")]);
          builds.push(run.build, next.build);
          return { status: "done", messages: [said("end")] };
        },
        { budget: 1000 },
      );
      await ended(turn.id);
      const [before, after] = builds;
      expect(before?.stats.inputTokens).toBeLessThanOrEqual(1000);
      expect(before?.messages.at(-1)).toEqual({ role: "user", content: "The task." });
      expect(after?.messages.slice(0, -1)).toEqual(before?.messages);
      for (const build of builds) {
        expect(build.cards.filter(({ section }) => section === "inherited")).toHaveLength(60);
        expect(build.cards.filter(({ fate, rule }) => fate === "dropped" && rule === "limit").length).toBeGreaterThan(
          20,
        );
      }
    });

    test("[H8] what fails is tried again, three times at most; what cannot succeed is not", async () => {
      const flaky = await world.delegate({ instruction: "flaky" });
      const broken = await world.delegate({ instruction: "broken" });
      const hopeless = await world.delegate({ instruction: "hopeless" });
      await work(async ({ turn }) => {
        if (turn.id === flaky.id && turn.attempt === 3) return { status: "done", messages: [said("at last")] };
        if (turn.id === hopeless.id) throw new GalleyError("BadRequest", "It will never work.");
        throw new Error(`attempt ${turn.attempt}`);
      });
      expect(await ended(flaky.id)).toMatchObject({ status: "succeeded", attempt: 3, failures: 2, error: null });
      expect(await ended(broken.id)).toMatchObject({
        status: "failed",
        attempt: 3,
        error: { code: "TurnFailed", message: "attempt 3" },
      });
      expect(await ended(hopeless.id)).toMatchObject({ status: "failed", attempt: 1, error: { code: "BadRequest" } });
    });

    test("[H8] a cancelled turn is told to stop, and a deadline holds", async () => {
      const hang: RunTurn = ({ signal }) => untilAborted(signal);
      const cancelled = await world.delegate();
      const late = await world.delegate({ deadline_seconds: 1 });
      const lost: string[] = [];
      await work(hang, {
        concurrency: 2,
        leaseMs: 300,
        onEvent: (event) => event.type === "turn:lost" && lost.push(event.turn.id),
      });
      await vi.waitUntil(async () => (await world.turn(cancelled.id)).status === "running", patience);
      await store.turns.cancel({ projectId: world.projectId, turnId: cancelled.id, now: Date.now() });
      expect(await ended(cancelled.id)).toMatchObject({ status: "cancelled" });
      await vi.waitUntil(() => lost.includes(cancelled.id), patience);
      expect(await ended(late.id)).toMatchObject({ status: "timeout" });
    });

    test("[H8] a worker that stops gives its turn back, and another goes on behind what was recorded", async () => {
      const turn = await world.delegate();
      const first = await work(async (run) => {
        const next = await run.record([said("half")]);
        return untilAborted(next.signal);
      });
      await vi.waitUntil(async () => (await world.readBox(turn.outputBoxId)).items.length === 2, patience);
      await first.stop();
      expect(await world.turn(turn.id)).toMatchObject({ status: "queued", failures: 0 });
      let seen: string[] = [];
      await work(async ({ build }) => {
        seen = plain(build);
        return { status: "done", messages: [said("whole")] };
      });
      expect(await ended(turn.id)).toMatchObject({ status: "succeeded", attempt: 2 });
      expect(seen.at(-1)).toBe("assistant: half");
    });

    test("[H8] a worker that dies is replaced, and its late result does not count", async () => {
      const turn = await world.delegate();
      const { projectId } = world;
      const dead = await vi.waitUntil(
        () => store.turns.claim({ projectId, turnId: turn.id, worker: "dead", leaseMs: 50, now: Date.now() }),
        patience,
      );
      await sleep(60);
      await work(answer("from the second"));
      expect(await ended(turn.id)).toMatchObject({
        status: "succeeded",
        attempt: 2,
        failures: 1,
        result: "from the second",
      });
      const hold = { projectId, turnId: turn.id, attempt: dead.attempt };
      await expect(
        store.turns.finish(hold, { status: "succeeded", result: "from the first" }, Date.now()),
      ).rejects.toMatchObject({ code: "TurnLost" });
    });

    /** An agent that forks once and answers with what comes back; its children answer with their index. */
    const forking = (tasks: readonly JsonObject[], more: JsonObject = {}): RunTurn => {
      const tools = handoverTools({ store });
      return async (run: TurnRun) => {
        if (run.turn.depth > 0) {
          if (run.build.messages.at(-1)?.content === "fail") throw new GalleyError("BadRequest", "It was told to.");
          return { status: "done", messages: [said(`child ${run.turn.taskIndex}`)] };
        }
        const isFirst = run.openCalls.length === 0;
        const asked = isFirst
          ? await run.record([callOf("fork_join", { tasks: tasks as JsonObject[], ...more })])
          : run;
        const served = await serveCalls(asked, tools);
        if (!served) return { status: "suspended" };
        const last = served.build.messages.at(-1);
        const part = typeof last?.content === "string" ? undefined : last?.content[0];
        return {
          status: "done",
          messages: [said("joined")],
          result: part?.type === "tool-result" && part.output.type === "json" ? part.output.value : "no result",
        };
      };
    };
    const task = (instruction = "x"): JsonObject => ({ target_strategy: "new", target_ref: "writer", instruction });

    test("[H7] a fork parks its turn, so that even one worker at a time runs the children and then the parent", async () => {
      const parent = await world.delegate();
      await work(forking([task(), task(), task()]));
      const turn = await ended(parent.id);
      expect(turn).toMatchObject({ status: "succeeded", failures: 0 });
      expect(turn.result).toMatchObject({
        status: "success",
        results: [0, 1, 2].map((index) => ({ task_index: index, status: "succeeded", result: `child ${index}` })),
      });
      expect(await store.turns.list(world.projectId, { parentTurnId: parent.id })).toHaveLength(3);
      const box = await store.cards.openBox(world.projectId, parent.outputBoxId);
      expect(box?.cards.map((card) => card?.content.kind)).toEqual(["text", "tool-call", "tool-result", "text"]);
    });

    test("[H7] the parent learns which of its tasks failed", async () => {
      const parent = await world.delegate();
      await work(forking([task(), task("fail")]));
      expect((await ended(parent.id)).result).toMatchObject({
        status: "partial",
        results: [{ status: "succeeded" }, { status: "failed", error: { code: "BadRequest" } }],
      });
    });

    test("[H4] a call that the model got wrong comes back to it as an error with the path", async () => {
      const parent = await world.delegate();
      let result: ModelMessage | undefined;
      await work(async (run) => {
        if (run.build.messages.at(-1)?.role === "user") {
          const served = await serveCalls(
            await run.record([callOf("fork_join", { tasks: [{ target_ref: "x" }] })]),
            handoverTools({ store }),
          );
          result = served?.build.messages.at(-1);
        }
        return { status: "done", messages: [said("ok")] };
      });
      await ended(parent.id);
      expect(result?.content).toMatchObject([
        { output: { type: "error-json", value: { code: "BadRequest", path: "args.tasks.0.target_strategy" } } },
      ]);
    });
  });
}

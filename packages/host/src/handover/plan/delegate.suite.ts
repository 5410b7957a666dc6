import type { JsonObject, ModelMessage } from "@galley/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../store/ports/ports.ts";
import { askExpert, delegateAsync, launchPrincipal } from "./delegate.ts";
import { forkJoin } from "./fork-join.ts";
import type { Caller } from "../options/caller.ts";
import { handoverTools } from "./handover-tools.ts";
import { valueOf } from "../../tools/run-tool.ts";
import { specOf } from "../../tools/tool-specs.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { type StoreUnderTest, World, refusal } from "../testing/world.ts";

const said = (content: string): ModelMessage => ({ role: "assistant", content });
const taskFor = (more: JsonObject = {}): JsonObject => ({
  target_strategy: "new",
  target_ref: "coder",
  instruction: "Do it.",
  ...more,
});

/** What delegating promises on every store. */
export function delegateContract({ name, open, dump }: StoreUnderTest): void {
  describe(`delegating on ${name}`, () => {
    let store: Store;
    let world: World;
    beforeAll(async () => {
      store = await open();
      world = await World.open(store);
    });
    afterAll(() => store.close());

    const call = async (tool: string, args: unknown, caller: Caller = world.person): Promise<JsonObject> => {
      const found = handoverTools({ store }, () => caller).find((each) => each.name === tool);
      const outcome = await found?.execute?.(args, {} as ToolContext);
      if (outcome?.kind !== "result") throw new Error(`The tool ${tool} gave nothing.`);
      return valueOf(outcome.content) as JsonObject;
    };
    test("[H4] delegate_async packs a context, starts an agent and queues its task", async () => {
      const source = await world.box([said("history")]);
      const result = await call(
        "delegate_async",
        taskFor({ context_box_id: source, result_fields: ["score"], deadline_seconds: 60 }),
      );
      const task = await world.task(result["task_id"] as string);
      expect(result).toEqual({
        task_id: task.id,
        agent_id: task.agentId,
        status: "queued",
        context_box_id: task.contextBoxId,
        output_box_id: task.outputBoxId,
      });
      expect(task).toMatchObject({ depth: 0, parentTaskId: null, batchId: null, deadline: task.createdAt + 60_000 });
      expect(await world.texts(task.contextBoxId)).toEqual([
        "Do it.",
        "task.result_fields",
        "history",
        "meta.parent_pointer",
      ]);
      expect((await world.readBox(task.outputBoxId)).items).toEqual([]);
    });

    test("[H4] launch_principal goes by way of delegate_async", async () => {
      const result = await launchPrincipal(
        { profile_name: "writer", instruction: "Write." },
        world.person,
        world.handover,
      );
      const task = await world.task(result.task_id);
      expect(task.profileBoxId).toBe((await store.cards.findProfile(world.projectId, "writer"))?.boxId);
      expect(task.details).toMatchObject({ tool: "launch_principal", profileName: "writer", strategy: "new" });
      expect(await world.texts(task.contextBoxId)).toEqual(["Write.", "meta.parent_pointer"]);
    });

    test("[H4] ask_expert passes the asker's own output when it is told to, and only then", async () => {
      const asker = await world.agent();
      await world.say(asker, said("I think so."));
      const ask = async (more: JsonObject): Promise<(string | undefined)[]> => {
        const { task_id } = await askExpert(
          { profile_name: "critic", question: "Is it?", ...more },
          asker,
          world.handover,
        );
        return world.texts((await world.task(task_id)).contextBoxId);
      };
      expect(await ask({})).toEqual(["Is it?", "meta.parent_pointer"]);
      expect(await ask({ include_history: false })).toEqual(["Is it?", "meta.parent_pointer"]);
      expect(await ask({ include_history: true })).toEqual(["Is it?", "I think so.", "meta.parent_pointer"]);
      expect(
        await refusal(
          askExpert({ profile_name: "critic", question: "?", include_history: true }, world.person, world.handover),
        ),
      ).toMatchObject({
        code: "BadRequest",
        path: "args.include_history",
      });
    });

    test("[H4] a clone is a new agent that inherits what its source has said", async () => {
      const source = await world.agent({ target_ref: "writer" });
      await world.say(source, said("My style is dry."));
      const passed = await world.box([said("passed")]);
      const clone = await world.delegate({
        target_strategy: "clone",
        target_ref: source.agentId,
        context_box_id: passed,
      });
      expect(clone.agentId).not.toBe(source.agentId);
      expect(clone.profileBoxId).toBe((await world.task(source.hold.taskId)).profileBoxId);
      expect(await world.texts(clone.contextBoxId)).toEqual([
        "Do it.",
        "passed",
        "My style is dry.",
        "meta.parent_pointer",
      ]);
    });

    test("[H4] an agent that is used again keeps its output box, and its tasks wait for each other", async () => {
      const first = await world.delegate();
      const second = await world.delegate({ target_strategy: "reuse", target_ref: first.agentId });
      expect(second).toMatchObject({ agentId: first.agentId, outputBoxId: first.outputBoxId });
      const claim = { projectId: world.projectId, worker: "w", leaseMs: 1000, now: Date.now() };
      expect(await store.tasks.claim({ ...claim, taskId: second.id })).toBeUndefined();
      expect(await store.tasks.claim({ ...claim, taskId: first.id })).toBeDefined();
    });

    test("[H4] within a task the same call is served once", async () => {
      const agent = await world.agent();
      const again = { ...agent, callId: "call-1" };
      const first = await delegateAsync(taskFor(), again, world.handover);
      const second = await delegateAsync(taskFor(), again, world.handover);
      const other = await delegateAsync(taskFor(), { ...agent, callId: "call-2" }, world.handover);
      expect(second).toEqual(first);
      expect(other.task_id).not.toBe(first.task_id);
      expect(await store.tasks.list(world.projectId, { parentTaskId: agent.hold.taskId })).toHaveLength(2);
    });

    test("[H4] what is wrong is refused with its path, and nothing is written", async () => {
      const silent = await world.agent();
      const { contextBoxId } = await world.task(silent.hold.taskId);
      const told = (await world.readBox(contextBoxId)).items.filter(({ origin }) => origin === "packed");
      await store.tasks.record(silent.hold, { cards: [], items: told }, Date.now());
      const agent = await world.agent();
      const above = await world.agent({}, agent);
      const theirs = await (await World.open(store)).box([said("theirs")]);
      const tasks = (count: number): JsonObject => ({ tasks: Array.from({ length: count }, () => taskFor()) });
      const cases: [string, JsonObject, string, string, Caller?][] = [
        ["delegate_async", taskFor({ targetRef: "x" }), "BadRequest", "args.targetRef"],
        ["delegate_async", taskFor({ target_strategy: "old" }), "BadRequest", "args.target_strategy"],
        ["delegate_async", taskFor({ target_ref: "" }), "BadRequest", "args.target_ref"],
        ["delegate_async", taskFor({ target_ref: "nobody" }), "NotFound", "args.target_ref"],
        ["delegate_async", taskFor({ instruction: " " }), "BadRequest", "args.instruction"],
        ["delegate_async", taskFor({ instruction: 5 }), "BadRequest", "args.instruction"],
        ["delegate_async", taskFor({ context_box_id: true }), "BadRequest", "args.context_box_id"],
        ["delegate_async", taskFor({ context_box_id: "no-such-box" }), "NotFound", "args.context_box_id"],
        ["delegate_async", taskFor({ context_box_id: theirs }), "NotFound", "args.context_box_id"],
        ["delegate_async", taskFor({ deadline_seconds: 0 }), "BadRequest", "args.deadline_seconds"],
        ["delegate_async", taskFor({ deadline_seconds: true }), "BadRequest", "args.deadline_seconds"],
        ["delegate_async", taskFor({ deadline_seconds: 1.5 }), "BadRequest", "args.deadline_seconds"],
        ["delegate_async", taskFor({ deadline_seconds: -1 }), "BadRequest", "args.deadline_seconds"],
        ["delegate_async", taskFor({ result_fields: "score" }), "BadRequest", "args.result_fields"],
        ["delegate_async", taskFor({ result_fields: ["a", { name: "a" }] }), "BadRequest", "args.result_fields.1.name"],
        [
          "delegate_async",
          taskFor({ target_strategy: "clone", target_ref: silent.agentId }),
          "BadRequest",
          "args.target_ref",
        ],
        ["delegate_async", taskFor({ target_strategy: "clone", target_ref: "nobody" }), "NotFound", "args.target_ref"],
        ["delegate_async", taskFor({ target_strategy: "reuse", target_ref: "nobody" }), "NotFound", "args.target_ref"],
        [
          "delegate_async",
          taskFor({ target_strategy: "reuse", target_ref: agent.agentId }),
          "BadRequest",
          "args.target_ref",
          agent,
        ],
        [
          "delegate_async",
          taskFor({ target_strategy: "reuse", target_ref: agent.agentId }),
          "BadRequest",
          "args.target_ref",
          above,
        ],
        [
          "fork_join",
          { tasks: [taskFor(), taskFor({ target_strategy: 7 })] },
          "BadRequest",
          "args.tasks.1.target_strategy",
        ],
        ["fork_join", { tasks: [taskFor({ extra: 1 })] }, "BadRequest", "args.tasks.0.extra"],
        ["fork_join", { tasks: [taskFor(), taskFor({ target_ref: "nobody" })] }, "NotFound", "args.tasks.1.target_ref"],
        [
          "fork_join",
          { tasks: [taskFor(), taskFor({ context_box_id: "no" })] },
          "NotFound",
          "args.tasks.1.context_box_id",
        ],
        [
          "fork_join",
          { tasks: [taskFor({ target_strategy: "reuse", target_ref: agent.agentId })] },
          "BadRequest",
          "args.tasks.0.target_ref",
          above,
        ],
        ["fork_join", tasks(9), "BadRequest", "args.tasks"],
        ["fork_join", tasks(0), "BadRequest", "args.tasks"],
        ["fork_join", { tasks: taskFor() }, "BadRequest", "args.tasks"],
        ["fork_join", { ...tasks(1), deadline_seconds: 0 }, "BadRequest", "args.deadline_seconds"],
        ["fork_join", { ...tasks(1), fail_fast: "yes" }, "BadRequest", "args.fail_fast"],
        ["launch_principal", { profile_name: "nobody", instruction: "x" }, "NotFound", "args.profile_name"],
        ["launch_principal", { profile_name: "coder", instruction: "" }, "BadRequest", "args.instruction"],
        [
          "launch_principal",
          { profile_name: "coder", instruction: "x", target_ref: "y" },
          "BadRequest",
          "args.target_ref",
        ],
        ["ask_expert", { profile_name: "nobody", question: "?" }, "NotFound", "args.profile_name"],
        ["ask_expert", { profile_name: "coder", question: "" }, "BadRequest", "args.question"],
        [
          "ask_expert",
          { profile_name: "coder", question: "?", include_history: 1 },
          "BadRequest",
          "args.include_history",
        ],
        ["join", { batch_id: "no-such-fork" }, "NotFound", "args.batch_id"],
        ["join", { batch_id: "x", max_tokens: 0 }, "BadRequest", "args.max_tokens"],
        ["join", {}, "BadRequest", "args.batch_id"],
      ];
      const before = await dump();
      for (const [tool, args, code, path, caller] of cases) {
        const { message, ...rest } = await refusal(call(tool, args, caller));
        expect({ tool, args, ...rest }).toEqual({ tool, args, code, path });
        expect(message).toMatch(/\.( \(and \d+ more\))?$/);
      }
      for (const args of [null, "x", [], 7, undefined]) {
        expect(await refusal(call("delegate_async", args))).toMatchObject({ code: "BadRequest", path: "args" });
      }
      expect(await dump()).toBe(before);
    });

    test("[H4] eight tasks and a depth of 20 pass, one more does not, and the limits can be raised", async () => {
      const nine = { tasks: Array.from({ length: 9 }, () => taskFor()) };
      const raised = await World.open(store, { maxTasksPerFork: 9 });
      const { results } = await forkJoin({ tasks: nine.tasks.slice(1) }, world.person, world.handover);
      expect(results).toHaveLength(8);
      expect((await forkJoin(nine, raised.person, raised.handover)).results).toHaveLength(9);
      let deep = await world.agent();
      for (let depth = 1; depth <= 20; depth += 1) deep = await world.agent({}, deep);
      expect((await world.task(deep.hold.taskId)).depth).toBe(20);
      expect(await refusal(world.delegate({}, deep))).toMatchObject({ code: "BadRequest", path: "args" });
      expect(await refusal(forkJoin({ tasks: [taskFor()] }, deep, world.handover))).toMatchObject({
        code: "BadRequest",
        path: "args",
      });
    });

    test("[H4] a task whose agents go on delegating has an end, however they share it out", async () => {
      const small = await World.open(store, { maxTasksPerTree: 6 });
      const top = await small.agent();
      const below = await small.agent({}, top);
      const fork = (count: number, caller = below) =>
        forkJoin({ tasks: Array.from({ length: count }, () => taskFor()) }, caller, small.handover);
      expect((await fork(3)).results).toHaveLength(3);
      expect(await refusal(fork(2))).toMatchObject({ code: "BadRequest", path: "args" });
      await small.delegate({}, below);
      for (const caller of [top, below]) {
        expect(await refusal(small.delegate({}, caller))).toMatchObject({ code: "BadRequest", path: "args" });
      }
      expect(await store.tasks.countTree(top.projectId, top.hold.taskId)).toBe(6);
      // Another task is not concerned, and neither is another project.
      expect(await small.delegate({}, await small.agent())).toMatchObject({ depth: 1 });
      expect(await store.tasks.countTree("another", top.hold.taskId)).toBe(0);
    });

    test("[H4] every tool has a schema that a model can be given", () => {
      const specs = handoverTools({ store }, () => world.person).map(specOf);
      expect(specs.map((spec) => spec.name)).toEqual([
        "delegate_async",
        "fork_join",
        "launch_principal",
        "ask_expert",
        "join",
        "await_result",
      ]);
      for (const { inputSchema } of specs) expect(inputSchema).toMatchObject({ type: "object" });
      expect(specs[1]?.inputSchema).toMatchObject({
        properties: { tasks: { description: expect.stringContaining("At most 8") as string } },
        required: ["tasks"],
      });
    });
  });
}

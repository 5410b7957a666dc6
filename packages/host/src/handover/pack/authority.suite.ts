import { GalleyError, type ModelMessage } from "@galley/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../store/ports/ports.ts";
import type { Caller } from "../options/caller.ts";
import { newId } from "../options/new-id.ts";
import { readResult } from "../plan/results.ts";
import { type StoreUnderTest, World, refusal } from "../testing/world.ts";
import { authorityOf } from "./authority.ts";

const said = (content: string): ModelMessage => ({ role: "assistant", content });

interface Target {
  readonly taskId: string;
  readonly agentId: string;
  readonly boxId: string;
}

/** What an agent has given in a task of this caller. */
async function finished(world: World, caller: Caller): Promise<Target> {
  return given(world, await world.agent({}, caller));
}

async function given(world: World, agent: Awaited<ReturnType<World["agent"]>>): Promise<Target> {
  const { id, outputBoxId } = await world.finish(agent, "given");
  return { taskId: id, agentId: agent.agentId, boxId: outputBoxId };
}

/**
 * What a caller is told: read box, pass box, clone, reuse, await, cancel; and whether its list has the task. What is refused as
 * not found is collected with its words, without the ids.
 */
async function answers(
  world: World,
  caller: Caller,
  { taskId, agentId, boxId }: Target,
  words: Set<string> = new Set(),
): Promise<readonly string[]> {
  const authority = authorityOf(world.store, caller);
  const path = "args";
  const attempts = [
    () => authority.read([{ boxId, path }]),
    () => world.delegate({ context_box_id: boxId }, caller),
    () => world.delegate({ target_strategy: "clone", target_ref: agentId }, caller),
    () => world.delegate({ target_strategy: "reuse", target_ref: agentId }, caller),
    () => readResult({ task_id: taskId }, caller, world.handover),
    () => authority.taskToEnd({ id: taskId, path }),
  ];
  const said: string[] = [];
  for (const [index, attempt] of attempts.entries()) {
    const error = await attempt().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const known = error instanceof GalleyError ? error : undefined;
    said.push(error === undefined ? "ok" : (known?.code ?? "?"));
    const ids = new RegExp([taskId, agentId, boxId].join("|"), "gu");
    if (known?.code === "NotFound")
      words.add(JSON.stringify([index, known.path, known.message, known.hint]).replaceAll(ids, "ID"));
  }
  const listed = await authority.listTasks(10_000);
  return [...said, listed.some(({ id }) => id === taskId) ? "listed" : "-"];
}

/** Who may use which box, on every store. */
export function authorityContract({ name, open, dump }: StoreUnderTest): void {
  describe(`authority on ${name}`, () => {
    let store: Store;
    let world: World;
    beforeAll(async () => {
      store = await open();
      world = await World.open(store);
    });
    afterAll(() => store.close());

    test("[H6] an agent may use its own boxes, those passed to it, and outputs of agents below it; nothing else", async () => {
      const passed = await world.box([said("passed")]);
      const parent = await world.agent();
      await world.say(parent, said("parent's"));
      const agent = await world.agent({ context_box_id: passed });
      await world.say(agent, said("own"));
      const child = await world.agent({}, agent);
      await world.say(child, said("child's"));
      const grandchild = await world.agent({}, child);
      await world.say(grandchild, said("grandchild's"));
      const stranger = await world.agent();
      await world.say(stranger, said("stranger's"));
      const [ownTask, childTask, grandchildTask, strangerTask, parentTask] = await Promise.all(
        [agent, child, grandchild, stranger, parent].map(({ hold }) => world.task(hold.taskId)),
      );
      const allowed = [
        ownTask?.contextBoxId,
        ownTask?.outputBoxId,
        passed,
        childTask?.outputBoxId,
        grandchildTask?.outputBoxId,
        childTask?.contextBoxId,
      ];
      for (const box of allowed)
        expect(await world.delegate({ context_box_id: box ?? "" }, agent)).toMatchObject({ depth: 1 });
      const own = await world.box([said("a person's")]);
      const before = await dump();
      const denied = [
        strangerTask?.outputBoxId,
        strangerTask?.contextBoxId,
        parentTask?.outputBoxId,
        own,
        ownTask?.profileBoxId,
      ];
      for (const box of denied) {
        expect(await refusal(world.delegate({ context_box_id: box ?? "" }, agent))).toMatchObject({
          code: "NotFound",
          path: "args.context_box_id",
        });
      }
      // From below one does not see up, and a neighbour's child is a stranger's.
      expect(await refusal(world.delegate({ context_box_id: ownTask?.outputBoxId ?? "" }, child))).toMatchObject({
        code: "NotFound",
      });
      expect(await refusal(world.delegate({ context_box_id: childTask?.outputBoxId ?? "" }, stranger))).toMatchObject({
        code: "NotFound",
      });
      expect(await dump()).toBe(before);
    });

    test("[H6] a box that was passed on is seen as it was then, not as it grows", async () => {
      const owner = await world.agent();
      await world.say(owner, said("before"));
      const { outputBoxId } = await world.task(owner.hold.taskId);
      const child = await world.agent({ context_box_id: outputBoxId }, owner);
      await world.say(owner, said("after"));
      const grandchild = await world.delegate({ context_box_id: outputBoxId }, child);
      expect(await world.texts(grandchild.contextBoxId)).toEqual(["Do it.", "before", "meta.parent_pointer"]);
    });

    test("[H6] of an agent that another caller started, only what it gave to the caller is seen", async () => {
      const shared = await world.agent();
      await world.finish(shared, "for another caller");
      const caller = await world.agent({ agent_refs: [shared.agentId] });
      const task = await world.delegate({ target_strategy: "reuse", target_ref: shared.agentId }, caller);
      await world.finish(await world.claim(task.id), "for the caller");
      const next = await world.delegate({ context_box_id: task.outputBoxId }, caller);
      expect(await world.texts(next.contextBoxId)).toEqual(["Do it.", "for the caller", "meta.parent_pointer"]);
      // An agent that is passed such a box sees no more of it than its giver.
      const below = await world.delegate({ context_box_id: task.outputBoxId }, await world.claim(next.id));
      expect(await world.texts(below.contextBoxId)).toEqual(["Do it.", "for the caller", "meta.parent_pointer"]);
    });

    test("[A4] callers × targets × operations: the exact answer of each cell", { timeout: 600_000 }, async () => {
      const elsewhere = await World.open(store);
      const foreign = await finished(elsewhere, elsewhere.caller("chat:z"));
      const another = await finished(world, world.caller("chat:z"));
      const lent = await finished(world, world.caller("chat:z"));
      const lender = world.caller("chat:z");
      const running = await world.agent({ context_box_id: lent.boxId, agent_refs: [lent.agentId] }, lender);
      const shown = await finished(world, lender);
      const reader = await world.agent({ context_box_id: shown.boxId }, lender);
      const none = { taskId: newId(1), agentId: newId(2), boxId: newId(3) };
      const names = ["person", "chat:a", "session:s", "mcp:cursor", "agent:ann"];
      const callers: readonly (readonly [string, Caller])[] = [
        ...names.map((id) => [id, world.caller(id)] as const),
        ["task", running],
        ["task with a box", reader],
      ];
      const table: Record<string, string> = {};
      for (const [kind, caller] of callers) {
        const agent = await world.agent({}, caller);
        const below = await finished(world, agent);
        const own = await given(world, agent);
        const targets = {
          own,
          descendant: below,
          "passed in": kind === "task with a box" ? shown : lent,
          "another's": another,
          "another project's": foreign,
          nothing: none,
        };
        const words = new Set<string>();
        for (const [name, target] of Object.entries(targets)) {
          table[`${kind} · ${name}`] = (await answers(world, caller, target, words)).join(" ");
        }
        // One sentence for each operation: what may not be known of is refused in the words for what does not exist.
        expect([kind, words.size, [...words]]).toEqual([kind, 6, [...words]]);
      }
      const all = "ok ok ok ok ok ok";
      const nothing = "NotFound NotFound NotFound NotFound NotFound NotFound";
      const rows = callers.map(([kind]) => kind);
      const cells = (kind: string): Record<string, string> => ({
        [`${kind} · own`]: `${all} listed`,
        // It is shown in the tree of the task above it.
        [`${kind} · descendant`]: `${all} -`,
        [`${kind} · passed in`]: passedIn(kind),
        [`${kind} · another's`]: kind === "person" ? `${all} listed` : `${nothing} -`,
        [`${kind} · another project's`]: `${nothing} -`,
        [`${kind} · nothing`]: `${nothing} -`,
      });
      const passedIn = (kind: string): string => {
        if (kind === "person") return `${all} listed`;
        // What a task was lent it may read, pass on, clone and reuse; whose task it was is not its business.
        if (kind === "task") return "ok ok ok ok NotFound NotFound -";
        // A box alone is for reading: its agent is known by it, and not the task's to use.
        return kind === "task with a box" ? "ok ok Forbidden Forbidden NotFound NotFound -" : `${nothing} -`;
      };
      expect(table).toEqual(Object.assign({}, ...rows.map(cells)));
    });
  });
}

import type { ModelMessage } from "@galley/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../store/ports/ports.ts";
import { type StoreUnderTest, World, refusal } from "../testing/world.ts";

const said = (content: string): ModelMessage => ({ role: "assistant", content });

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
  });
}

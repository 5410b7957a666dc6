import type { JsonObject, ModelMessage } from "@galley/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../store/ports/ports.ts";
import { authorityOf } from "../pack/authority.ts";
import type { Caller } from "../options/caller.ts";
import { askExpert, launchPrincipal } from "./delegate.ts";
import { forkJoin } from "./fork-join.ts";
import { join } from "./join.ts";
import { readResult } from "./results.ts";
import { startedBy } from "./task-tree.ts";
import { type StoreUnderTest, World, refusal } from "../testing/world.ts";

const said = (content: string): ModelMessage => ({ role: "assistant", content });
const secret = "My secret is 4711.";

/** Who may clone, use again and ask for what, on every store. */
export function callerContract({ name, open, dump }: StoreUnderTest): void {
  describe(`callers on ${name}`, () => {
    let store: Store;
    let world: World;
    beforeAll(async () => {
      store = await open();
      world = await World.open(store);
    });
    afterAll(() => store.close());

    /** An agent that has given its secret, and the task in which it did. */
    const keeper = async (owner: Caller = world.person) => world.finish(await world.agent({}, owner), secret);
    const use = (target_strategy: string, agentId: string, caller: Caller, more: JsonObject = {}) =>
      world.delegate({ target_strategy, target_ref: agentId, ...more }, caller);

    test("[H6] an agent neither clones nor uses again an agent of another caller, and cannot tell whether it exists", async () => {
      const { agentId, outputBoxId } = await keeper();
      const thief = await world.agent();
      const below = await world.agent({}, thief);
      const before = await dump();
      for (const caller of [thief, below, world.caller("chat:one"), world.caller("agent:mara")]) {
        for (const strategy of ["clone", "reuse"]) {
          const [real, none] = [
            await refusal(use(strategy, agentId, caller)),
            await refusal(use(strategy, "none", caller)),
          ];
          expect(real).toMatchObject({ code: "NotFound", path: "args.target_ref" });
          expect(real.message.replace(agentId, "none")).toBe(none.message);
        }
        const ref = await refusal(world.delegate({ agent_refs: [agentId] }, caller));
        expect(ref).toMatchObject({ code: "NotFound", path: "args.agent_refs.0" });
        const box = await refusal(world.delegate({ context_box_id: outputBoxId }, caller));
        const noBox = await refusal(world.delegate({ context_box_id: "none" }, caller));
        expect(box.message.replace(outputBoxId, "none")).toBe(noBox.message);
      }
      // Nor does the agent below see up to the one that it works for.
      expect(await refusal(use("clone", thief.agentId, below))).toMatchObject({ code: "NotFound" });
      expect(await dump()).toBe(before);
    });

    test("[A4] a caller clones and uses again its own agents, and all below them", async () => {
      for (const caller of [await world.agent(), world.caller("chat:one"), world.caller("mcp:client")]) {
        const child = await world.agent({}, caller);
        await world.say(child, said("child's"));
        const grandchild = await keeper(child);
        for (const agentId of [child.agentId, grandchild.agentId]) {
          expect((await use("clone", agentId, caller)).agentId).not.toBe(agentId);
          expect((await use("reuse", agentId, caller)).agentId).toBe(agentId);
        }
        expect(await world.texts((await use("clone", grandchild.agentId, caller)).contextBoxId)).toContain(secret);
      }
      const own = await world.agent();
      await world.say(own, said("own"));
      expect(await world.texts((await use("clone", own.agentId, own)).contextBoxId)).toContain("own");
    });

    test("[A4] an agent in agent_refs may be cloned and used again by the task, as its output was then", async () => {
      const { agentId } = await keeper();
      const holder = await world.agent({ agent_refs: [agentId, agentId] });
      await world.finish(await world.claim((await use("reuse", agentId, world.person)).id), "said later");
      const cloned = async (caller: Caller) => world.texts((await use("clone", agentId, caller)).contextBoxId);
      expect(await cloned(holder)).toEqual(["Do it.", secret, "meta.parent_pointer"]);
      // What a holder passes on is what it holds, also when the agent has said more since.
      const below = await world.agent({ agent_refs: [agentId] }, holder);
      expect(await cloned(below)).toEqual(["Do it.", secret, "meta.parent_pointer"]);
      const used = await use("reuse", agentId, holder);
      await world.finish(await world.claim(used.id), "for the holder");
      const next = await world.delegate({ context_box_id: used.outputBoxId }, holder);
      expect(await world.texts(next.contextBoxId)).toEqual(["Do it.", "for the holder", "meta.parent_pointer"]);
      // It was given with that task, and ends with it.
      await world.finish(holder, "done");
      const again = await world.agent({ target_strategy: "reuse", target_ref: holder.agentId });
      expect(await refusal(use("clone", agentId, again))).toMatchObject({ code: "Forbidden" });
    });

    test("[A4] every tool that gives a task takes agent_refs, and its giver must be allowed to use each", async () => {
      const [mine, other] = [await keeper(world.caller("chat:one")), await keeper(world.caller("chat:two"))];
      const chat = world.caller("chat:one");
      const base = { target_strategy: "new", target_ref: "coder", instruction: "Do it." };
      const gives: [path: string, give: (agent_refs: readonly string[]) => Promise<{ readonly task_id: string }>][] = [
        ["args", async (agent_refs) => ({ task_id: (await world.delegate({ agent_refs }, chat)).id })],
        [
          "args",
          (agent_refs) =>
            launchPrincipal({ profile_name: "coder", instruction: "Do it.", agent_refs }, chat, world.handover),
        ],
        ["args", (agent_refs) => askExpert({ profile_name: "coder", question: "?", agent_refs }, chat, world.handover)],
        [
          "args.tasks.0",
          async (agent_refs) => {
            const { results } = await forkJoin({ tasks: [{ ...base, agent_refs }] }, chat, world.handover);
            return { task_id: results[0]?.task_id ?? "" };
          },
        ],
      ];
      for (const [path, give] of gives) {
        const holder = await world.claim((await give([mine.agentId])).task_id);
        expect(await world.texts((await use("clone", mine.agentId, holder)).contextBoxId)).toContain(secret);
        const refused = await refusal(give([mine.agentId, other.agentId]));
        expect(refused).toMatchObject({ code: "NotFound", path: `${path}.agent_refs.1` });
      }
    });

    test("[A4] what a caller may read but not use is Forbidden", async () => {
      const { agentId, outputBoxId } = await keeper();
      const reader = await world.agent({ context_box_id: outputBoxId });
      expect(await world.delegate({ context_box_id: outputBoxId }, reader)).toMatchObject({ depth: 1 });
      for (const strategy of ["clone", "reuse"]) {
        const refused = await refusal(use(strategy, agentId, reader));
        expect(refused).toMatchObject({ code: "Forbidden", path: "args.target_ref" });
      }
      // A box that was passed says nothing of what its agent does afterwards.
      const later = await use("reuse", agentId, world.person);
      await world.finish(await world.claim(later.id), "said later");
      const asked = readResult({ task_id: later.id }, reader, world.handover);
      expect(await refusal(asked)).toMatchObject({ code: "NotFound", path: "args.task_id" });
      // A caller knows what others give its agents to do, and leaves it to them to end it.
      const chat = world.caller("chat:one");
      const own = await keeper(chat);
      const foreign = await use("reuse", own.agentId, world.person);
      expect(await authorityOf(store, chat).findTask({ id: foreign.id, path: "task" })).toMatchObject({
        id: foreign.id,
      });
      const end = authorityOf(store, chat).taskToEnd({ id: foreign.id, path: "task" });
      expect(await refusal(end)).toMatchObject({ code: "Forbidden", path: "task" });
    });

    test("[A4] chats, sessions and programs are callers of their own: none joins, awaits or passes on what another started", async () => {
      const ids = ["chat:one", "chat:two", "session:one", "mcp:one", "mcp:rpc", "agent:one"];
      const asked = { target_strategy: "new", target_ref: "coder", instruction: "Do it." };
      const scenes = await Promise.all(
        ids.map(async (id) => {
          const caller = world.caller(id);
          const { batch_id, results } = await forkJoin({ tasks: [asked] }, caller, world.handover);
          const task = await world.finish(await world.claim(results[0]?.task_id ?? ""), secret);
          const { box_id } = await join({ batch_id }, caller, world.handover);
          return { id, caller, batch_id, task, box_id };
        }),
      );
      for (const { id, caller } of scenes) {
        for (const { id: other, batch_id, task, box_id } of scenes) {
          const attempts = [
            join({ batch_id }, caller, world.handover),
            readResult({ batch_id }, caller, world.handover),
            readResult({ task_id: task.id }, caller, world.handover),
            world.delegate({ context_box_id: box_id }, caller),
            world.delegate({ context_box_id: task.outputBoxId }, caller),
            use("clone", task.agentId, caller),
            use("reuse", task.agentId, caller),
          ];
          const codes = await Promise.all(
            attempts.map((one) => (id === other ? one.then(() => "") : refusal(one).then(({ code }) => code))),
          );
          expect([id, other, ...new Set(codes)]).toEqual([id, other, id === other ? "" : "NotFound"]);
        }
      }
      // The person may use all of it, and sees who started it.
      for (const { id, batch_id, task, box_id } of scenes) {
        expect(startedBy(task)).toBe(id);
        expect(await join({ batch_id }, world.person, world.handover)).toMatchObject({ status: "success" });
        await use("clone", task.agentId, world.person, { context_box_id: box_id, agent_refs: [task.agentId] });
      }
    });

    test("[A4] what was started before callers were told apart belongs to the person; a call that is made again finds its own", async () => {
      const fork = { tasks: [{ target_strategy: "new", target_ref: "coder", instruction: "Do it." }] };
      const call = { projectId: world.projectId, runId: "run", callId: "call" };
      const { batch_id, results } = await forkJoin(fork, { ...call, id: world.person.id }, world.handover);
      const task = await world.finish(await world.claim(results[0]?.task_id ?? ""), secret);
      // The run of a chat that was resumed by the new version.
      const resumed = await forkJoin(fork, { ...call, id: "chat:one", waiting: "block" }, world.handover);
      expect(resumed).toMatchObject({ batch_id, status: "success" });
      const chat = world.caller("chat:one");
      expect(await refusal(use("clone", task.agentId, chat))).toMatchObject({ code: "NotFound" });
      expect(await refusal(join({ batch_id }, chat, world.handover))).toMatchObject({ code: "NotFound" });
      expect(await world.texts((await use("clone", task.agentId, world.person)).contextBoxId)).toContain(secret);
    });
  });
}

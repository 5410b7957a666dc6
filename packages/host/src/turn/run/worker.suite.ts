import type { ModelMessage } from "@galley/engine";
import { describe, expect, test, vi } from "vitest";
import { type Answering, callOf, patience, plain, said, workerStage } from "../testing/worker-stage.ts";
import type { StoreUnderTest } from "../../handover/testing/world.ts";

type Built = Parameters<Answering>[0]["build"];

/** What workers promise on every store. */
export function workerContract({ name, open }: StoreUnderTest): void {
  describe(`workers on ${name}`, () => {
    const stage = workerStage(open);

    test("[H3] the model reads profile and pointer, what was inherited, the instruction, and then the task's own output", async () => {
      const passed = await stage.world.box([{ role: "user", content: "Is it {{date}}?" }, said("It is.")]);
      const task = await stage.world.delegate({ context_box_id: passed });
      const builds: Built[] = [];
      await stage.work(async ({ build }) => {
        builds.push(build);
        return builds.length === 1 ? callOf("none", {}) : said("Done.");
      });
      expect(await stage.ended(task.id)).toMatchObject({
        status: "succeeded",
        result: "Done.",
        outputStart: 0,
        outputEnd: 4,
      });
      expect(builds.map(plain)[0]).toEqual([
        "system: You are the coder.",
        "system: You work for a person, who has handed you this task and gets your result.",
        "user: Is it {{date}}?",
        "assistant: It is.",
        "user: Do it.",
      ]);
      expect(builds[1]?.messages.slice(0, 5)).toEqual(builds[0]?.messages);
      expect(builds[1]?.messages.slice(5).map(({ role }) => role)).toEqual(["assistant", "tool"]);
      const box = await stage.store.cards.openBox(stage.world.projectId, task.outputBoxId);
      expect(box?.items.map(({ origin }) => origin)).toEqual(["packed", "output", "output", "output"]);
    });

    test("[A4] a model is told who gave it its task, and which agents the task may clone and reuse", async () => {
      const chat = stage.world.caller("chat:demo");
      const { agentId } = await stage.world.finish(await stage.world.agent({}, chat), "made");
      const task = await stage.world.delegate({ agent_refs: [agentId] }, chat);
      const seen: string[] = [];
      await stage.work(async ({ build }) => {
        seen.push(...plain(build));
        return said("Done.");
      });
      await stage.ended(task.id);
      expect(seen[1]).toBe(
        `system: You work for the chat demo, which has handed you this task and gets your result. You may clone and reuse these agents: ${agentId}.`,
      );
    });

    test("[H3] every card has one row that says what became of it", async () => {
      const cards = stage.world.cards([{ role: "user", content: "old" }, said(""), said("kept")]);
      const passed = await stage.world.boxOf(cards);
      const task = await stage.world.delegate({ context_box_id: passed, result_fields: ["score"] });
      const build = await stage.preview(task);
      await stage.work(async (call) => {
        expect(call.build.messages).toEqual(build.messages);
        return said('{"score": 1}');
      });
      expect(await stage.ended(task.id)).toMatchObject({ status: "succeeded", result: { score: 1 } });
      expect(build.cards.map(({ section, fate, rule, position }) => [section, fate, rule, position])).toEqual([
        ["profile", "kept", undefined, 0],
        ["pointer", "kept", undefined, 1],
        ["inherited", "kept", undefined, 2],
        ["inherited", "dropped", "empty", undefined],
        ["inherited", "kept", undefined, 3],
        ["instruction", "kept", undefined, 4],
        ["instruction", "kept", undefined, 4],
      ]);
      const counted = build.cards.reduce((sum, row) => sum + (row.tokens ?? 0), 0);
      const ledger = build.ledger.reduce((sum, row) => sum + (row.position === undefined ? 0 : (row.tokens ?? 0)), 0);
      expect(counted).toBe(ledger);
    });

    test("[H5] an inherited open tool call is closed with a note, and a deleted card has a row that says so", async () => {
      const cards = stage.world.cards([said("secret"), callOf("search", {})]);
      const passed = await stage.world.boxOf(cards);
      const task = await stage.world.delegate({ context_box_id: passed });
      await stage.store.cards.deleteCards(stage.world.projectId, [cards[0]?.id ?? ""]);
      const build = await stage.preview(task);
      const events: string[] = [];
      await stage.work(
        async (call) => {
          expect(call.build.messages).toEqual(build.messages);
          return said("ok");
        },
        { onEvent: (event) => event.type === "task:progress" && events.push(event.event.type) },
      );
      expect(await stage.ended(task.id)).toMatchObject({ status: "succeeded", attempt: 1 });
      // The call is another agent's, and is not served.
      expect(events).toEqual(["build"]);
      expect(build.messages.slice(2).map(({ role }) => role)).toEqual(["assistant", "tool", "user"]);
      expect(JSON.stringify(build.messages[3])).toContain("handed over before it had a result");
      const rows = build.cards.filter(({ section }) => section === "inherited");
      expect(rows.map(({ fate, rule, position }) => [fate, rule, position])).toEqual([
        ["dropped", "deleted", undefined],
        ["kept", undefined, 2],
      ]);
    });

    test("[H3] a later task of the same agent reads what it was asked and what it answered before", async () => {
      const first = await stage.world.delegate({ instruction: "One?" });
      const seen: string[][] = [];
      await stage.work(async ({ build, task }) => {
        seen.push(plain(build));
        return said(`answer to ${task.id}`);
      });
      await stage.ended(first.id);
      const second = await stage.world.delegate({
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
      await stage.ended(second.id);
    });

    test("[H3] a result that breaks its contract is refused, the next attempt is told why, and only a valid one counts", async () => {
      const task = await stage.world.delegate({ result_fields: [{ name: "score", type: "number" }] });
      const seen: string[] = [];
      const replies = ["no JSON", '{"score": "high"}', 'Here:\n```json\n{"score": 7, "why": "good"}\n```'];
      await stage.work(async ({ build }) => {
        seen.push(plain(build).join("\n"));
        return said(replies[seen.length - 1] ?? "");
      });
      expect(await stage.ended(task.id)).toMatchObject({
        status: "succeeded",
        attempt: 3,
        result: { score: 7, why: "good" },
      });
      expect(seen[0]).not.toContain("contract");
      expect(seen[1]).toContain("The answer holds no JSON object.");
      expect(seen[2]).toContain("result.score must be of type number");
      const box = await stage.store.cards.openBox(stage.world.projectId, task.outputBoxId);
      expect(box?.items.map(({ origin }) => origin)).toEqual(["packed", "packed", "output"]);
    });

    test("[H3] under a small budget the instruction stays, and what was decided holds for the rest of the task", async () => {
      const history = Array.from({ length: 60 }, (_, index): ModelMessage => ({
        role: index % 2 ? "assistant" : "user",
        content: `${index} ${"word ".repeat(30)}`,
      }));
      const task = await stage.world.delegate({
        context_box_id: await stage.world.box(history),
        instruction: "The task.",
      });
      const builds: Built[] = [];
      await stage.work(
        async ({ build }) => {
          builds.push(build);
          return builds.length === 1 ? callOf("none", {}) : said("end");
        },
        { budget: 2000, with: { toolsFor: () => [] } },
      );
      const ended = await stage.ended(task.id);
      const [before, after] = builds;
      expect(before?.stats.inputTokens).toBeLessThanOrEqual(2000);
      expect(before?.messages.at(-1)).toEqual({ role: "user", content: "The task." });
      expect(after?.messages.slice(0, -2)).toEqual(before?.messages);
      const { cards } = await stage.preview(ended);
      expect(cards.filter(({ section }) => section === "inherited")).toHaveLength(60);
      expect(cards.filter(({ fate }) => fate === "summarised").length).toBeGreaterThan(20);
    });
  });
}

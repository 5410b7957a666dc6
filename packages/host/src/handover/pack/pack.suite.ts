import type { JsonObject, ModelMessage } from "@galley/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../store/ports/ports.ts";
import type { HandoverConfig } from "../options/handover-config.ts";
import { packContext, packContextWithInstruction } from "./pack-context.ts";
import { type StoreUnderTest, World, refusal } from "../testing/world.ts";

const said = (content: string): ModelMessage => ({ role: "assistant", content });
/** What packing promises on every store. */
export function packContract({ name, open, dump }: StoreUnderTest): void {
  describe(`packing on ${name}`, () => {
    let store: Store;
    let world: World;
    beforeAll(async () => {
      store = await open();
      world = await World.open(store);
    });
    afterAll(() => store.close());

    const pack = (args: JsonObject, handover: HandoverConfig, reader?: Parameters<typeof packContext>[1]["reader"]) =>
      packContext(
        { projectId: world.projectId, toolSuffix: "my_tool", sourceAgentId: "agent-1", arguments: args, handover },
        { store, ...(reader ? { reader } : {}) },
      );
    const everything: HandoverConfig = {
      target_profile_config: { profile_name: "coder" },
      context_packing_config: {
        pack_arguments: [
          { arg_key: "goal", as_card_type: "task.goal" },
          { arg_key: "fields", as_card_type: "task.result_fields" },
        ],
        inherit_context: { include_boxes_from_args: ["boxes"], include_parent: true },
      },
    };

    test("[H2] packed arguments, inherited cards and the pointer stand in this order, each with its origin", async () => {
      const [one, two] = [await world.box([said("a"), said("b")]), await world.box([said("c")])];
      const result = await pack({ goal: "Win.", fields: ["score"], boxes: [one, two] }, everything);
      const box = await store.cards.openBox(world.projectId, result.contextBoxId);
      expect(box?.items.map(({ origin }) => origin)).toEqual([
        "packed",
        "packed",
        "inherited",
        "inherited",
        "inherited",
        "pointer",
      ]);
      expect(box?.cards.map((card) => card?.type)).toEqual([
        "task.goal",
        "task.result_fields",
        "agent.output",
        "agent.output",
        "agent.output",
        "meta.parent_pointer",
      ]);
      expect(box).toMatchObject({ version: 1, parents: [one, two] });
      expect(result).toEqual({
        contextBoxId: box?.id,
        targetProfileBoxId: (await store.cards.findProfile(world.projectId, "coder"))?.boxId,
        attachedCardIds: box?.items.map(({ cardId }) => cardId),
      });
      expect(box?.cards[0]).toMatchObject({ authorId: "my_tool", metadata: { role: "user" } });
      expect(box?.cards[0]?.id).toMatch(/^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
      expect(box?.cards.at(-1)).toMatchObject({
        content: { kind: "json", value: { parent_agent_id: "agent-1" } },
        metadata: { role: "system" },
      });
    });

    test("[H2] a card that several boxes hold is inherited once, where it stood first", async () => {
      const cards = world.cards([said("a"), said("b"), said("c")]);
      const first = await world.boxOf(cards.slice(0, 2));
      const second = await world.boxOf(cards.slice(1));
      const { attachedCardIds } = await pack({ boxes: [first, second, first] }, everything);
      expect(attachedCardIds.slice(0, 3)).toEqual(cards.map(({ id }) => id));
      expect(attachedCardIds).toHaveLength(4);
    });

    test("[H2] the fixed recipe holds the instruction, what is inherited and the pointer", async () => {
      const input = await world.box([said("a")]);
      const request = { projectId: world.projectId, toolSuffix: "t", sourceAgentId: "s", profileName: "writer" };
      const bare = await packContextWithInstruction({ ...request, instruction: "Write." }, { store });
      expect((await world.readBox(bare.contextBoxId)).items.map(({ origin }) => origin)).toEqual(["packed", "pointer"]);
      const full = await packContextWithInstruction(
        { ...request, instruction: "Write.", inputBoxIds: [input] },
        { store },
      );
      expect((await world.readBox(full.contextBoxId)).items.map(({ origin }) => origin)).toEqual([
        "packed",
        "inherited",
        "pointer",
      ]);
    });

    test("[H2] a card that has been deleted keeps its place, and holds nothing up", async () => {
      const cards = world.cards([said("a"), said("secret"), said("c")]);
      const source = await world.boxOf(cards);
      await store.cards.deleteCards(world.projectId, [cards[1]?.id ?? ""]);
      const { contextBoxId } = await pack({ boxes: source }, everything);
      const box = await store.cards.openBox(world.projectId, contextBoxId);
      expect(box?.cards.map((card) => card?.type)).toEqual([
        "agent.output",
        undefined,
        "agent.output",
        "meta.parent_pointer",
      ]);
    });

    test("[H2] nothing is written when something is wrong", async () => {
      const other = await World.open(store);
      const foreign = await other.box([said("theirs")]);
      const own = await world.box([said("mine")]);
      const before = await dump();
      const refused: [string, string, JsonObject, HandoverConfig][] = [
        ["BadRequest", "args.profile_name", { goal: "x" }, {}],
        ["NotFound", "args.profile_name", { profile_name: "nobody" }, everything],
        [
          "NotFound",
          "handover.target_profile_config.profile_name",
          {},
          { target_profile_config: { profile_name: "nobody" } },
        ],
        ["BadRequest", "args.fields", { goal: "x", fields: "score" }, everything],
        ["BadRequest", "args.boxes.1", { boxes: [own, true] }, everything],
        ["NotFound", "args.boxes.1", { boxes: [own, "no-such-box"] }, everything],
        ["NotFound", "args.boxes.1", { boxes: [own, 12] }, everything],
        ["NotFound", "args.boxes.0", { boxes: [foreign] }, everything],
        ["NotFound", "args.boxes", { boxes: "\u0000" }, everything],
      ];
      for (const [code, path, args, handover] of refused) {
        expect(await refusal(pack({ goal: "Win.", ...args }, handover))).toMatchObject({ code, path });
      }
      expect(await dump()).toBe(before);
    });

    test("[H9] a box of another project looks exactly like one that does not exist", async () => {
      const other = await World.open(store);
      const foreign = await other.box([said("theirs")]);
      const theirs = await refusal(pack({ boxes: foreign }, everything));
      const missing = await refusal(pack({ boxes: "x".repeat(foreign.length) }, everything));
      expect(theirs.message.replace(foreign, "ID")).toBe(missing.message.replace("x".repeat(foreign.length), "ID"));
      expect(theirs).toMatchObject({ code: missing.code, path: missing.path });
    });
  });
}

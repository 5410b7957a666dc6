import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Card, CardContent } from "../ports/card-store.ts";
import type { Store } from "../ports/ports.ts";
import { cardOf, fresh, itemsOf } from "../testing/store-samples.ts";

const contents: readonly CardContent[] = [
  { kind: "text", text: "a\0b \ud800 \u{1f600} 中文" },
  { kind: "json", value: { a: [1, null, "\0"], b: { c: true } } },
  { kind: "fields", fields: [{ name: "answer", type: "string" }, "plain"] },
  { kind: "tool-call", toolCallId: "1", toolName: "search", input: { q: "x" } },
  { kind: "tool-result", toolCallId: "1", toolName: "search", output: ["found"], isError: true },
  { kind: "file", uri: "file:///a.png", mediaType: "image/png", name: "a.png" },
];

/** What every card store promises. */
export function cardStoreContract(name: string, open: () => Promise<Store>): void {
  describe(`cards on ${name}`, () => {
    let store: Store;
    const now = 5000;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    const packed = async (ids: readonly string[]): Promise<{ projectId: string; boxId: string }> => {
      const projectId = fresh("p");
      await store.cards.pack({
        projectId,
        cards: ids.map((id) => cardOf(id)),
        boxes: [{ id: "box", items: itemsOf(...ids) }],
        now,
      });
      return { projectId, boxId: "box" };
    };

    test("[H9] ids and texts that look like SQL are ids and texts, and open nothing", async () => {
      const { projectId } = await packed(["c1"]);
      const hostile = [
        "' OR '1'='1",
        "c1'; DROP TABLE cards; --",
        '" OR 1=1 --',
        "%",
        "_1",
        "c1\\",
        "$1",
        ":id",
        "?1",
        "c1) OR (1=1",
      ];
      for (const id of hostile) {
        expect([id, await store.cards.openBox(projectId, id)]).toEqual([id, undefined]);
        expect([id, await store.cards.openBox(id, "box")]).toEqual([id, undefined]);
        expect([id, await store.cards.readBoxes(projectId, [id])]).toEqual([id, [undefined]]);
        expect([id, await store.tasks.list(projectId, { agentId: id })]).toEqual([id, []]);
        expect([id, await store.sessions.read({ projectId, sessionId: id })]).toEqual([id, []]);
      }
      const other = fresh("p");
      await store.cards.pack({
        projectId: other,
        cards: hostile.map((id) => ({ ...cardOf(id), content: { kind: "text" as const, text: id } })),
        boxes: [{ id: "'; DELETE FROM boxes; --", items: itemsOf(...hostile) }],
        now,
      });
      const box = await store.cards.openBox(other, "'; DELETE FROM boxes; --");
      expect(box?.cards.map((card) => card?.id)).toEqual(hostile);
      expect((await store.cards.openBox(projectId, "box"))?.cards).toHaveLength(1);
    });

    test("[H1] a card comes back as it was written, whatever it holds", async () => {
      const projectId = fresh("p");
      const cards = contents.map((content, n): Card => ({
        ...cardOf(`c${n}`),
        content,
        metadata: { n, "\0": "\udfff" },
      }));
      await store.cards.pack({ projectId, cards, boxes: [], now });
      expect(
        await store.cards.readCards(
          projectId,
          cards.map((card) => card.id),
        ),
      ).toEqual(cards);
    });

    test("[H1] a batch read keeps order and duplicates, and says what is missing", async () => {
      const { projectId } = await packed(["a", "b", "c"]);
      const ids = ["c", "nothing", "a", "c", "b\0", "b"];
      const found = await store.cards.readCards(projectId, ids);
      expect(found.map((card) => card?.id)).toEqual(["c", undefined, "a", "c", undefined, "b"]);
      const boxes = await store.cards.readBoxes(projectId, ["box", "nothing", "box"]);
      expect(boxes.map((box) => box?.id)).toEqual(["box", undefined, "box"]);
      expect(await store.cards.readCards(projectId, [])).toEqual([]);
    });

    test("[H1] whatever list of ids is asked for, the answer has their order", async () => {
      const all = Array.from({ length: 12 }, (_, n) => `k${n}`);
      const { projectId } = await packed(all);
      const lists = fc.array(fc.constantFrom(...all, "other"), { maxLength: 30 });
      await fc.assert(
        fc.asyncProperty(lists, async (ids) => {
          const cards = await store.cards.readCards(projectId, ids);
          expect(cards.map((card) => card?.id ?? "other")).toEqual(ids);
        }),
        { numRuns: 50 },
      );
    });

    test("[H1] a box has its cards in order with their origins and parents", async () => {
      const { projectId } = await packed(["a", "b"]);
      const items = [
        { cardId: "n", origin: "packed" },
        { cardId: "b", origin: "inherited" },
        { cardId: "a", origin: "inherited" },
        { cardId: "p", origin: "pointer" },
      ] as const;
      const boxes = [{ id: "child", items, parents: ["box"] }];
      await store.cards.pack({ projectId, cards: [cardOf("n"), cardOf("p")], boxes, now });
      const box = await store.cards.openBox(projectId, "child");
      expect(box).toMatchObject({ id: "child", version: 1, items, parents: ["box"], createdAt: now });
      expect(box?.cards.map((card) => card?.id)).toEqual(["n", "b", "a", "p"]);
    });

    test("[H1] appending makes a new version, and the earlier ones can still be read", async () => {
      const { projectId, boxId } = await packed(["a"]);
      const append = { projectId, boxId, cards: [cardOf("b")], items: itemsOf("b", "a"), now };
      const second = await store.cards.append({ ...append, expectedVersion: 1 });
      expect(second).toMatchObject({ version: 2, items: itemsOf("a", "b", "a") });
      await store.cards.append({ projectId, boxId, cards: [cardOf("c")], items: itemsOf("c"), now });
      const lengths = [1, 2, 3, undefined].map((version) => store.cards.openBox(projectId, boxId, version));
      const opened = await Promise.all(lengths);
      expect(opened.map((box) => [box?.version, box?.items.length])).toEqual([
        [1, 1],
        [2, 3],
        [3, 4],
        [3, 4],
      ]);
      expect(await store.cards.openBox(projectId, boxId, 4)).toBeUndefined();
      expect(await store.cards.openBox(projectId, boxId, 0)).toBeUndefined();
    });

    test("[H1] an append to a version that is over is refused; a repeat of the last one adds nothing", async () => {
      const { projectId, boxId } = await packed(["a"]);
      const append = { projectId, boxId, cards: [cardOf("b")], items: itemsOf("b"), expectedVersion: 1, now };
      await store.cards.append(append);
      expect(await store.cards.append(append)).toMatchObject({ version: 2 });
      const late = { ...append, cards: [cardOf("late")], items: itemsOf("late") };
      await expect(store.cards.append(late)).rejects.toMatchObject({ code: "BoxConflict", retryable: true });
      expect(await store.cards.readCards(projectId, ["late"])).toEqual([undefined]);
    });

    test("[H1] appends that come together are all kept", async () => {
      const { projectId, boxId } = await packed(["a"]);
      const ids = Array.from({ length: 10 }, (_, n) => `x${n}`);
      await Promise.all(
        ids.map((id) => store.cards.append({ projectId, boxId, cards: [cardOf(id)], items: itemsOf(id), now })),
      );
      const box = await store.cards.openBox(projectId, boxId);
      expect(box?.version).toBe(11);
      expect(box?.cards.map((card) => card?.id).toSorted()).toEqual(["a", ...ids]);
    });

    test("[H1] a card or a box is never changed: the same is left alone, anything else is refused", async () => {
      const { projectId } = await packed(["a"]);
      const pack = { projectId, cards: [cardOf("a")], boxes: [{ id: "box", items: itemsOf("a") }], now };
      await store.cards.pack({ ...pack, cards: [{ ...cardOf("a"), createdAt: 9 }] });
      await expect(store.cards.pack({ ...pack, cards: [cardOf("a", "other")] })).rejects.toMatchObject({
        code: "DuplicateId",
      });
      await expect(store.cards.pack({ ...pack, boxes: [{ id: "box", items: [] }] })).rejects.toMatchObject({
        code: "DuplicateId",
      });
      expect(await store.cards.readCards(projectId, ["a"])).toEqual([cardOf("a")]);
    });

    test.each([
      ["a card that nothing has", { boxes: [{ id: "bad", items: itemsOf("new", "nothing") }] }, "NotFound"],
      ["a parent that nothing has", { boxes: [{ id: "bad", items: [], parents: ["nothing"] }] }, "NotFound"],
      ["two cards of one id", { cards: [cardOf("new"), cardOf("new")] }, "DuplicateId"],
      ["a card without an id", { cards: [cardOf("new"), cardOf("")] }, "InvalidId"],
      ["an author with a NUL", { cards: [{ ...cardOf("new"), authorId: "a\0" }] }, "InvalidId"],
    ])("[H2] %s: nothing is written", async (_, part, code) => {
      const { projectId } = await packed(["a"]);
      const pack = { projectId, cards: [cardOf("new")], boxes: [{ id: "good", items: itemsOf("new") }], now, ...part };
      await expect(store.cards.pack(pack)).rejects.toMatchObject({ code });
      expect(await store.cards.readCards(projectId, ["new"])).toEqual([undefined]);
      expect(await store.cards.readBoxes(projectId, ["good", "bad"])).toEqual([undefined, undefined]);
    });

    test("[H9] no id of another project can be read, appended to or packed", async () => {
      const { projectId, boxId } = await packed(["secret"]);
      const mine = fresh("p");
      await store.cards.pack({ projectId: mine, cards: [cardOf("own")], boxes: [], now });
      expect(await store.cards.readCards(mine, ["secret"])).toEqual([undefined]);
      expect(await store.cards.readBoxes(mine, [boxId])).toEqual([undefined]);
      expect(await store.cards.openBox(mine, boxId)).toBeUndefined();
      const append = store.cards.append({ projectId: mine, boxId, items: itemsOf("own"), now });
      await expect(append).rejects.toMatchObject({ code: "NotFound" });
      const boxes = [{ id: "thief", items: itemsOf("secret"), parents: [boxId] }];
      await expect(store.cards.pack({ projectId: mine, cards: [], boxes, now })).rejects.toMatchObject({
        code: "NotFound",
      });
      await expect(store.cards.saveProfile(mine, { name: "x", boxId })).rejects.toMatchObject({ code: "NotFound" });
      expect(await store.cards.deleteCards(mine, ["secret"])).toBe(0);
      const inherits = [{ id: "heir", items: [{ cardId: "secret", origin: "inherited" as const }] }];
      await store.cards.pack({ projectId: mine, cards: [], boxes: inherits, now });
      expect((await store.cards.openBox(mine, "heir"))?.cards).toEqual([undefined]);
      expect(await store.cards.readCards(projectId, ["secret"])).toEqual([cardOf("secret")]);
    });

    test("[H1] a deleted card leaves its place empty, and boxes that inherit it can still be made", async () => {
      const { projectId, boxId } = await packed(["a", "b", "c"]);
      expect(await store.cards.deleteCards(projectId, ["b", "nothing", "b\0"])).toBe(1);
      const box = await store.cards.openBox(projectId, boxId);
      expect(box?.cards.map((card) => card?.id)).toEqual(["a", undefined, "c"]);
      const items = [{ cardId: "b", origin: "inherited" as const }];
      await store.cards.pack({ projectId, cards: [], boxes: [{ id: "heir", items, parents: [boxId] }], now });
      expect((await store.cards.openBox(projectId, "heir"))?.cards).toEqual([undefined]);
    });

    test("[H2] a profile is a name for a box, can be given another, and can be taken away", async () => {
      const { projectId, boxId } = await packed(["a"]);
      await store.cards.pack({ projectId, cards: [], boxes: [{ id: "next", items: itemsOf("a") }], now });
      await store.cards.saveProfile(projectId, { name: "writer", boxId });
      await store.cards.saveProfile(projectId, { name: "critic", boxId });
      await store.cards.saveProfile(projectId, { name: "writer", boxId: "next" });
      expect(await store.cards.findProfile(projectId, "writer")).toEqual({ name: "writer", boxId: "next" });
      expect(await store.cards.findProfile(projectId, "nobody")).toBeUndefined();
      expect(await store.cards.findProfile(fresh("p"), "writer")).toBeUndefined();
      const names = (await store.cards.listProfiles(projectId)).map((profile) => profile.name);
      expect(names).toEqual(["critic", "writer"]);
      expect(await store.cards.deleteProfile(projectId, "writer")).toBe(true);
      expect(await store.cards.deleteProfile(projectId, "writer")).toBe(false);
      expect(await store.cards.deleteProfile(fresh("p"), "critic")).toBe(false);
      expect((await store.cards.listProfiles(projectId)).map((profile) => profile.name)).toEqual(["critic"]);
      expect(await store.cards.openBox(projectId, "next")).toBeDefined();
    });
  });
}

import type { SessionEntry } from "@galley/engine";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../ports/ports.ts";
import { fresh } from "../testing/store-samples.ts";

const entryOf = (id: string, text = id): SessionEntry => ({
  id,
  ts: 1,
  type: "message",
  message: { role: "user", content: text },
});
const idsOf = (entries: readonly SessionEntry[]): string[] => entries.map((entry) => entry.id);

/** What every session store promises. */
export function sessionStoreContract(name: string, open: () => Promise<Store>): void {
  describe(`sessions on ${name}`, () => {
    let store: Store;
    const session = () => ({ projectId: "p", sessionId: fresh("s") });
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    test("[M3] appending adds what is new, in order, and a repeat adds nothing", async () => {
      const s = session();
      const entries = ["a", "b"].map((id) => entryOf(id));
      expect(await store.sessions.append(s, entries, null)).toEqual({ added: entries, tail: "b" });
      expect(await store.sessions.append(s, entries, null)).toEqual({ added: [], tail: "b" });
      const more = [{ ...entryOf("b"), ts: 2 }, entryOf("c"), entryOf("c")];
      expect(await store.sessions.append(s, more, "b")).toEqual({ added: [entryOf("c")], tail: "c" });
      expect(await store.sessions.read(s)).toEqual([...entries, entryOf("c")]);
      expect(await store.sessions.tail(s)).toBe("c");
    });

    test("[M3] an id that another entry has is refused with its path, and nothing of the append is kept", async () => {
      const s = session();
      await store.sessions.append(s, [entryOf("a")]);
      for (const [entries, path] of [
        [[entryOf("b"), entryOf("a", "other")], "entries[1].id"],
        [[entryOf("b"), entryOf("b", "other")], "entries[1].id"],
      ] as const) {
        await expect(store.sessions.append(s, entries)).rejects.toMatchObject({ code: "DuplicateId", path });
      }
      expect(await store.sessions.read(s)).toEqual([entryOf("a")]);
    });

    test("[M3] a repeat is known by what is stored of it", async () => {
      const s = session();
      const content = [{ type: "image" as const, image: new Uint8Array([1, 2, 3]) }];
      const picture: SessionEntry = { id: "p", ts: 1, type: "message", message: { role: "user", content } };
      await store.sessions.append(s, [picture]);
      expect(await store.sessions.append(s, [picture])).toEqual({ added: [], tail: "p" });
    });

    test("[M3] a session that has moved on is a conflict, and nothing of the append is kept", async () => {
      const s = session();
      await store.sessions.append(s, [entryOf("a")], null);
      for (const [tail, found] of [
        [null, "a"],
        ["z", "a"],
      ] as const) {
        await expect(store.sessions.append(s, [entryOf("b"), entryOf("c")], tail)).rejects.toMatchObject({
          code: "SessionConflict",
          retryable: true,
          message: expect.stringContaining(JSON.stringify(found)),
        });
      }
      await expect(store.sessions.append(session(), [entryOf("a")], "x")).rejects.toThrow("the session is empty");
      expect(idsOf(await store.sessions.read(s))).toEqual(["a"]);
    });

    test("[M3] of several appends to one tail, one is through and the others are told", async () => {
      const s = session();
      await store.sessions.append(s, [entryOf("a")]);
      const results = await Promise.allSettled(
        Array.from({ length: 8 }, (_, index) => store.sessions.append(s, [entryOf(`n${index}`)], "a")),
      );
      const through = results.filter((result) => result.status === "fulfilled");
      expect(through).toHaveLength(1);
      expect(await store.sessions.read(s)).toHaveLength(2);
    });

    test("[M3] appends without an expected tail are all kept, each whole", async () => {
      const s = session();
      const appends = Array.from({ length: 10 }, (_, n) => [entryOf(`${n}.1`), entryOf(`${n}.2`)]);
      await Promise.all(appends.map((entries) => store.sessions.append(s, entries)));
      const ids = idsOf(await store.sessions.read(s));
      expect(ids).toHaveLength(20);
      for (const id of ids.filter((_, index) => index % 2 === 0)) {
        expect(ids[ids.indexOf(id) + 1]).toBe(id.replace(".1", ".2"));
      }
    });

    test("[M2] entries come back as they were written: unknown types, NUL, half surrogates", async () => {
      const s = session();
      const odd = { id: "odd", ts: "2026-01-01T00:00:00Z", type: "of-tomorrow", text: "a\0b\ud800c\u{1f600}", n: 1e21 };
      await store.sessions.append(s, [odd as unknown as SessionEntry]);
      expect(await store.sessions.read(s)).toEqual([odd]);
    });

    test("[M3] whatever text a message has, it comes back", async () => {
      const s = session();
      const texts = fc.string({ unit: "binary", maxLength: 50 });
      await fc.assert(
        fc.asyncProperty(texts, async (text) => {
          const entry = entryOf(fresh("e"), text);
          await store.sessions.append(s, [entry]);
          expect(await store.sessions.read(s, { last: 1 })).toEqual([entry]);
        }),
        { numRuns: 50 },
      );
    });

    test.each([
      [{}, ["a", "b", "c", "d"]],
      [{ after: "b" }, ["c", "d"]],
      [{ before: "b" }, ["a"]],
      [{ after: "a", before: "d" }, ["b", "c"]],
      [{ last: 2 }, ["c", "d"]],
      [{ before: "d", last: 2 }, ["b", "c"]],
      [{ last: 0 }, []],
      [{ first: 2 }, ["a", "b"]],
      [{ after: "a", first: 2 }, ["b", "c"]],
      [{ after: "unknown", first: 2 }, []],
      [{ after: "unknown" }, []],
      [{ after: "a\0" }, []],
    ])("[F14] reading %j takes a window", async (window, expected) => {
      const s = session();
      await store.sessions.append(
        s,
        ["a", "b", "c", "d"].map((id) => entryOf(id)),
      );
      expect(idsOf(await store.sessions.read(s, window))).toEqual(expected);
    });

    test("[H9] a session of another project is not found, and the list is the project's own", async () => {
      const projectId = fresh("project");
      for (const sessionId of ["one", "two", "one"]) {
        await store.sessions.append({ projectId, sessionId }, [entryOf(fresh("e"))]);
      }
      expect(await store.sessions.list(projectId)).toMatchObject([
        { id: "one", entries: 2 },
        { id: "two", entries: 1 },
      ]);
      const other = { projectId: fresh("project"), sessionId: "one" };
      expect(await store.sessions.read(other)).toEqual([]);
      expect(await store.sessions.tail(other)).toBeNull();
      expect(await store.sessions.list(other.projectId)).toEqual([]);
    });

    test("[V6] a session has settings of its own, and goes with them for good", async () => {
      const s = session();
      expect(await store.sessions.settings(s)).toBeNull();
      await store.sessions.configure(s, { language: "en" });
      await store.sessions.append(s, [entryOf("a")], null);
      expect(await store.sessions.settings(s)).toEqual({ language: "en" });
      await store.sessions.configure(s, null);
      expect(await store.sessions.settings(s)).toBeNull();
      expect(await store.sessions.tail(s)).toBe("a");
      expect(await store.sessions.delete(s)).toBe(true);
      expect(await store.sessions.delete(s)).toBe(false);
      expect(await store.sessions.read(s)).toEqual([]);
      expect(await store.sessions.append(s, [entryOf("b")], null)).toMatchObject({ tail: "b" });
    });

    test.each(["", "a\0b", "\ud800", "x".repeat(201)])("%j cannot be an id, and is found nowhere", async (bad) => {
      const good = session();
      await expect(store.sessions.append({ ...good, sessionId: bad }, [entryOf("a")])).rejects.toMatchObject({
        code: "InvalidId",
      });
      await expect(store.sessions.append(good, [entryOf("fine"), entryOf(bad)])).rejects.toMatchObject({
        code: "InvalidId",
      });
      expect(await store.sessions.read(good)).toEqual([]);
      expect(await store.sessions.read({ ...good, sessionId: bad })).toEqual([]);
    });
  });
}

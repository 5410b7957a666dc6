import { type LedgerRow, type ModelMessage, type ToolSpec, digestItem } from "@galley/engine";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildOf, said } from "../testing/build-samples.ts";
import type { NewBuild } from "../ports/build-store.ts";
import type { Store } from "../ports/ports.ts";
import { fresh } from "../testing/store-samples.ts";

/** What every store of builds promises. */
export function buildStoreContract(name: string, open: () => Promise<Store>): void {
  describe(`builds on ${name}`, () => {
    let store: Store;
    const session = () => ({ projectId: "p", sessionId: fresh("chat:") });
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    const tool: ToolSpec = { name: "search", description: "finds", inputSchema: { type: "object" } };

    test("[P2] a build comes back as it was recorded, by its number", async () => {
      const s = session();
      const build = buildOf([{ role: "system", content: "Be kind." }, said("hi")], {
        tools: [tool],
        recipe: { id: "r", pattern: "*", rule: "default" },
        presetId: "default",
        runId: "run-1",
        problems: [{ severity: "warning", code: "UnknownAnchor", message: "m", path: "a.b" }],
      });
      expect(await store.builds.record(s, build)).toMatchObject({ n: 1 });
      expect(await store.builds.record(s, buildOf([said("other")]))).toMatchObject({ n: 2 });
      const { messages, tools: _tools, ledger: _ledger, ...item } = build;
      expect(await store.builds.read(s, 1)).toEqual({
        ...build,
        n: 1,
        turn: 1,
        callOfTurn: 1,
        usage: null,
        raw: null,
        removed: [],
        hashes: messages.map((message) => digestItem(message)),
      });
      expect(await store.builds.list(s)).toMatchObject([{ ...item, n: 1, usage: null }, { n: 2 }]);
      expect(Object.keys((await store.builds.list(s))[0] ?? {})).not.toContain("messages");
      expect(await store.builds.read(s, 3)).toBeUndefined();
      expect(await store.builds.read(session(), 1)).toBeUndefined();
    });

    test("[P2] a key that is there gives its number and replaces nothing", async () => {
      const s = session();
      const build = buildOf([said("first")]);
      expect(await store.builds.record(s, build)).toMatchObject({ n: 1 });
      expect(await store.builds.record(s, buildOf([said("second")], { key: build.key }))).toMatchObject({ n: 1 });
      expect((await store.builds.read(s, 1))?.messages).toEqual([said("first")]);
      expect(await store.builds.list(s)).toHaveLength(1);
    });

    test("[V1] a call says its turn and its place in the turn, also when turns overlap or their ids begin alike", async () => {
      const s = session();
      const call = (turnId: string, rest: string) =>
        store.builds.record(s, buildOf([said(turnId + rest)], { turnId, key: turnId + rest }));
      expect(await call("a", "/0/all")).toEqual({ n: 1, turn: 1, callOfTurn: 1 });
      expect(await call("a/1", "/0/all")).toEqual({ n: 2, turn: 2, callOfTurn: 1 });
      expect(await call("b", "")).toEqual({ n: 3, turn: 3, callOfTurn: 1 });
      expect(await call("a", "/1/all")).toEqual({ n: 4, turn: 1, callOfTurn: 2 });
      expect(await call("a/1", "/0/900")).toEqual({ n: 5, turn: 2, callOfTurn: 2 });
      expect(await call("a", "/1/all")).toEqual({ n: 4, turn: 1, callOfTurn: 2 });
      expect(await call("c", "/0/all")).toEqual({ n: 6, turn: 4, callOfTurn: 1 });
      expect((await store.builds.read(s, 5)) ?? {}).toMatchObject({ turnId: "a/1", turn: 2, callOfTurn: 2 });
      expect((await store.builds.list(s)).map(({ turn }) => turn)).toEqual([1, 2, 3, 1, 2, 4]);
      await expect(store.builds.record(s, buildOf([], { turnId: "d", key: "dd/0" }))).rejects.toMatchObject({
        code: "InvalidId",
        path: "key",
      });
    });

    test("[P2] builds that are recorded at once get numbers of their own, and each is whole", async () => {
      const s = session();
      const common = Array.from({ length: 5 }, (_, index) => said(`common ${index}`));
      const builds = Array.from({ length: 20 }, (_, index) => buildOf([...common, said(`own ${index}`)]));
      const recorded = await Promise.all(builds.map((build) => store.builds.record(s, build)));
      const numbers = recorded.map(({ n }) => n);
      expect(numbers.toSorted((a, b) => a - b)).toEqual(builds.map((_, index) => index + 1));
      for (const [index, n] of numbers.entries()) {
        expect((await store.builds.read(s, n))?.messages).toEqual(builds[index]?.messages);
      }
    });

    const text = fc.constantFrom("a", "b", "c", "d", "e", "\0\ud800", "\u{1f600}中文");
    const message = text.map((each) => said(each));
    const fate = fc.constantFrom("kept", "masked", "dropped");
    const anyBuild = fc.record({ messages: fc.array(message, { maxLength: 8 }), fate, tools: fc.nat({ max: 2 }) });

    test("[P2] any builds one after the other read back equal", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyBuild, { minLength: 1, maxLength: 8 }), async (samples) => {
          const s = session();
          const builds = samples.map(({ messages, fate, tools }): NewBuild => {
            const build = buildOf(messages, {
              tools: Array.from({ length: tools }, (_, n) => ({ ...tool, name: `t${n}` })),
            });
            const ledger = build.ledger.map(({ position, ...row }, at): LedgerRow => ({
              ...row,
              fate: fate as LedgerRow["fate"],
              ...(fate === "dropped" || position === undefined ? {} : { position: position + (at % 2) }),
            }));
            return { ...build, ledger };
          });
          for (const [index, build] of builds.entries())
            expect((await store.builds.record(s, build)).n).toBe(index + 1);
          for (const [index, { messages, tools, ledger }] of builds.entries()) {
            expect(await store.builds.read(s, index + 1)).toMatchObject({ messages, tools, ledger });
          }
        }),
        { numRuns: 25 },
      );
    });

    test("[P2] a long session reads back at every number, across builds that are written in full", async () => {
      const s = session();
      const messages: ModelMessage[] = [];
      const sent = new Map<number, readonly ModelMessage[]>();
      for (let n = 1; n <= 120; n += 1) {
        messages.push(said(`message ${n}`));
        // From time to time the oldest go, as a compaction does it.
        if (n % 37 === 0) messages.splice(1, 20);
        sent.set((await store.builds.record(s, buildOf([...messages]))).n, [...messages]);
      }
      expect(sent.size).toBe(120);
      for (const [n, expected] of sent) expect((await store.builds.read(s, n))?.messages).toEqual(expected);
      expect((await store.builds.list(s, { last: 2 })).map((item) => item.n)).toEqual([119, 120]);
      expect((await store.builds.list(s, { last: 2, before: 52 })).map((item) => item.n)).toEqual([50, 51]);
    });

    test("[P2] keys keep the order that was sent, and bytes become base64 text", async () => {
      const s = session();
      const bytes: ModelMessage = {
        role: "user",
        content: [
          { type: "file", mediaType: "image/png", data: Buffer.from([1, 2, 255]) },
          { type: "file", mediaType: "image/png", data: new Uint8Array([0, 254]) },
        ],
      };
      await store.builds.record(s, buildOf([bytes, { content: "z", role: "user" }]));
      const read = (await store.builds.read(s, 1))?.messages ?? [];
      expect(read[0]).toMatchObject({ content: [{ data: "AQL/" }, { data: "AP4=" }] });
      expect(JSON.stringify(read[1])).toBe('{"content":"z","role":"user"}');
    });

    test("[P2] requests are kept for the latest 20 builds, and usage for all", async () => {
      const s = session();
      const usage = { inputTokens: 5, outputTokens: 2, cachedInputTokens: 1 };
      for (let n = 1; n <= 23; n += 1) {
        await store.builds.record(s, buildOf([said(`m${n}`)]));
        await store.builds.noteSent(s, n, `{"n":${n},"text":"中文\\u0000"}`);
        await store.builds.noteUsage(s, n, usage);
      }
      const raws = await Promise.all(
        Array.from({ length: 23 }, async (_, n) => (await store.builds.read(s, n + 1))?.raw),
      );
      expect(raws.map((raw) => raw !== null)).toEqual([...Array(3).fill(false), ...Array(20).fill(true)]);
      expect(raws[22]).toBe('{"n":23,"text":"中文\\u0000"}');
      await store.builds.noteSent(s, 2, "late");
      expect(await store.builds.read(s, 2)).toMatchObject({ raw: null, usage });
      await expect(store.builds.noteSent(s, 24, "")).rejects.toMatchObject({ code: "NotFound" });
      await expect(store.builds.noteUsage(s, 0, usage)).rejects.toMatchObject({ code: "NotFound" });
    });

    test("[H9] sessions are the project's own, the one that was used last first, whatever their ids", async () => {
      const projectId = fresh("project");
      const ids = ["chat:a\0b", 'chat:"q"', '"', "\ud800", `chat:${"x".repeat(595)}`];
      for (const [index, sessionId] of ids.entries()) {
        await store.builds.record({ projectId, sessionId }, buildOf([said(sessionId)], { at: 2000 + index }));
      }
      const sessions = await store.builds.sessions(projectId);
      expect(sessions.map(({ id }) => id)).toEqual(ids.toReversed());
      expect(sessions[0]).toEqual({ id: ids[4], calls: 1, updatedAt: 2004, model: "demo", inputTokens: 1 });
      for (const sessionId of ids) {
        expect((await store.builds.read({ projectId, sessionId }, 1))?.messages).toEqual([said(sessionId)]);
      }
      expect(await store.builds.sessions(fresh("project"))).toEqual([]);
    });

    test("[M7] a removed message leaves every build of its session, and what stands there says so", async () => {
      const projectId = fresh("project");
      const one = { projectId, sessionId: "one" };
      const two = { projectId, sessionId: "two" };
      const secret = said("my secret");
      const call: ModelMessage = {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c1", toolName: "search", input: { q: "secret too" } }],
      };
      await store.builds.record(one, buildOf([said("hello"), secret]));
      await store.builds.record(one, buildOf([said("hello"), secret, call]));
      await store.builds.noteSent(one, 2, "my secret");
      await store.builds.record(two, buildOf([secret]));
      const hashes = [digestItem(secret), digestItem(call), digestItem(said("never sent"))];
      expect(await store.builds.purge(one, hashes)).toBe(2);
      expect(await store.builds.purge(one, hashes)).toBe(0);
      const second = await store.builds.read(one, 2);
      expect(second).toMatchObject({ removed: [1, 2], hashes: [digestItem(said("hello")), null, null], raw: null });
      expect(second?.messages[0]).toEqual(said("hello"));
      expect(second?.messages[1]).toEqual(said("[redacted]"));
      expect(second?.messages[2]).toMatchObject({ content: [{ toolCallId: "c1", input: {} }] });
      expect(JSON.stringify(await store.builds.read(one, 1))).not.toContain("secret");
      // Another session said the same, and keeps it.
      expect((await store.builds.read(two, 1))?.messages).toEqual([secret]);
      // What is said again afterwards is there again.
      expect(await store.builds.record(one, buildOf([said("hello"), secret]))).toMatchObject({ n: 3 });
      expect((await store.builds.read(one, 3))?.messages).toEqual([said("hello"), secret]);
      expect((await store.builds.read(one, 1))?.messages).toEqual([said("hello"), said("[redacted]")]);
    });

    test("[M7] a session that is deleted has no builds, and begins again", async () => {
      const s = session();
      const other = session();
      for (const each of [s, other]) await store.builds.record(each, buildOf([said("shared"), said(each.sessionId)]));
      expect(await store.builds.purge(s, "everything")).toBe(1);
      expect(await store.builds.list(s)).toEqual([]);
      expect(await store.builds.read(s, 1)).toBeUndefined();
      expect((await store.builds.sessions("p")).map(({ id }) => id)).not.toContain(s.sessionId);
      expect((await store.builds.read(other, 1))?.messages).toEqual([said("shared"), said(other.sessionId)]);
      expect(await store.builds.record(s, buildOf([said("shared"), said("again")]))).toEqual({
        n: 1,
        turn: 1,
        callOfTurn: 1,
      });
      expect((await store.builds.read(s, 1))?.messages).toEqual([said("shared"), said("again")]);
      expect(await store.builds.purge(session(), "everything")).toBe(0);
    });

    test("[M7] whatever is removed while others record, nobody loses what they sent", async () => {
      const common = Array.from({ length: 4 }, (_, index) => said(fresh(`common ${index}`)));
      const sessions = Array.from({ length: 6 }, session);
      await Promise.all(
        sessions.map(async (s, index) => {
          for (let round = 0; round < 5; round += 1) {
            await store.builds.record(s, buildOf(common));
            if (index % 2 === 0) await store.builds.purge(s, "everything");
          }
        }),
      );
      for (const [index, s] of sessions.entries()) {
        const builds = await store.builds.list(s);
        expect(builds).toHaveLength(index % 2 === 0 ? 0 : 5);
        for (const { n } of builds) expect((await store.builds.read(s, n))?.messages).toEqual(common);
      }
    });

    test("what cannot be an id is refused, and found nowhere", async () => {
      const good = session();
      for (const bad of ["", "x".repeat(601)]) {
        await expect(store.builds.record({ ...good, sessionId: bad }, buildOf([]))).rejects.toMatchObject({
          code: "InvalidId",
        });
        expect(await store.builds.list({ ...good, sessionId: bad })).toEqual([]);
      }
      await expect(store.builds.record(good, buildOf([], { key: "a\0" }))).rejects.toMatchObject({ code: "InvalidId" });
      await expect(store.builds.record({ ...good, projectId: "" }, buildOf([]))).rejects.toThrow("project");
      expect(await store.builds.sessions("a\0")).toEqual([]);
      expect(await store.builds.purge({ projectId: "a\0", sessionId: "s" }, "everything")).toBe(0);
    });
  });
}

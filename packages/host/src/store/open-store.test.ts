import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { digestItem } from "@galley/engine";
import { afterAll, describe, expect, test } from "vitest";
import { buildOf, said } from "./testing/build-samples.ts";
import { checkStore } from "./check-store.ts";
import { migrations } from "./database/migrations.ts";
import { type StoreOptions, openStore } from "./open-store.ts";
import { runSql } from "../../testing/postgres-server.ts";
import { testDatabase } from "../../testing/test-database.ts";

const run = promisify(execFile);
const opener = fileURLToPath(new URL("testing/store-opener.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "galley-open-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8");

describe.each(["sqlite", "postgres"] as const)("opening %s", (kind) => {
  const made = async (): Promise<StoreOptions> =>
    kind === "sqlite" ? { data: mkdtempSync(join(folder, "data-")) } : { postgres: await testDatabase() };
  const rowsOf = async ({ data = "", postgres }: StoreOptions, sql: string): Promise<readonly unknown[]> => {
    if (postgres === undefined) {
      const db = new DatabaseSync(join(data, "galley.sqlite"));
      // Several statements at once are only possible without an answer.
      if (sql.trim().includes(";\n")) db.exec(sql);
      const rows = sql.trim().includes(";\n")
        ? []
        : db
            .prepare(sql)
            .all()
            .map((row) => ({ ...row }));
      db.close();
      return rows;
    }
    return runSql(postgres, sql);
  };

  test("[H8] processes that open a new store together all get in and work", async () => {
    const options = await made();
    const opened = await Promise.all(
      ["a", "b", "c", "d"].map((name) => run(process.execPath, [opener, JSON.stringify(options), name])),
    );
    expect(opened.map(({ stdout }) => stdout)).toEqual(["done a", "done b", "done c", "done d"]);
    const store = await openStore(options);
    expect((await store.sessions.read({ projectId: "p", sessionId: "s" })).map((entry) => entry.id).toSorted()).toEqual(
      ["a", "b", "c", "d"],
    );
    expect(await store.tasks.list("p")).toHaveLength(4);
    await store.close();
  });

  test("[H8] a store of version 1 opens, and everything in it is there", async () => {
    const options = await made();
    await rowsOf(options, fixture(`store-1.${kind}.sql`));
    const store = await openStore(options);
    expect(await store.sessions.read({ projectId: "p", sessionId: "s" })).toEqual([
      { id: "e1", ts: 1, type: "message", message: { role: "user", content: "a\0b\ud800" } },
    ]);
    const box = await store.cards.openBox("p", "out");
    expect(box).toMatchObject({ version: 2, parents: [], items: [{ cardId: "o1", origin: "output" }] });
    expect(box?.cards[0]).toMatchObject({
      content: { kind: "text", text: "done 中文" },
      metadata: { role: "assistant" },
    });
    expect((await store.cards.openBox("p", "ctx"))?.items.map((item) => item.origin)).toEqual(["packed", "pointer"]);
    expect(await store.cards.findProfile("p", "writer")).toEqual({ name: "writer", boxId: "prof" });
    const [task] = await store.tasks.read("p", ["t1"]);
    expect(task).toMatchObject({
      status: "succeeded",
      result: { ok: true },
      batchId: "b1",
      outputStart: 0,
      outputEnd: 1,
    });
    expect((await store.tasks.readBatches("p", ["b1"]))[0]).toMatchObject({ status: "success", size: 1, open: 0 });
    expect((await store.tasks.readAgents("p", ["a1"]))[0]).toMatchObject({ outputBoxId: "out" });
    await store.close();
    expect(await checkStore(options)).toEqual([]);
  });

  test("[H8] a store of version 1 takes builds and runs", async () => {
    const options = await made();
    await rowsOf(options, fixture(`store-1.${kind}.sql`));
    const store = await openStore(options);
    const session = { projectId: "p", sessionId: "s" };
    expect(await store.builds.record(session, buildOf([said("hi")]))).toMatchObject({ n: 1 });
    expect((await store.builds.read(session, 1))?.messages).toEqual([said("hi")]);
    expect(await store.runs.list("p")).toEqual([]);
    await store.close();
  });

  test("[H8] a store of version 2 opens, and its builds and runs are there", async () => {
    const options = await made();
    await rowsOf(options, fixture(`store-2.${kind}.sql`));
    const store = await openStore(options);
    expect(await store.sessions.tail({ projectId: "p", sessionId: "s" })).toBe("e1");
    const session = { projectId: "p", sessionId: "chat:s\n" };
    const text = (n: number): string => (n === 1 ? "a\0b\ud800" : n === 6 ? "[redacted]" : `message ${n} 中文`);
    const messages = Array.from({ length: 12 }, (_, n) => said(text(n)));
    const [first, second, third] = await Promise.all([1, 2, 3].map((n) => store.builds.read(session, n)));
    expect(first).toMatchObject({
      key: "r1/1",
      messages: messages.slice(0, 10),
      removed: [6],
      tools: [{ name: "search" }],
    });
    expect(second).toMatchObject({ messages, usage: { cachedInputTokens: 70 }, runId: "r1" });
    expect(second?.ledger.map(({ id, position }) => [id, position])).toEqual(messages.map((_, n) => [`e${n}`, n]));
    expect(third).toMatchObject({
      messages: [messages[0], ...messages.slice(5)],
      removed: [2],
      raw: '{"model":"demo"}',
    });
    expect(await store.builds.sessions("p")).toMatchObject([{ id: "chat:s\n", calls: 3, updatedAt: 2000 }]);
    expect(await store.builds.record(session, buildOf([...messages]))).toMatchObject({ n: 4 });
    expect((await store.builds.read(session, 4))?.messages).toEqual(messages);
    expect(await store.runs.get("p", "r1")).toMatchObject({
      status: "finished",
      result: { text: "done" },
      replyTs: 1900,
    });
    expect(await store.runs.list("p", { chat: "s\n", status: "running" })).toMatchObject([{ id: "r2", calls: [3] }]);
    const claim = { now: Date.now(), leaseMs: 60_000 };
    expect(await store.runs.claimAbandoned("p", "w2", claim)).toMatchObject([
      { id: "r2", context: { switched: true } },
    ]);
    await store.close();
    expect(await checkStore(options)).toEqual([]);
  });

  test("[H8] a store of a newer version is refused and left alone", async () => {
    const options = await made();
    await (await openStore(options)).close();
    await rowsOf(options, kind === "sqlite" ? "PRAGMA user_version=99" : "UPDATE galley_schema SET version = 99");
    const error = { code: "StoreVersion", message: expect.stringContaining("99") };
    await expect(openStore(options)).rejects.toMatchObject(error);
    expect(await checkStore(options)).toMatchObject([error]);
    const version = await rowsOf(
      options,
      kind === "sqlite" ? "PRAGMA user_version" : "SELECT version FROM galley_schema",
    );
    expect(Object.values(version[0] ?? {})).toEqual([99]);
  });
});

test("a released migration is never changed: each is what the fixture of its version froze", () => {
  expect(migrations.map((step) => step.version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  for (const { version, sqlite, postgres } of migrations) {
    expect(fixture(`store-${version}.sqlite.sql`)).toContain(sqlite);
    expect(fixture(`store-${version}.postgres.sql`)).toContain(postgres);
  }
});

test.each([
  ["a server that is not there", async () => "postgres://127.0.0.1:1/none", /cannot be reached/],
  [
    "a database that is not there",
    async () => (await testDatabase()).replace(/suite_\d+$/, "missing"),
    /cannot be opened/,
  ],
  ["no URL", async () => "postgres://", /cannot be/],
])("%s is an error that says what to do", async (_, url, message) => {
  await expect(openStore({ postgres: await url() })).rejects.toMatchObject({
    code: "StoreUnavailable",
    message: expect.stringMatching(message),
    hint: expect.any(String),
  });
});

/** Whether any file of the store holds a text: the database, its log. */
const heldBy = (data: string, text: string): boolean =>
  readdirSync(data).some((name) => readFileSync(join(data, name)).includes(text));

test("[M7] the bytes of a removed message and of deleted runs leave the embedded file", async () => {
  const data = mkdtempSync(join(folder, "data-"));
  const store = await openStore({ data });
  const session = { projectId: "p", sessionId: "s" };
  const secret = said("very-secret-text");
  await store.builds.record(session, buildOf([said("kept-text"), secret]));
  const place = {
    projectId: "p",
    place: { session: "s" },
    session: "s",
    model: "m",
    request: { input: "very-secret-text" },
  };
  const { run } = await store.runs.start({ ...place, id: "r", inputTs: 1, worker: "w", leaseMs: 1, now: 1 });
  await store.runs.save(run, { steps: [secret] });
  await store.runs.finish(run, { status: "failed", error: { code: "x", message: "y" } }, 2);
  await store.builds.purge(session, [digestItem(secret)]);
  await store.runs.purge(session);
  // At once, not only when the store is closed: its log would hold them as long as it is in use.
  expect([heldBy(data, "kept-text"), heldBy(data, "very-secret-text")]).toEqual([true, false]);
  await store.close();
});

test("a deleted card's bytes leave the embedded file", async () => {
  const data = mkdtempSync(join(folder, "data-"));
  const store = await openStore({ data });
  const card = { id: "c", type: "t", metadata: {}, authorId: "a", createdAt: 1 };
  const content = { kind: "text", text: "very-secret-text" } as const;
  await store.cards.pack({ projectId: "p", cards: [{ ...card, content }], boxes: [], now: 1 });
  expect(heldBy(data, "very-secret-text")).toBe(true);
  await store.cards.deleteCards("p", ["c"]);
  expect(heldBy(data, "very-secret-text")).toBe(false);
  await store.close();
  expect(readdirSync(data)).toEqual(["galley.sqlite"]);
});

test("[E] a file in the place of the data folder is said in plain words", async () => {
  const data = join(folder, "a-file");
  writeFileSync(data, "");
  await expect(openStore({ data })).rejects.toMatchObject({ code: "StorageFailed", path: data });
});

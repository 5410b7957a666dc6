import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { checkStore } from "./check-store.ts";
import { migrations } from "./migrations.ts";
import { type StoreOptions, openStore } from "./open-store.ts";
import { runSql } from "./postgres-server.test-support.ts";
import { testDatabase } from "./test-database.test-support.ts";

const run = promisify(execFile);
const opener = fileURLToPath(new URL("store-opener.test-support.ts", import.meta.url));
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
    expect(await store.turns.list("p")).toHaveLength(4);
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
    const [turn] = await store.turns.read("p", ["t1"]);
    expect(turn).toMatchObject({
      status: "succeeded",
      result: { ok: true },
      batchId: "b1",
      outputStart: 0,
      outputEnd: 1,
    });
    expect((await store.turns.readBatches("p", ["b1"]))[0]).toMatchObject({ status: "success", size: 1, open: 0 });
    expect((await store.turns.readAgents("p", ["a1"]))[0]).toMatchObject({ outputBoxId: "out" });
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

test("a released migration is never changed: version 1 is what its fixture froze", () => {
  const [first] = migrations;
  expect(first?.version).toBe(1);
  expect(fixture("store-1.sqlite.sql").startsWith(first?.sqlite ?? "none")).toBe(true);
  expect(fixture("store-1.postgres.sql")).toContain(first?.postgres ?? "none");
  expect(migrations.map((step) => step.version)).toEqual(migrations.map((_, index) => index + 1));
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

test("a deleted card's bytes leave the embedded file", async () => {
  const data = mkdtempSync(join(folder, "data-"));
  const store = await openStore({ data });
  const card = { id: "c", type: "t", metadata: {}, authorId: "a", createdAt: 1 };
  const content = { kind: "text", text: "very-secret-text" } as const;
  await store.cards.pack({ projectId: "p", cards: [{ ...card, content }], boxes: [], now: 1 });
  await store.cards.deleteCards("p", ["c"]);
  await store.close();
  expect(readFileSync(join(data, "galley.sqlite")).includes("very-secret-text")).toBe(false);
});
